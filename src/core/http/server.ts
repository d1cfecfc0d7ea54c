import { once } from 'node:events';
import type { Express } from 'express';
import { type Server, type ServerOptions, createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { AppError, badRequest } from '../../messages/problems.ts';
import type { EarlyRefusal } from './early-refusal.ts';
import { isRefused, lastExchangeOf, refuseSocket, ConnectionTurns } from './connections.ts';
import { READ_TIMEOUT_MS, slowReaderWatch, endSlowSenders, MOST_UPLOAD_BYTES, unreadBodyDrop } from './slow-clients.ts';

/**
 * Limits for slow clients, checked every 2 s. Keep-alive lasts longer than the 60 s for which reverse proxies keep a
 * connection. `requestTimeout` is for every body but that of an upload.
 */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16_384,
};

/** Longest time in ms for a whole upload, however fast it comes. */
const UPLOAD_TIMEOUT_MS = 3_600_000;

/** Bytes of a body that are read after its answer: whoever sends the largest upload gets to read why it is refused. */
const MOST_UNREAD_BYTES = MOST_UPLOAD_BYTES;

/** 10,000 idle connections need about 40 MB. The unit's `LimitNOFILE` allows three times this number. */
const MAX_CONNECTIONS = 20_000;

export interface ServerLimits extends Partial<typeof LIMITS> {
  /** A further one is closed at once. */
  readonly maxConnections?: number;
  readonly readTimeoutMs?: number;
  readonly mostUnreadBytes?: number;
}

/** Makes an HTTP server that answers every failure with a problem document, also failures of its parser. */
export function createHttpServer(app: Express, options: ServerLimits & { readonly refuseEarly: EarlyRefusal }): Server {
  const {
    maxConnections = MAX_CONNECTIONS,
    refuseEarly,
    readTimeoutMs = READ_TIMEOUT_MS,
    mostUnreadBytes = MOST_UNREAD_BYTES,
    ...given
  } = options;
  const { requestTimeout, ...limits } = { ...LIMITS, ...given };
  const watchReader = slowReaderWatch(readTimeoutMs);
  const dropUnread = unreadBodyDrop({ mostBytes: mostUnreadBytes, timeoutMs: requestTimeout });
  const turns = new ConnectionTurns((req, res) => {
    watchReader(res);
    dropUnread(res);
    if (req.url!.charCodeAt(0) !== SLASH) toPath(req);
    if (!refuseEarly(req, res)) app(req, res);
  });
  const messages = expressMessages(app);
  // Without `Host`, Node.js itself would answer 400 without a problem document.
  const own = { requestTimeout: UPLOAD_TIMEOUT_MS, requireHostHeader: false };
  const server = createServer({ ...limits, ...own, ...messages }, turns.take);
  server.on('connection', turns.follow);
  endSlowSenders(server, { timeoutMs: requestTimeout, checkEveryMs: limits.connectionsCheckingInterval });
  server.maxConnections = maxConnections;
  // An unknown expectation may be ignored (RFC 9110, section 10.1.1); Node.js itself would answer 417.
  server.on('checkExpectation', turns.take);
  // Who reads the body asks for it: Node.js itself would do so before the request is refused.
  server.on('checkContinue', turns.take);
  server.on('clientError', (cause: NodeJS.ErrnoException, socket) => {
    if (isRefused(socket) || turns.hold(cause, socket)) return;
    if (cause.code === 'ECONNRESET' || !socket.writable || isUnused(cause, socket)) socket.destroy();
    else refuseSocket(socket, unreadable(cause.code, lastExchangeOf(socket)?.req.complete === false));
  });
  server.on('connect', (_req, socket) => {
    refuseSocket(
      socket,
      new AppError('METHOD_NOT_ALLOWED', 'this server is not a proxy', { headers: { Allow: 'GET, POST' } }),
    );
  });
  return server;
}

/**
 * Connections that may wait to be accepted, as many as Linux allows by default. When none is free, the kernel drops the
 * attempt, and the client tries again after 1 s, 3 s, 7 s. One burst of a proxy fills the default of Node.js, 511.
 */
const BACKLOG = 4096;

