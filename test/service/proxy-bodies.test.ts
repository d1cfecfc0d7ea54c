/** Bodies through the sample configurations of the proxies: the largest and the slowest of each route, and refusals while a body comes. */
import { expect } from 'chai';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setKey } from '../../src/accounts/keys/keys.ts';
import { openSocket, readToEnd, statusesIn } from '../support/drivers/client-socket.ts';
import { clientOf } from '../support/drivers/billing.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { expectAnswers } from '../support/drivers/patience.ts';
import { startProxy, type Proxy } from '../support/drivers/proxies.ts';
import { startSignupSide, type SignupSide } from '../support/drivers/signup.ts';
import { uploadClients } from '../support/drivers/upload-clients.ts';

const KIB = 1024;
const ADDRESS = '{"address":"1 Main St, Toronto, ON"}';
const SQUARE =
  '{"geometry":{"type":"Polygon","coordinates":[[[-79.3,44.3],[-79.29,44.3],[-79.29,44.31],[-79.3,44.31],[-79.3,44.3]]]}}';
const EVENT = '{"id":"evt_1","object":"event","type":"ping","livemode":false,"data":{"object":{"id":"x"}}}';

interface BodyOf {
  readonly method: string;
  readonly path: string;
  readonly content: string;
  readonly mostBytes: number;
  readonly status: number;
}

/** Each route with a body that it reads as a whole. */
const routes: readonly BodyOf[] = [
  { method: 'POST', path: '/api/lookup', content: ADDRESS, mostBytes: 8 * KIB, status: 200 },
  { method: 'POST', path: '/api/lookup/point', content: '{"lat":44.3,"lon":-79.3}', mostBytes: 8 * KIB, status: 200 },
  { method: 'POST', path: '/api/lookup/area', content: SQUARE, mostBytes: 512 * KIB, status: 200 },
  {
    ...{ method: 'POST', path: '/mcp', mostBytes: 576 * KIB, status: 200 },
    content: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
  },
  { method: 'PATCH', path: '/api/account', content: '{"budgetPerMonth":50000}', mostBytes: 8 * KIB, status: 200 },
  { method: 'POST', path: '/api/account/keys', content: '{"name":"x"}', mostBytes: 8 * KIB, status: 201 },
  { method: 'POST', path: '/webhooks/stripe', content: EVENT, mostBytes: 256 * KIB, status: 204 },
];

/** Time in ms over which a slow client sends the body of a route. */
const bodyMs = ({ mostBytes }: Pick<BodyOf, 'mostBytes'>): number => (mostBytes > 8 * KIB ? 20_000 : 6000);

/** JSON of so many bytes. */
const padded = (content: string, bytes: number): string => content.padEnd(bytes, ' ');

function headersOf({ front, processor }: SignupSide, body: string): Record<string, string> {
  const { secret } = processor.sent;
  const signature = clientOf(processor).webhooks.generateTestHeaderString({ payload: body, secret });
  return {
    ...{ Authorization: `Bearer ${front.key}`, 'Content-Type': 'application/json', 'Stripe-Signature': signature },
    Accept: 'application/json, text/event-stream',
  };
}

