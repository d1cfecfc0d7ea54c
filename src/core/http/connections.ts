/** The connections of the server: which request is the last of each, how one is refused, and their requests one at a time. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AppError } from '../../messages/problems.ts';
import { licenceLink } from '../../messages/wire/licences.ts';
import { problemDocument } from './problem.ts';
import type { Socket } from 'node:net';

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** When its turn came, as `performance.now()`; infinite while it waits for earlier requests of its connection. */
  startMs: number;
}

/** Time in ms that a client has to read a refusal and to close its side. */
const LINGER_MS = 2000;

/** A connection as the HTTP server of Node.js makes it. */
interface ParsedSocket extends Socket {
  readonly parser: {
    onIncoming: (req: IncomingMessage, keepAlive: boolean) => number;
    readonly resume: () => void;
  } | null;
  /** Node.js has stopped reading, because an answer is not taken in. */
  readonly _paused?: boolean;
}

/** A connection with its requests. */
interface Connection {
  readonly socket: ParsedSocket;
  /** The last request. It is the last to be answered, so the answers of the connection are complete when its own is. */
  last: Exchange | null;
  /** A request is being answered. */
  isBusy: boolean;
  /** The request behind it. Nothing more of the connection is parsed or read meanwhile. */
  waiting: Exchange | null;
  /** What was read behind the header of the one that waits; null: the parser has not stopped. */
  unparsed: Buffer | null;
  /** It ends with what has come so far: nothing more of it is parsed. */
  isEnding: boolean;
  /** It was refused: what comes on it is dropped until it closes. */
  isRefused: boolean;
}

/** Those that `ConnectionTurns` follows. */
const connections = new WeakMap<Duplex, Connection>();

/** Returns the last request of a connection, and its answer. */
export function lastExchangeOf(socket: Duplex): Exchange | null {
  return connections.get(socket)!.last;
}

/**
 * Refuses what a connection sent and the app will not see, and closes the connection. A client takes whatever comes for the answer to
 * its oldest open request. So nothing is written into an answer, before the answer of an earlier request, or after one that was sent
 * before its request was complete.
 */
export function refuseSocket(socket: Duplex, error: AppError): void {
  // Node.js hands over the socket of a CONNECT without a listener, and an error without a listener ends the process.
  socket.on('error', () => undefined);
  const connection = connections.get(socket)!;
  connection.isEnding = true;
  const { last } = connection;
  if (!last) {
    answerRaw(connection, error);
  } else if (!last.req.complete) {
    if (last.res.headersSent || last.res.socket !== socket) socket.destroy();
    else answerRaw(connection, error);
  } else if (last.res.writableFinished) {
    answerRaw(connection, error);
  } else {
    last.res.once('close', () => {
      closeSoon(connection);
    });
  }
}

/** Whether a connection was refused, and what comes on it is dropped until it closes. */
export function isRefused(socket: Duplex): boolean {
  return connections.get(socket)!.isRefused;
}

/** Writes a refusal without a response object. */
function answerRaw(connection: Connection, error: AppError): void {
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
  connection.socket.write(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
  closeSoon(connection);
}

/**
 * Closes our side, and the connection when the client has closed its own. Nothing else ends one of which the client keeps its side open:
 * Node.js no longer counts its time.
 */
function closeSoon(connection: Connection): void {
  const { socket } = connection;
  connection.isRefused = true;
  socket.end();
  // Unread bytes would hide the client's end, and turn our close into a reset that takes the answer with it.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => {
    clearTimeout(timer);
  });
}

/** Requests that had to wait on their connection and begin in one turn of the event loop, of all connections together. */
const MOST_A_TURN = 16;

/** What the parser of Node.js (llhttp) takes from the listener of a header: stop here, which it reports as a failure with this code. */
const PAUSE = 21;
const PAUSED = 'HPE_PAUSED';

/** The same: the request has no body, and what follows a request for another protocol is not parsed. */
const NO_BODY = 1;

/**
 * Gives each connection one request at a time: the next one begins when the answer before has gone to the kernel, and in a later turn of the event loop. A client that sends
 * many requests at once holds up nobody, and has one answer in memory (docs/decisions/0258).
 */