/**
 * Listens. @returns the URL, with the actual port in place of port 0.
 * @param variables names of its settings, for a message.
 * @throws Error that names the address when it is in use or not available.
 */
export async function listen(
  server: Server,
  address: { readonly host: string; readonly port: number; readonly variables?: string },
): Promise<string> {
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

/** Turns of the event loop without a new connection or request: one accepts a connection, the next reads its request, and one is spare. */
const QUIET_TURNS = 3;

/** How often a stop looks whether requests still come. */
const POLL_MS = 25;

/** Longest time in ms for connections that have arrived and are not accepted. Each turn accepts one. */
const ACCEPT_MS = 1000;

/**
 * Stops a server: tells clients to leave, then accepts no new connections, lets requests under way end, and then closes
 * all connections.
 */
export async function stopServer(
  server: Server,
  {
    lastCallMs,
    quietMs,
    drainMs,
  }: {
    /** Longest time for which it still accepts requests of senders that do not yet know of the stop: a proxy asks `/readyz` every second. */
    readonly lastCallMs: number;
    /** Without a request for this long, nobody sends any more. */
    readonly quietMs: number;
    /** Time that requests under way have to end. */
    readonly drainMs: number;
  },
  nowMs = (): number => performance.now(),
): Promise<void> {
  const startMs = nowMs();
  let requestMs = startMs;
  let quietTurns = 0;
  server.prependListener('request', (_req, res) => {
    res.setHeader('Connection', 'close');
    requestMs = nowMs();
    quietTurns = 0;
  });
  server.on('connection', () => (quietTurns = 0));
  // A request on a connection that is being closed is lost: a proxy does not know whether it was answered, and does not repeat it.
  while (nowMs() < Math.min(requestMs + quietMs, startMs + lastCallMs)) await sleep(POLL_MS);
  // A busy process reaches this line late. It first accepts connections and requests that arrived meanwhile, because
  // closing would reset them.
  const lastMs = nowMs() + ACCEPT_MS;
  for (; quietTurns < QUIET_TURNS && nowMs() < lastMs; quietTurns++) await nextTurn();
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, drainMs);
  await closed;
  clearTimeout(cut);
}

/**
 * Whether the time of a connection is up on which nothing has come. Browsers open such ones beforehand, and may send a request at this moment: it would take
 * a refusal for its answer. One that is closed is asked again on another connection.
 */
function isUnused({ code }: NodeJS.ErrnoException, socket: Duplex): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && (socket as Socket).bytesRead === 0;
}

const SLASH = 0x2f;

/** A whole URL, as one asks a proxy: the host in it counts, whatever `Host` says (RFC 9112, section 3.2.2). */
function toPath(req: IncomingMessage): void {
  const [, host, target] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(req.url ?? '') ?? [];
  if (host === undefined || target === undefined) return;
  req.headers.host = host;
  req.url = target.startsWith('/') ? target : `/${target}`;
}

/** @param inBody whether the body of a request was under way. */
function unreadable(code: string | undefined, inBody: boolean): AppError {
  if (code === 'HPE_INVALID_EOF_STATE' && inBody)
    return badRequest('the body ended early', { reason: 'BODY_INCOMPLETE' });
  if (code === 'HPE_HEADER_OVERFLOW') {
    return badRequest('the URL and the header are larger than 16 KiB', { reason: 'HEADER_TOO_LARGE' });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return badRequest('the request did not arrive in time', { reason: 'TOO_SLOW' });
  }
  return badRequest('this is not HTTP/1.1', { reason: 'NOT_HTTP' });
}

/**
 * Makes message classes for the server of an Express app. Express sets the app's prototype on every request and
 * response. After that V8 has no known shape for the object, and each property access takes the slow path: 40 % of the
 * main thread's time for a lookup (docs/decisions/0006). Messages that are created with that prototype stay unchanged.
 */
function expressMessages(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  app.request = inherit(ExpressRequest.prototype, app.request);
  app.response = inherit(ExpressResponse.prototype, app.response);
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** Derives a class, so that V8 lays out the object at once; Express's methods come from the prototype. */
function inherit<Methods extends object>(prototype: object, methods: Methods): Methods {
  return Object.setPrototypeOf(prototype, methods) as Methods;
}
