import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RefusingProxy extends AsyncDisposable {
  readonly url: string;
  /** `Idempotency-Key` of each POST. */
  readonly idempotencyKeys: readonly (string | string[] | undefined)[];
}

/** A proxy that refuses the first POST as the service refuses a key that is used up, and passes on every other request. */
export async function refusingProxy(target: string, retryAfterS: number): Promise<RefusingProxy> {
  const idempotencyKeys: (string | string[] | undefined)[] = [];
  const problem = { code: 'RATE_LIMITED', title: 'Too many requests', detail: 'this key may make 1 lookup per hour' };
  const server = createServer((req, res) => {
    if (req.method === 'POST' && idempotencyKeys.push(req.headers['idempotency-key']) === 1) {
      res.writeHead(429, { 'Retry-After': retryAfterS, 'Content-Type': 'application/problem+json' });
      req.resume().once('end', () => res.end(JSON.stringify(problem)));
      return;
    }
    const { method, headers } = req;
    const passed = request(target + (req.url ?? ''), { method: method!, headers }, (answer) => {
      answer.pipe(res.writeHead(answer.statusCode!, answer.headers));
    });
    req.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    idempotencyKeys,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
