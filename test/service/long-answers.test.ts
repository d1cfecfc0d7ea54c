/** Answers that are made for one client and not read. What they cost: `make stress NAME=downloads`. */
import { expect } from 'chai';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setKey } from '../../src/core/keys/keys.ts';
import { noRows } from '../../src/features/batches/rows/row.ts';
import { loadFeatures } from '../../src/features.ts';
import { routesOf } from '../../src/core/http/routes.ts';
import { readExamples } from '../../src/core/http/service-documents.ts';
import { openSocket } from '../support/drivers/client-socket.ts';
import { okAnswer, startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { until } from '../support/drivers/patience.ts';
import { anySnapshot, noBill } from '../features/batches/machine-store.ts';
import { foundLine } from '../features/batches/stored-results.ts';
import { given } from '../support/drivers/given.ts';

/** More than the kernel takes of a connection that nobody reads. */
const LONG = 32 * 1024 * 1024;

/** Connections whose answers have begun and are not read. */
class Unread implements Disposable {
  readonly #sockets: Socket[] = [];

  async add(front: FrontEnd, count: number, request: string): Promise<void> {
    for (let i = 0; i < count; i++) {
      const socket = await openSocket(front.url);
      this.#sockets.push(socket);
      // No more of an answer is read than its first bytes.
      const begun = once(socket, 'readable');
      socket.write(request);
      await begun;
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

const limits = { readTimeoutMs: 600_000 };

describe('Long answers', function () {
  this.timeout(240_000);

  it('have a place among few at each route whose answers may be long, and every other route is known to be short', async () => {
    const routes = routesOf(await loadFeatures());
    const pathsOf = (isLong: boolean): string[] =>
      routes.filter((one) => (one.takesPlace !== undefined) === isLong).map(({ method, path }) => `${method} ${path}`);
    expect(pathsOf(true)).to.deep.equal([
      'get /api/batches',
      'get /api/batches/:id/results',
      'get /api/webhooks/deliveries',
    ]);
    // A new route belongs here only if none of its answers has more than 64 KiB, or all clients share one copy of it.
    expect(pathsOf(false)).to.deep.equal([
      ...['get /api/rules', 'get /api/vintages', 'post /api/compare'],
      ...[
        'get /api/examples',
        'get /api/examples/:outcome',
        'get /api/suggest',
        'post /api/coverage',
        'post /api/batches',
      ],
      ...['get /api/batches/:id', 'delete /api/batches/:id', 'post /api/batches/:id/cancel'],
      ...['post /api/webhooks/deliveries/:id/resend', 'post /api/webhooks/secret'],
      ...['get /api/account', 'patch /api/account', 'get /api/account/usage', 'post /api/account/keys'],
      ...['post /api/account/keys/rotate', 'delete /api/account/keys/:id', 'post /api/account/portal', 'post /mcp'],
      'get /status.json',
    ]);
  });

  given('batches').it(
    'are four downloads at once for a customer, until they are read or their clients are gone',
    async () => {
      await using front = await startFrontEnd({ limits });
      const id = await endedBatch(front, LONG);
      const head = `Host: x\r\nAuthorization: Bearer ${front.key}`;
      const ask = (): Promise<Response> =>
        fetch(`${front.url}/api/batches/${id}/results?after=1999`, {
          headers: { authorization: `Bearer ${front.key}` },
        });
      expect((await ask()).status).to.equal(200);
      {
        // Many on each connection: only the first of them begins.
        const request = `GET /api/batches/${id}/results HTTP/1.1\r\n${head}\r\n\r\n`;
        using unread = new Unread();
        // Again when a slow machine has ended the first ones, because nobody reads them.
        await until(async () => {
          await unread.add(front, 4, request.repeat(50));
          return (await ask()).status === 429;
        });
        const refused = await ask();
        expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '5']);
        expect(await refused.json()).to.include({ code: 'RATE_LIMITED', reason: 'AT_ONCE' });
        expect((await front.post({ address: '1 Main St, Toronto, ON' })).status, 'lookups go on').to.equal(200);
      }
      await until(async () => (await ask()).status === 200);
    },
  );

  it('of lookups count as under way until they are read', async () => {
    const lookup = (task: object) => {
      const isLong = JSON.stringify(task).includes('Long');
      return Promise.resolve(isLong ? { ...okAnswer, json: okAnswer.json + ' '.repeat(LONG) } : okAnswer);
    };
    await using front = await startFrontEnd({ limits, lookup, maxInFlightPerKey: 2 });
    const ask = (): Promise<Response> => front.post({ address: '1 Main St, Toronto, ON' });
    {
      const body = JSON.stringify({ address: '1 Long St, Toronto, ON' });
      const head = `Host: x\r\nAuthorization: Bearer ${front.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      using unread = new Unread();
      await unread.add(front, 2, `POST /api/lookup HTTP/1.1\r\n${head}\r\n\r\n${body}`);
      await until(async () => (await ask()).status === 429);
      expect(await (await ask()).json()).to.include({ code: 'RATE_LIMITED', reason: 'AT_ONCE' });
    }
    await until(async () => (await ask()).status === 200);
  });

  given('batches').it(
    'are made once of a batch that has ended, whoever asks, and are the same bytes then',
    async () => {
      await using front = await startFrontEnd({ limits });
      const id = await endedBatch(front, 1_000_000);
      const read: number[] = [];
      const readResult = front.batches().readResult.bind(front.batches());
      front.batches().readResult = (...asked) => {
        read.push(asked[1]);
        return readResult(...asked);
      };
      for (const format of ['csv', 'geojson', 'parquet']) {
        const get = async (encoding: string): Promise<Buffer> => {
          const headers = { authorization: `Bearer ${front.key}`, 'accept-encoding': encoding };
          const response = await fetch(`${front.url}/api/batches/${id}/results?format=${format}`, { headers });
          return Buffer.from(await response.arrayBuffer());
        };
        const first = await get('gzip');
        expect(read, format).to.deep.equal([0, 1]);
        for (const encoding of ['gzip', 'identity']) expect(first.equals(await get(encoding)), format).to.equal(true);
        expect(read.splice(0), `${format} again`).to.deep.equal([0, 1]);
      }
    },
  );
});

/** A batch of 2,000 rows that has ended, with answers of so many bytes and some more. */
async function endedBatch(front: FrontEnd, bytes: number): Promise<string> {
  const { store, keyId, url, key } = front;
  const batches = front.batches();
  await setKey(store, keyId, { limits: { batchRowsPerDay: 10_000 } });
  const response = await fetch(`${url}/api/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
    body: `address\n${'12 Main St\n'.repeat(2000)}`,
  });
  const { id } = (await response.json()) as { readonly id: string };
  const body = { ...readExamples().lookup, address: 'x'.repeat(bytes / 2000) };
  for (const first of [1, 1001]) {
    const lines = Array.from({ length: 1000 }, (_, i) => `${foundLine(first + i, body)}\n`);
    const chunk = (await batches.take(anySnapshot))!;
    await batches.finish(chunk, { text: lines.join(''), counts: { ...noRows, found: 1000 } }, noBill);
  }
  return id;
}
