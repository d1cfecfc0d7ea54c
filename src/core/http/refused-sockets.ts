import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AppError } from '../../messages/problems.ts';
import { licenceLink } from '../../messages/wire/licences.ts';
import { problemDocument } from './problem.ts';

export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** When its turn came, as `performance.now()`; infinite while it waits for earlier requests of its connection. */
  startMs: number;
}

/** Time in ms that a client has to read a refusal and to close its side. */
const LINGER_MS = 2000;

/**
 * The last request of each connection. It is the last to be answered, so the answers of the connection are complete when its own is.
 */
const lastExchanges = new WeakMap<Duplex, Exchange>();

const refused = new WeakSet<Duplex>();

const ending = new WeakSet<Duplex>();

/** Notes a request that the app will answer. */
export function noteExchange(req: IncomingMessage, res: ServerResponse): Exchange {
  const exchange = { req, res, startMs: Infinity };
  lastExchanges.set(req.socket, exchange);
  return exchange;
}

/** Returns the last request of a connection, and its answer. */
export function lastExchangeOf(socket: Duplex): Exchange | undefined {
  return lastExchanges.get(socket);
}

/**
 * Refuses what a connection sent and the app will not see, and closes the connection. A client takes whatever comes for the answer to
 * its oldest open request. So nothing is written into an answer, before the answer of an earlier request, or after one that was sent
 * before its request was complete.
 */
export function refuseSocket(socket: Duplex, error: AppError): void {
  // Node.js hands over the socket of a CONNECT without a listener, and an error without a listener ends the process.
  socket.on('error', () => undefined);
  ending.add(socket);
  const last = lastExchanges.get(socket);
  if (!last) {
    answerRaw(socket, error);
  } else if (!last.req.complete) {
    if (last.res.headersSent || last.res.socket !== socket) socket.destroy();
    else answerRaw(socket, error);
  } else if (last.res.writableFinished) {
    answerRaw(socket, error);
  } else {
    last.res.once('close', () => {
      closeSoon(socket);
    });
  }
}

/** Whether a connection was refused, and what comes on it is dropped until it closes. */
export function isRefused(socket: Duplex): boolean {
  return refused.has(socket);
}

/** Whether a connection ends with what has come so far: nothing more of it is parsed. */
export function isEnding(socket: Duplex): boolean {
  return ending.has(socket) || socket.destroyed;
}

/** Writes a refusal without a response object. */
function answerRaw(socket: Duplex, error: AppError): void {
  const requestId = randomUUID();
  const body = problemDocument(error, requestId);
  const headers = {
    ...error.headers,
    Connection: 'close',
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    Link: licenceLink,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
  closeSoon(socket);
}

/**
 * Closes our side, and the connection when the client has closed its own. Nothing else ends one of which the client keeps its side open:
 * Node.js no longer counts its time.
 */
function closeSoon(socket: Duplex): void {
  refused.add(socket);
  socket.end();
  // Unread bytes would hide the client's end, and turn our close into a reset that takes the answer with it.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => {
    clearTimeout(timer);
  });
}
