import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a request is answered with. */
export interface Reply {
  readonly status?: number;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown;
  readonly delayMs?: number;
  /** Half of the answer, then the connection ends. */
  readonly isCut?: boolean;
}

/** A geocoding service on a port of its own that answers what a test tells it to. */
export class GeocoderServer implements AsyncDisposable {
  readonly asked: URL[] = [];
  /** The header `traceparent` of each request. */
  readonly traces: (string | undefined)[] = [];
  connections = 0;
  /** Asked for each request, with its number from 1. */
  reply: (call: number) => Reply = () => ({ status: 500 });
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((req, res) => {
      this.asked.push(new URL(req.url ?? '/', this.url));
      this.traces.push(req.headers['traceparent'] as string | undefined);
      const { status = 200, body = '', delayMs = 0, isCut = false } = this.reply(this.asked.length);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      void sleep(delayMs, null, { ref: false }).then(() => {
        res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
        if (isCut) res.write(text.slice(0, text.length / 2), () => req.socket.destroy());
        else res.end(text);
      });
    });
    this.#server.on('connection', () => this.connections++);
  }

  static async start(): Promise<GeocoderServer> {
    const server = new GeocoderServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
