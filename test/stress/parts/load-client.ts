/** A client that costs little: raw sockets that are kept, one request at a time on each. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Reply {
  /** 0 when the connection was lost before the whole answer. */
  readonly status: number;
  /** From the moment that the request was due, also when it was sent later. */
  readonly ms: number;
  /** Status line and header fields, as sent. */
  readonly head: string;
  readonly body: string;
}

export interface LookupOptions {
  /** With its `?`. */
  readonly query?: string;
  /** Header lines besides the usual ones. */
  readonly headers?: readonly string[];
}

export interface LoadClientOptions {
  readonly maxConnections?: number;
  /** Certificate to trust, for a URL with TLS. */
  readonly ca?: string;
  /** Loopback addresses that its connections have, in turns. */
  readonly localAddresses?: readonly string[];
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LOST: Omit<Reply, 'ms'> = { status: 0, head: '', body: '' };

/** Opens connections as they are needed, up to a limit; what is asked beyond it waits. */
export class LoadClient implements Disposable {
  readonly #url: URL;
  readonly #options: LoadClientOptions;
  readonly #maxConnections: number;
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[] = [];
  #opened = 0;
  readonly #waiting: ((connection: Connection) => void)[] = [];
  /** Where the first that waits stands: to shift an array of 100,000 that wait takes longer than an answer. */
  #first = 0;

  constructor(url: string, options: LoadClientOptions = {}) {
    this.#url = new URL(url);
    this.#options = options;
    this.#maxConnections = options.maxConnections ?? 1000;
  }

  /** A lookup's request on the wire. */
  static lookup(key: string, address: string, { query = '', headers = [] }: LookupOptions = {}): Buffer {
    return LoadClient.post(`/api/lookup${query}`, key, { address }, headers);
  }

  /** A request with a body on the wire. */
  static post(path: string, key: string, json: object, headers: readonly string[] = []): Buffer {
    const body = JSON.stringify(json);
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: load',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers,
    ];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  }

  /** Connections that are open: as many descriptors of the server. */
  get connections(): number {
    return this.#all.size;
  }

  async ask(request: Buffer, dueMs = performance.now()): Promise<Reply> {
    const connection = await this.#connection();
    const reply = await connection.ask(request);
    if (connection.isOpen) this.#release(connection);
    return { ...reply, ms: performance.now() - dueMs };
  }

  [Symbol.dispose](): void {
    for (const connection of this.#all) connection.close();
  }

  #connection(): Connection | Promise<Connection> {
    // The one used last: those that are not needed stay idle.
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (idle.isOpen) return idle;
    if (this.#all.size >= this.#maxConnections) return new Promise((resolve) => this.#waiting.push(resolve));
    return this.#open();
  }

  #open(): Connection {
    const connection = new Connection(this.#connect(), () => {
      this.#all.delete(connection);
      this.#nextWaiting()?.(this.#open());
    });
    this.#all.add(connection);
    this.#opened++;
    return connection;
  }

  #connect(): Socket {
    const { protocol, hostname: host, port } = this.#url;
    const { ca, localAddresses = [] } = this.#options;
    const localAddress = localAddresses[this.#opened % localAddresses.length];
    const to = {
      host,
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      ...(localAddress === undefined ? {} : { localAddress }),
    };
    return protocol === 'https:' ? connectTls({ ...to, ...(ca === undefined ? {} : { ca }) }) : connect(to);
  }

  #release(connection: Connection): void {
    const waiting = this.#nextWaiting();
    if (waiting) waiting(connection);
    else this.#idle.push(connection);
  }

  #nextWaiting(): ((connection: Connection) => void) | undefined {
    const waiting = this.#waiting[this.#first++];
    if (this.#first < this.#waiting.length) return waiting;
    this.#waiting.length = 0;
    this.#first = 0;
    return waiting;
  }
}

class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #answer: ((reply: Omit<Reply, 'ms'>) => void) | null = null;
  isOpen = true;

  constructor(socket: Socket, onClose: () => void) {
    this.#socket = socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#take(chunk);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isOpen = false;
      onClose();
      this.#settle(LOST);
    });
  }

  ask(request: Buffer): Promise<Omit<Reply, 'ms'>> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headBytes = this.#received.indexOf(END_OF_HEAD);
    if (headBytes < 0) return;
    const head = this.#received.toString('latin1', 0, headBytes);
    const start = headBytes + END_OF_HEAD.length;
    const end = start + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < end) return;
    const body = this.#received.toString('utf8', start, end);
    this.#received = Buffer.alloc(0);
    if (/\r\nconnection: *close/i.test(head)) this.isOpen = false;
    this.#settle({ status: Number(head.slice(9, 12)), head, body });
  }

  #settle(reply: Omit<Reply, 'ms'>): void {
    const answer = this.#answer;
    this.#answer = null;
    answer?.(reply);
  }
}

/** Calls `send` so many times a second, whether the earlier ones have ended or not; resolves when all have. */
export async function openLoop(
  { perSecond, isOver }: { readonly perSecond: number; readonly isOver: () => boolean },
  send: (number: number, dueMs: number) => Promise<void>,
): Promise<void> {
  const startMs = performance.now();
  const underWay = new Set<Promise<void>>();
  for (let number = 0; !isOver();) {
    for (; startMs + (number * 1000) / perSecond <= performance.now(); number++) {
      const sent: Promise<void> = send(number, startMs + (number * 1000) / perSecond).finally(() => {
        underWay.delete(sent);
      });
      underWay.add(sent);
    }
    await sleep(1);
  }
  await Promise.all(underWay);
}