/** Sends a body in pieces over some time. @returns the answer. */
async function sendSlowly(proxy: Proxy, side: SignupSide, route: BodyOf, { body, ms }: { body: string; ms: number }) {
  const PIECES = 12;
  const socket = await openSocket(proxy.url, { ca: proxy.ca });
  const lines = Object.entries({
    ...headersOf(side, body),
    'Content-Length': String(body.length),
    Connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const answer = readToEnd(socket);
  socket.write(`${route.method} ${route.path} HTTP/1.1\r\nHost: x\r\n${head}\r\n`);
  const bytes = Math.ceil(body.length / PIECES);
  for (let n = 0; n < PIECES; n++) {
    await sleep(ms / PIECES);
    socket.write(body.slice(n * bytes, (n + 1) * bytes));
  }
  return statusesIn(await answer);
}

for (const kind of ['haproxy', 'nginx'] as const) {
  describe(`The sample configuration of ${kind}, and bodies`, function () {
    this.timeout(240_000);

    it('takes the largest of each route, and lets the service say what is larger', async () => {
      await using side = await startSignupSide();
      const { front } = side;
      await setKey(front.store, front.keyId, { customer: 'cus_1' });
      await using proxy = await startProxy(kind, [front.url, front.url]);
      const client = uploadClients['undici']!;
      for (const { method, path, content, mostBytes, status } of routes) {
        const send = (bytes: number) => {
          const body = padded(content, bytes);
          const upload = {
            url: proxy.url.replace('127.0.0.1', 'localhost') + path,
            method,
            headers: headersOf(side, body),
            ca: proxy.ca,
          };
          return client({ ...upload, body: Buffer.from(body) });
        };
        expect((await send(mostBytes)).status, path).to.equal(status);
        const refused = await send(mostBytes + 1);
        expect(refused.status, path).to.equal(400);
        expect(refused.body, path).to.contain(`"detail":"the body is larger than ${mostBytes / KIB} KiB"`);
      }
    });

    it('holds the slowest of each route until all of it has come', async () => {
      await using side = await startSignupSide();
      const { front } = side;
      await setKey(front.store, front.keyId, { customer: 'cus_1' });
      await using proxy = await startProxy(kind, [front.url, front.url]);
      const statuses = await Promise.all(
        routes.map((route) => {
          const body = padded(route.content, route.mostBytes);
          return sendSlowly(proxy, side, route, { body, ms: bodyMs(route) });
        }),
      );
      expect(statuses).to.deep.equal(routes.map(({ status }) => [status]));
      const heard = front.lines.filter(({ route }) => routes.some(({ path }) => path === route));
      expect(heard).to.have.length(routes.length);
      // From the header at the service to the end of its answer.
      for (const { route, ms } of heard) {
        const { mostBytes } = routes.find(({ path }) => path === route)!;
        expect(ms, String(route)).to.be.below((bodyMs({ mostBytes }) * 5) / 6);
      }
    });

    it('keeps slow areas away from the places of lookups', async () => {
      await using front = await startFrontEnd({ lookupDeadlineMs: 60_000 });
      await using proxy = await startProxy(kind, [front.url, front.url], { clientSeconds: 180 });
      const head = [
        ...['POST /api/lookup/area HTTP/1.1', 'Host: x', `Authorization: Bearer ${front.key}`],
        ...['Content-Type: application/json', 'Content-Length: 500000', '', ''],
      ].join('\r\n');
      // More than the places of lookups, each with more than a lookup has.
      const held: Socket[] = await Promise.all(
        Array.from({ length: 280 }, async (_, n) => {
          const localAddress = `127.0.0.${1 + (n % 10)}`;
          const socket = await openSocket(proxy.url, { ca: proxy.ca, localAddress });
          socket.write(head + ' '.repeat(60_000));
          return socket;
        }),
      );
      await sleep(500);
      const init = {
        method: 'POST',
        headers: { authorization: `Bearer ${front.key}`, 'content-type': 'application/json' },
        body: ADDRESS,
      };
      await expectAnswers(() => proxy.fetch('/api/lookup', init, '127.0.0.200'));
      for (const socket of held) socket.destroy();
    });

    it('passes the largest upload on, and a slow one as it comes', async () => {
      await using front = await startFrontEnd();
      await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 1_000_000 } });
      await using proxy = await startProxy(kind, [front.url, front.url], { serverSeconds: 120 });
      expect(await upload(proxy, front, { bytes: 100_000, ms: 9000 })).to.deep.equal([202]);
      const line = front.lines.find(({ route }) => route === '/api/batches');
      expect(line).to.have.property('ms').above(6000);
      expect(await upload(proxy, front, { bytes: 256_000_000, ms: 0 })).to.deep.equal([202]);
    });

    for (const [name, client] of Object.entries(uploadClients)) {
      it(`lets ${name} read an early refusal`, async () => {
        await using front = await startFrontEnd();
        await using proxy = await startProxy(kind, [front.url, front.url]);
        const url = `${proxy.url.replace('127.0.0.1', 'localhost')}/api/batches`;
        const body = Buffer.alloc(24 << 20, 'x');
        const answer = await client({ url, headers: { 'content-type': 'text/csv' }, body, ca: proxy.ca });
        expect(answer.status).to.equal(401);
        expect(answer.body).to.contain('"code":"UNAUTHORIZED"');
      });
    }
  });
}

/** Uploads rows of 510 bytes. @returns the statuses of the answer. */
async function upload({ url, ca }: Proxy, { key }: FrontEnd, { bytes, ms }: { bytes: number; ms: number }) {
  const row = `${'12 Main St W, Sampleton, ON'.padEnd(509, ' ')}\n`;
  const rows = Math.floor((bytes - 8) / row.length);
  const socket = await openSocket(url, { ca });
  const answer = readToEnd(socket);
  const head = ['POST /api/batches HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, 'Content-Type: text/csv'];
  socket.write(
    [...head, `Content-Length: ${8 + rows * row.length}`, 'Connection: close', '', 'address\n'].join('\r\n'),
  );
  const pieces = 10;
  for (let sent = 0, n = 1; n <= pieces; n++) {
    await sleep(ms / pieces);
    const upTo = Math.floor((rows * n) / pieces);
    for (; sent < upTo; sent += 1000) {
      const text = row.repeat(Math.min(1000, upTo - sent));
      if (!socket.write(text)) await new Promise((resolve) => socket.once('drain', resolve));
    }
    sent = upTo;
  }
  return statusesIn(await answer);
}
