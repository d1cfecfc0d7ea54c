import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isEnding, noteExchange, type Exchange } from './refused-sockets.ts';

/** Bytes that the parser gets at once, at most 113 requests of the shortest kind. Node.js itself parses what it has read, up to 64 KiB, in one go. */
const PIECE_BYTES = 2048;

/** Requests that had to wait on their connection and begin in one turn of the event loop, of all connections together. */
const MOST_A_TURN = 16;

/** The requests of a connection. */
interface Line {
  readonly socket: Socket;
  /** One is being answered. */
  isBusy: boolean;
  /** Those behind it. Nothing more of the connection is read meanwhile. */
  readonly waiting: Exchange[];
}

/** As Node.js marks a connection whose parser it has stopped. Such a parser must get nothing. */
interface ParsedSocket extends Socket {
  readonly _paused?: boolean;
}

/**
 * Gives each connection one request at a time: the next one begins when the answer before has gone to the kernel, and in a later turn of the event loop. A client that sends
 * many requests at once holds up nobody, and has one answer in memory (docs/decisions/0258).
 */
export class ConnectionTurns {
  readonly #answer: (req: IncomingMessage, res: ServerResponse) => void;
  readonly #lines = new WeakMap<Socket, Line>();
  /** Those whose next request may begin. */
  readonly #due: Line[] = [];

  constructor(answer: (req: IncomingMessage, res: ServerResponse) => void) {
    this.#answer = answer;
  }

  /** Listens to the connections of a server. */
  readonly follow = (socket: Socket): void => {
    const line: Line = { socket, isBusy: false, waiting: [] };
    this.#lines.set(socket, line);
    const [parse] = socket.listeners('data') as [(bytes: Buffer) => void];
    // With a listener of ours, Node.js no longer reads past JavaScript.
    socket.on('data', (bytes: Buffer) => {
      feed(line, bytes, parse);
    });
    socket.off('data', parse);
    const resume = socket.resume.bind(socket);
    // Node.js also resumes a connection when somebody reads a body.
    socket.resume = () => (line.waiting.length > 0 ? socket : resume());
  };

  /** Listens to the requests of a server. */
  readonly take = (req: IncomingMessage, res: ServerResponse): void => {
    const exchange = noteExchange(req, res);
    const line = this.#lines.get(req.socket);
    if (line?.isBusy) line.waiting.push(exchange);
    else this.#begin(exchange, line);
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
    if (line.waiting.length === 0) line.isBusy = false;
    else if (this.#due.push(line) === 1) setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const lines = this.#due.splice(0, MOST_A_TURN);
    if (this.#due.length > 0) setImmediate(this.#turn);
    for (const line of lines) this.#next(line);
  };

  #next(line: Line): void {
    const { socket, waiting } = line;
    const next = waiting.shift()!;
    // The last answer of a connection closes it.
    if (!socket.writable) waiting.length = 0;
    else this.#begin(next, line);
    if (waiting.length === 0 && (socket as ParsedSocket)._paused !== true) socket.resume();
  }
}

/** Gives the parser piece by piece, until a request has to wait or the connection is paused for another reason. The rest is read again later. */
function feed({ socket, waiting }: Line, bytes: Buffer, parse: (bytes: Buffer) => void): void {
  let at = 0;
  while (at < bytes.length && !socket.isPaused() && !isEnding(socket)) {
    parse.call(socket, bytes.subarray(at, at + PIECE_BYTES));
    at += PIECE_BYTES;
    if (waiting.length > 0) socket.pause();
  }
  if (at < bytes.length && !isEnding(socket)) socket.unshift(bytes.subarray(at));
}
