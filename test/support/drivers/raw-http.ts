/** HTTP/1.1 by hand over a socket, for requests that no client library would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { RawRequest } from '../material/malformed-requests.ts';

export interface RawAnswer {
  readonly status: number;
  /** Names in small letters. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Far longer than the server gives a request that does not end, also on a slow machine. */
const HANG_MS = 600_000;

/** One client: keeps its connection as long as requests and answers let it. */
export class RawClient implements Disposable {
  readonly #url: URL;
  #socket: Socket | null = null;
  #received = Buffer.alloc(0);

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /**
   * Sends a request. Gives one answer when the request is framed, else all that come until the server closes; none when it closes
   * without one. @throws Error when nothing happens for long, or what comes is no HTTP.
   */
  async send({ bytes, method, isFramed }: RawRequest): Promise<RawAnswer[]> {
    const socket = (this.#socket ??= await this.#open());
    if (isFramed) socket.write(bytes);
    else socket.end(bytes);
    const answers: RawAnswer[] = [];
    for (;;) {
      const answer = await this.#next(socket, method === 'HEAD');
      if (answer) answers.push(answer);
      if (answer && !isFramed) continue;
      if (answer?.headers.get('connection') !== 'keep-alive' || this.#received.length > 0) this.#drop();
      return answers;
    }
  }

  [Symbol.dispose](): void {
    this.#drop();
  }

  async #open(): Promise<Socket> {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true });
    // A reset is an end.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  #drop(): void {
    this.#socket?.destroy();
    this.#socket = null;
    this.#received = Buffer.alloc(0);
  }

  /** The next answer that is no interim one; null when the server closes without. */
  async #next(socket: Socket, isHead: boolean): Promise<RawAnswer | null> {
    for (;;) {
      const answer = this.#take(isHead);
      if (answer && answer.status >= 200) return answer;
      if (!answer && !(await this.#more(socket))) return this.#take(isHead, true);
    }
  }

  /** Waits for bytes; false when the server has closed. */
  #more(socket: Socket): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        settle();
        reject(new Error(`no answer in ${HANG_MS} ms`));
      }, HANG_MS);
      const onData = (chunk: Buffer): void => {
        settle();
        this.#received = Buffer.concat([this.#received, chunk]);
        resolve(true);
      };
      const onClose = (): void => {
        settle();
        resolve(false);
      };
      const settle = (): void => {
        clearTimeout(timer);
        socket.off('data', onData).off('close', onClose).pause();
      };
      if (socket.closed) onClose();
      else socket.on('data', onData).on('close', onClose).resume();
    });
  }

  /** The first whole answer of what has come. One without a length, as HTTP/1.0 has it, ends with the connection. */
  #take(isHead: boolean, isClosed = false): RawAnswer | null {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return null;
    const { status, headers } = readHead(this.#received.toString('latin1', 0, headEnd));
    const from = headEnd + 4;
    const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304;
    const to = hasBody ? this.#bodyEnd(from, headers, isClosed) : from;
    if (to === null || this.#received.length < to) return null;
    const body = this.#received.toString('utf8', from, to);
    this.#received = this.#received.subarray(to);
    return { status, headers, body };
  }

  #bodyEnd(from: number, headers: ReadonlyMap<string, string>, isClosed: boolean): number | null {
    const length = headers.get('content-length');
    if (length !== undefined) return from + Number(length);
    if (headers.get('transfer-encoding') !== 'chunked') return isClosed ? this.#received.length : null;
    const last = this.#received.indexOf('0\r\n\r\n', from);
    return last < 0 ? null : last + 5;
  }
}

/** @throws Error when it is none of HTTP/1.1. */
function readHead(head: string): Pick<RawAnswer, 'status' | 'headers'> {
  const [line = '', ...fields] = head.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1];
  if (status === undefined) throw new Error(`no HTTP: ${line.slice(0, 100)}`);
  const headers = fields.map((field): [string, string] => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  });
  return { status: Number(status), headers: new Map(headers) };
}
