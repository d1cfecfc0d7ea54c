import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import express, { type Router } from 'express';
import type { Registry } from 'prom-client';

/**
 * Limits for Prometheus and for machines that fetch a snapshot, the only clients of this port. A connection is kept for longer than the minute between two
 * scrapes: the next one would otherwise come to a connection that is just being closed.
 */
const LIMITS = { headersTimeout: 5000, requestTimeout: 5000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 };
const MAX_CONNECTIONS = 32;

/**
 * Serves the admin port: `GET /metrics` in the text format of Prometheus, `GET /readyz` for operators, and what features have there. It answers to addresses and to the names
 * of this machine alone: a page in a browser here could otherwise read it under a name of its own that leads to this machine (DNS rebinding).
 */
export function createAdminServer({
  host,
  registry,
  routers,
  state,
}: {
  /** ADMIN_HOST. */
  readonly host: string;
  readonly registry: Registry;
  /** Routes of features. */
  readonly routers: readonly Router[];
  /** What `/readyz` says there. */
  readonly state: () => Promise<{ readonly ready: boolean }>;
}): Server {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  const names = ownNames(host);
  app.use((req, res, next) => {
    if (isOwnName(req.headers.host, names)) next();
    else
      res
        .writeHead(421, { 'Content-Type': 'text/plain' })
        .end('Ask for an address, ADMIN_HOST or the name of this machine.\n');
  });
  app.get('/metrics', (_req, res) => {
    registry.metrics().then(
      (text) => res.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  });
  app.get('/readyz', async (_req, res) => {
    const found = await state();
    res.status(found.ready ? 200 : 503).json(found);
  });
  for (const router of routers) app.use(router);
  app.use((_req, res) => res.writeHead(404).end());
  const server = createServer(LIMITS, app);
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/** @param asked the `Host` header. */
function isOwnName(asked: string | undefined, names: ReadonlySet<string>): boolean {
  const url = `http://${asked ?? ''}`;
  if (!URL.canParse(url)) return false;
  const name = new URL(url).hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return isIP(name) !== 0 || names.has(name);
}

/**
 * The names of this machine. Its host name with a domain is one where the system says so: behind a name that can be guessed, anybody could put a domain of
 * their own.
 */
export function ownNames(
  adminHost: string,
  { hosts = '/etc/hosts', resolver = '/etc/resolv.conf', own = hostname().toLowerCase() } = {},
): ReadonlySet<string> {
  const domains = wordsOf(resolver).flatMap(([what, ...words]) => (/^(search|domain)$/.test(what!) ? words : []));
  const listed = wordsOf(hosts).flatMap(([, ...names]) => names.map((name) => name.toLowerCase()));
  return new Set([
    ...['localhost', adminHost.toLowerCase(), own],
    ...domains.map((domain) => `${own}.${domain.toLowerCase().replace(/^\.|\.$/g, '')}`),
    ...listed.filter((name) => name.startsWith(`${own}.`)),
  ]);
}

/** The lines of a file of the system, each in words, without comments; none where it cannot be read. */
function wordsOf(file: string): string[][] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.map((line) =>
      line
        .replace(/[#;].*/, '')
        .trim()
        .split(/\s+/),
    );
  } catch {
    return [];
  }
}
