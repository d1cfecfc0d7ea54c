import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Express } from 'express';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../shared/problems.ts';
import type { EarlyRefusal } from './early-refusal.ts';
import { expressMessages } from './express-messages.ts';
import { problemDocument } from './problem.ts';

/**
 * A client that is slower than this is cut off, looked for every 2 s; keep-alive outlasts the 60 s that reverse proxies keep a
 * connection.
 */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16_384,
};

export interface ServerLimits extends Partial<typeof LIMITS> {
  readonly maxConnections: number;
}

export interface ServerOptions extends ServerLimits {
  readonly refuseEarly: EarlyRefusal;
}

/** An HTTP server whose every failure is a problem document, those of its parser too. */
export function createHttpServer(app: Express, { maxConnections, refuseEarly, ...limits }: ServerOptions): Server {
  const server = createServer({ ...LIMITS, ...limits, ...expressMessages(app) }, (req, res) => {
    if (!refuseEarly(req, res)) app(req, res);
  });
  server.maxConnections = maxConnections;
  // An expectation we do not know may be ignored (RFC 9110, section 10.1.1): node would answer 417 itself.
  server.on('checkExpectation', app);
  server.on('clientError', (cause: NodeJS.ErrnoException, socket) => {
    if (cause.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else answerRaw(socket, new AppError('BAD_REQUEST', unreadable(cause.code)));
  });
  server.on('connect', (_req, socket) => {
    answerRaw(socket, new AppError('METHOD_NOT_ALLOWED', 'this is no proxy', { headers: { Allow: 'GET, POST' } }));
  });
  return server;
}

/**
 * Connections that wait to be accepted, as many as Linux allows by default. When there is no place the kernel drops the attempt, and the
 * client tries again after 1 s, 3 s, 7 s: node's own 511 are filled by one burst of a proxy.
 */
const BACKLOG = 4096;

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The settings that decide it, for a message. */
  readonly variables?: string;
}

/**
 * Listens. @returns the URL, with the port that port 0 became.
 * @throws Error that names the address when it is taken or not to be had.
 */
export async function listen(server: Server, address: ListenAddress): Promise<string> {
  const { host, port, variables = 'HOST and PORT' } = address;
  server.listen({ port, host, backlog: BACKLOG });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'the port is taken' : String(cause);
    throw new Error(`cannot listen on ${host}:${port}: ${reason}; set ${variables}`, { cause });
  }
  const { address: ip, family, port: actual } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${ip}]` : ip}:${actual}`;
}

export interface StopTimes {
  /** How long it still takes requests: those that were sent before the sender could know. */
  readonly lastCallMs: number;
  /** How long requests under way may take to end. */
  readonly drainMs: number;
}

/** Of the event loop: one accepts a connection, the next reads its request, one is spare. */
const TURNS = 3;

/** Tells clients to leave, then takes no new connections, lets requests under way end, then cuts. */
export async function stopServer(server: Server, { lastCallMs, drainMs }: StopTimes): Promise<void> {
  server.prependListener('request', (_req, res) => {
    res.setHeader('Connection', 'close');
  });
  await sleep(lastCallMs);
  // A busy process comes here late: connections and requests that have arrived meanwhile are taken first, or closing would reset them.
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, drainMs);
  await closed;
  clearTimeout(cut);
}

function unreadable(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'the header is larger than 16 KiB';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'the request did not arrive in time';
  return 'this is not HTTP/1.1';
}

/** What node's parser refuses never reaches the app, and has no response object. */
function answerRaw(socket: Duplex, error: AppError): void {
  const requestId = randomUUID();
  const body = problemDocument(error, requestId);
  const headers = {
    ...error.headers,
    Connection: 'close',
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${error.code}\r\n${lines.join('')}\r\n${body}`);
}