export class ConnectionTurns {
  readonly #answer: (req: IncomingMessage, res: ServerResponse) => void;
  /** Those whose next request may begin. */
  readonly #due: Connection[] = [];

  constructor(answer: (req: IncomingMessage, res: ServerResponse) => void) {
    this.#answer = answer;
  }

  /** Listens to the connections of a server. */
  readonly follow = (made: Socket): void => {
    const socket = made as ParsedSocket;
    const connection: Connection = {
      socket,
      last: null,
      isBusy: false,
      waiting: null,
      unparsed: null,
      isEnding: false,
      isRefused: false,
    };
    connections.set(socket, connection);
    const parser = socket.parser!;
    const { onIncoming } = parser;
    parser.onIncoming = (req, keepAlive) => {
      const { upgrade } = req as IncomingMessage & { readonly upgrade: boolean };
      const result = onIncoming(req, keepAlive);
      return connection.waiting === null ? result : stop(connection, upgrade);
    };
    const resume = socket.resume.bind(socket);
    // Node.js also resumes a connection when somebody reads a body,
    socket.resume = () => (connection.waiting === null ? resume() : socket);
    // and what was resumed before a request had to wait begins to read a little later.
    socket.on('resume', () => connection.waiting !== null && socket.emit('pause'));
  };

  /** Listens to the requests of a server. */
  readonly take = (req: IncomingMessage, res: ServerResponse): void => {
    const connection = connections.get(req.socket)!;
    if (connection.isEnding || req.socket.destroyed) return;
    const exchange = { req, res, startMs: Infinity };
    connection.last = exchange;
    if (connection.isBusy) connection.waiting = exchange;
    else this.#begin(exchange, connection);
  };

  /** Takes a failure of the parser that is none: it has stopped. Returns false for any other. */
  readonly hold = (cause: NodeJS.ErrnoException, socket: Duplex): boolean => {
    if (cause.code !== PAUSED) return false;
    const connection = connections.get(socket)!;
    const { unparsed } = connection;
    const { rawPacket, bytesParsed } = cause as Error & { readonly bytesParsed: number; readonly rawPacket: Buffer };
    connection.unparsed = unparsed ? Buffer.concat([unparsed, rawPacket]) : rawPacket.subarray(bytesParsed);
    return true;
  };

  #begin(exchange: Exchange, connection: Connection): void {
    exchange.startMs = performance.now();
    connection.isBusy = true;
    exchange.res.once('close', () => {
      if (connection.waiting === null) connection.isBusy = false;
      else if (this.#due.push(connection) === 1) setImmediate(this.#turn);
    });
    this.#answer(exchange.req, exchange.res);
  }

  readonly #turn = (): void => {
    const turn = this.#due.splice(0, MOST_A_TURN);
    if (this.#due.length > 0) setImmediate(this.#turn);
    for (const connection of turn) this.#next(connection);
  };

  #next(connection: Connection): void {
    const next = connection.waiting!;
    connection.waiting = null;
    // The last answer of a connection closes it.
    if (!connection.socket.writable) return;
    this.#begin(next, connection);
    parseOn(connection);
  }
}

/** Reads nothing more. Returns what the parser is to do. */
function stop({ socket, waiting }: Connection, isUpgrade: boolean): number {
  socket.pause();
  if (!isUpgrade) return PAUSE;
  // Node.js does not hear of a pause at a request for another protocol, of which there is none here: such a one is the last of its connection.
  waiting!.res.shouldKeepAlive = false;
  return NO_BODY;
}

/** Gives the parser what was read behind a header, until the next request has to wait. */
function parseOn(connection: Connection): void {
  const { socket, unparsed } = connection;
  if (connection.isEnding || socket.destroyed) return;
  if (socket._paused) {
    // Node.js, which listens before, goes on then.
    socket.once('drain', () => {
      parseOn(connection);
    });
    return;
  }
  if (unparsed !== null) {
    connection.unparsed = null;
    socket.parser!.resume();
    const [parse] = socket.listeners('data') as [(bytes: Buffer) => void];
    // Also when there is nothing: only then is a request without a body complete.
    parse.call(socket, unparsed);
  }
  socket.resume();
}
