import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import S3rver from 's3rver';
import type { BucketConfig } from '../../../src/settings/setting-groups.ts';
import { temporaryFolder } from '../drivers/folder.ts';

/**
 * How an object store fails (Amazon's "Error responses" and "Error best practices"): it asks to slow down, says that it is broken, accepts a connection and
 * says nothing, loses a connection in the middle of a body (nothing is stored then), stores an object but loses the answer, breaks off an answer, stops in
 * the middle of one, or is full (stores other than Amazon's: 507, or 403 QuotaExceeded).
 */
export type StoreFault =
  | 'slow down'
  | 'internal'
  | 'silent'
  | 'cut request'
  | 'cut after'
  | 'cut answer'
  | 'stalled answer'
  | 'full'
  | 'quota';

/** A server with the interface of Amazon S3 that was written by others, behind a proxy that breaks requests. */
export class ObjectStore implements AsyncDisposable {
  /** Says what is wrong with a request; null: nothing. */
  fault: (asked: { readonly method: string; readonly path: string }) => StoreFault | null = () => null;
  /** Requests since the start. */
  requests = 0;
  readonly #folder = temporaryFolder();
  readonly #store: S3rver;
  readonly #proxy: Server;
  #storePort = 0;

  private constructor(directory?: string) {
    const place = { address: '127.0.0.1', port: 0, silent: true, vhostBuckets: false };
    this.#store = new S3rver({
      ...place,
      directory: directory ?? this.#folder.path,
      configureBuckets: [{ name: 'batches' }],
    });
    this.#proxy = createServer((asked, answer) => {
      this.#pass(asked, answer);
    });
  }

  /** @param directory in which another one left its objects. */
  static async start(directory?: string): Promise<ObjectStore> {
    const server = new ObjectStore(directory);
    server.#storePort = (await server.#store.run()).port;
    server.#proxy.listen(0, '127.0.0.1');
    await once(server.#proxy, 'listening');
    return server;
  }

  get bucket(): BucketConfig {
    const { port } = this.#proxy.address() as AddressInfo;
    return {
      ...{
        name: 'batches',
        prefix: 'of/tests',
        endpoint: `http://127.0.0.1:${port}`,
        region: 'us-east-1',
        pathStyle: true,
      },
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proxy.closeAllConnections();
    this.#proxy.close();
    await this.#store.close();
    this.#folder[Symbol.dispose]();
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    this.requests++;
    const fault = this.fault({ method: asked.method ?? '', path: asked.url ?? '' });
    if (fault === 'silent') return;
    if (fault !== null && fault in errors) {
      asked.resume();
      asked.on('end', () => {
        sendError(answer, errors[fault as keyof typeof errors]);
      });
      return;
    }
    const forwarded = request({
      ...{ host: '127.0.0.1', port: this.#storePort, method: asked.method, path: asked.url, headers: asked.headers },
    });
    // The socket: a request that has arrived whole leaves it open when it is destroyed.
    const cut = (): unknown => asked.socket.destroy();
    forwarded.on('error', cut);
    if (fault === 'cut request') {
      asked.once('data', () => {
        forwarded.destroy();
        cut();
      });
      asked.once('end', cut);
      return;
    }
    forwarded.on('response', (stored) => {
      if (fault === 'cut after') {
        stored.resume();
        cut();
        return;
      }
      answer.writeHead(stored.statusCode ?? 500, stored.headers);
      if (fault === 'cut answer' || fault === 'stalled answer')
        stored.once('data', (part: Buffer) =>
          answer.write(part.subarray(0, part.length / 2), () => fault === 'cut answer' && cut()),
        );
      else stored.pipe(answer);
    });
    asked.pipe(forwarded);
  }
}

interface StoreError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const errors = {
  'slow down': { status: 503, code: 'SlowDown', message: 'Please reduce your request rate.' },
  internal: { status: 500, code: 'InternalError', message: 'We encountered an internal error. Please try again.' },
  full: {
    status: 507,
    code: 'XMinioStorageFull',
    message: 'Storage backend has reached its minimum free drive threshold.',
  },
  quota: { status: 403, code: 'QuotaExceeded', message: 'The quota set for the bucket is used up.' },
} as const satisfies Partial<Record<StoreFault, StoreError>>;

function sendError(answer: ServerResponse, { status, code, message }: StoreError): void {
  answer.writeHead(status, { 'Content-Type': 'application/xml' });
  answer.end(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message><RequestId>1</RequestId></Error>`,
  );
}
