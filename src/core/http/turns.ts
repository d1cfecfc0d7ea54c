import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isEnding, noteExchange, type Exchange } from './refused-sockets.ts';

/** Requests that had to wait on their connection and begin in one turn of the event loop, of all connections together. */
const MOST_A_TURN = 16;

/** What the parser of Node.js (llhttp) takes from the listener of a header: stop here, which it reports as a failure with this code. */
const PAUSE = 21;
const PAUSED = 'HPE_PAUSED';

/** The same: the request has no body, and what follows a request for another protocol is not parsed. */
const NO_BODY = 1;

/** A connection as the HTTP server of Node.js makes it. */
interface ParsedSocket extends Socket {
  readonly parser: {
    onIncoming: (req: IncomingMessage, keepAlive: boolean) => number;
    readonly resume: () => void;
  } | null;
  /** Node.js has stopped reading, because an answer is not taken in. */
  readonly _paused?: boolean;
}

/** The requests of a connection. */
interface Line {
  readonly socket: ParsedSocket;
  /** One is being answered. */
  isBusy: boolean;
  /** The one behind it. Nothing more of the connection is parsed or read meanwhile. */
  waiting: Exchange | null;
  /** What was read behind the header of the one that waits; null: the parser has not stopped. */
  unparsed: Buffer | null;
}

/** As the parser fails when it was told to stop. */
interface Pause extends Error {
  readonly bytesParsed: number;
  readonly rawPacket: Buffer;
}

/**
 * Gives each connection one request at a time: the next one begins when the answer before has gone to the kernel, and in a later turn of the event loop. A client that sends
 * many requests at once holds up nobody, and has one answer in memory (docs/decisions/0258, 0269).
 */
export class ConnectionTurns {
  readonly #answer: (req: IncomingMessage, res: ServerResponse) => void;
  readonly #lines = new WeakMap<Duplex, Line>();
  /** Those whose next request may begin. */
  readonly #due: Line[] = [];

  constructor(answer: (req: IncomingMessage, res: ServerResponse) => void) {
    this.#answer = answer;
  }

  /** Listens to the connections of a server. */
  readonly follow = (connection: Socket): void => {
    const socket = connection as ParsedSocket;
    const line: Line = { socket, isBusy: false, waiting: null, unparsed: null };
    this.#lines.set(socket, line);
    const parser = socket.parser!;
    const { onIncoming } = parser;
    parser.onIncoming = (req, keepAlive) => {
      const { upgrade } = req as IncomingMessage & { readonly upgrade: boolean };
      const result = onIncoming(req, keepAlive);
      return line.waiting === null ? result : stop(line, upgrade);
    };
    const resume = socket.resume.bind(socket);
    // Node.js also resumes a connection when somebody reads a body,
    socket.resume = () => (line.waiting === null ? resume() : socket);
    // and what was resumed before a request had to wait begins to read a little later.
    socket.on('resume', () => line.waiting !== null && socket.emit('pause'));
  };

  /** Listens to the requests of a server. */
  readonly take = (req: IncomingMessage, res: ServerResponse): void => {
    if (isEnding(req.socket)) return;
    const exchange = noteExchange(req, res);
    const line = this.#lines.get(req.socket);
    if (line?.isBusy) line.waiting = exchange;
    else this.#begin(exchange, line);
  };

  /** Takes a failure of the parser that is none: it has stopped. Returns false for any other. */
  readonly hold = (cause: NodeJS.ErrnoException, socket: Duplex): boolean => {
    const line = this.#lines.get(socket);
    if (cause.code !== PAUSED || !line) return false;
    const { rawPacket, bytesParsed } = cause as Pause;
    line.unparsed = line.unparsed ? Buffer.concat([line.unparsed, rawPacket]) : rawPacket.subarray(bytesParsed);
    return true;
  };

  #begin(exchange: Exchange, line: Line | undefined): void {
    const { req, res } = exchange;
    exchange.startMs = performance.now();
    if (line) {
      line.isBusy = true;
      res.once('close', () => {
        this.#end(line);
      });
    }
    this.#answer(req, res);
  }

  #end(line: Line): void {
    if (line.waiting === null) line.isBusy = false;
    else if (this.#due.push(line) === 1) setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const lines = this.#due.splice(0, MOST_A_TURN);
    if (this.#due.length > 0) setImmediate(this.#turn);
    for (const line of lines) this.#next(line);
  };

  #next(line: Line): void {
    const next = line.waiting!;
    line.waiting = null;
    // The last answer of a connection closes it.
    if (!line.socket.writable) return;
    this.#begin(next, line);
    parseOn(line);
  }
}

/** Reads nothing more. Returns what the parser is to do. */
function stop({ socket, waiting }: Line, isUpgrade: boolean): number {
  socket.pause();
  if (!isUpgrade) return PAUSE;
  // Node.js does not hear of a pause at a request for another protocol, of which there is none here: such a one is the last of its connection.
  waiting!.res.shouldKeepAlive = false;
  return NO_BODY;
}

/** Gives the parser what was read behind a header, until the next request has to wait. */
function parseOn(line: Line): void {
  const { socket, unparsed } = line;
  if (isEnding(socket)) return;
  if (socket._paused) {
    // Node.js, which listens before, goes on then.
    socket.once('drain', () => {
      parseOn(line);
    });
    return;
  }
  if (unparsed !== null) {
    line.unparsed = null;
    socket.parser!.resume();
    const [parse] = socket.listeners('data') as [(bytes: Buffer) => void];
    // Also when there is nothing: only then is a request without a body complete.
    parse.call(socket, unparsed);
  }
  socket.resume();
}
