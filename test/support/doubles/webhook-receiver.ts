/** A receiver of webhooks on loopback, which fails in every way, and a verification of signatures written from the specification alone. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

export type Manner = (res: ServerResponse, received: ReceivedWebhook, req: IncomingMessage) => void;

export const manners = {
  accepts: (res) => res.writeHead(204).end(),
  'answers 500': (res) => res.writeHead(500).end('no'),
  'answers 302 to an internal address': (res, _received, req) =>
    res.writeHead(302, { location: `http://127.0.0.1:${req.socket.localPort}/inside` }).end(),
  'answers 410': (res) => res.writeHead(410).end(),
  'resets the connection': (_res, _received, req) => req.socket.resetAndDestroy(),
  hangs: () => undefined,
  'trickles bytes of a header': (res) => {
    const timer = setInterval(() => res.socket?.write('x'), 20);
    res.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
    res.on('close', () => {
      clearInterval(timer);
    });
  },
  'answers 200 with an endless body': (res) => {
    res.writeHead(200);
    const fill = (): void => {
      while (!res.destroyed && res.write(Buffer.alloc(65_536))) continue;
      if (!res.destroyed) res.once('drain', fill);
    };
    fill();
  },
  'sends informational answers without end': (res) => {
    const timer = setInterval(() => res.socket?.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
    res.on('close', () => {
      clearInterval(timer);
    });
  },
  'answers what is no HTTP': (res) => res.socket?.end('SSH-2.0-OpenSSH_9.2\r\n'),
  'ends the connection at once': (res) => res.socket?.end(),
} as const satisfies Readonly<Record<string, Manner>>;

/** An HTTP server that keeps what it gets. */
export class WebhookReceiver implements AsyncDisposable {
  readonly received: ReceivedWebhook[] = [];
  /** By path; `accepts` for others. */
  readonly manners = new Map<string, Manner>();
  readonly #server = createServer((req, res) => {
    void this.#take(req, res);
  });

  static async start(host = '127.0.0.1'): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, host);
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string, host = '127.0.0.1'): string {
    return `http://${host}:${this.port}${path}`;
  }

  /** Requests to one path. */
  at(path: string): ReceivedWebhook[] {
    return this.received.filter((one) => one.path === path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    res.on('error', () => undefined);
    req.on('error', () => undefined);
    const pieces: Buffer[] = [];
    try {
      for await (const piece of req) pieces.push(piece as Buffer);
    } catch {
      return;
    }
    const { url = '', method = '', headers } = req;
    const received = { path: url, method, headers, body: Buffer.concat(pieces).toString(), atMs: Date.now() };
    this.received.push(received);
    (this.manners.get(url) ?? manners.accepts)(res, received, req);
  }
}

const TOLERANCE_S = 300;

/**
 * Verifies a webhook as the specification says: HMAC-SHA256 over `id.timestamp.body` with the decoded secret, one of the signatures of version 1 must be
 * the same. Returns how many signatures there are. @throws Error when it is not genuine.
 */
export function verifyWebhook({ headers, body }: Pick<ReceivedWebhook, 'headers' | 'body'>, secret: string): number {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  ) as [string, string, string];
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) {
    throw new Error(`the timestamp "${timestamp}" is missing or old`);
  }
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const given = signatures.split(' ').map((signature) => signature.split(',') as [string, string]);
  const isGenuine = given.some(([version, signature]) => {
    const bytes = Buffer.from(signature, 'base64');
    return version === 'v1' && bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
  if (!isGenuine) throw new Error('no signature is right');
  return given.length;
}
