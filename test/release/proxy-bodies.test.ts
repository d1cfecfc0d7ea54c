/** Bodies through the sample configurations of the proxies: the largest and the slowest of each route, and refusals while a body comes. */
import { expect } from 'chai';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setKey } from '../../src/core/keys/keys.ts';
import { notingRelay } from '../support/doubles/noting-relay.ts';
import { openSocket, readToEnd, statusesIn } from '../support/drivers/client-socket.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { expectAnswers, until } from '../support/drivers/patience.ts';
import { startProxy, type Proxy } from '../support/drivers/proxies.ts';
import { startSignupSide } from '../support/drivers/signup.ts';
import { uploadClients } from '../support/drivers/upload-clients.ts';
import { ADDRESS, headersOf, KIB, padded, routesWithBody, sendSlowly } from '../support/drivers/slow-bodies.ts';

/** Time in ms over which a slow client sends a body. */
const BODY_MS = 3000;

for (const kind of ['haproxy', 'nginx'] as const) {
  describe(`The sample configuration of ${kind}, and bodies`, function () {
    this.timeout(240_000);

    it('takes the largest of each route, and lets the service say what is larger', async () => {
      await using side = await startSignupSide();
      const { front } = side;
      await setKey(front.store, front.keyId, { customer: 'cus_1' });
      await using proxy = await startProxy(kind, [front.url, front.url]);
      const client = uploadClients['undici']!;
      for (const { method, path, content, mostBytes, status } of routesWithBody) {
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

    it('holds a slow body of each route until all of it has come', async () => {
      await using side = await startSignupSide();
      const { front } = side;
      await setKey(front.store, front.keyId, { customer: 'cus_1' });
      await using relay = await notingRelay(front.url);
      await using proxy = await startProxy(kind, [relay.url, relay.url]);
      const early: string[] = [];
      const statuses = await Promise.all(
        routesWithBody.map((route) => {
          const beforeLast = (): void => void early.push(...relay.heard.filter((path) => path === route.path));
          return sendSlowly(proxy, side, route, { ms: BODY_MS, beforeLast });
        }),
      );
      expect(statuses).to.deep.equal(routesWithBody.map(({ status }) => [status]));
      expect(early).to.deep.equal([]);
      expect(relay.heard).to.include.members(routesWithBody.map(({ path }) => path));
    });

    it('keeps slow areas away from the places of lookups', async () => {
      await using front = await startFrontEnd();
      await using proxy = await startProxy(kind, [front.url, front.url]);
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
      await using relay = await notingRelay(front.url);
      await using proxy = await startProxy(kind, [relay.url, relay.url]);
      const isHeard = (): Promise<void> => until(() => relay.heard.includes('/api/batches'));
      expect(await upload(proxy, front, { bytes: 100_000, beforeLast: isHeard })).to.deep.equal([202]);
      expect(await upload(proxy, front, { bytes: 256_000_000 })).to.deep.equal([202]);
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

interface UploadOptions {
  readonly bytes: number;
  /** Called when nine tenths are sent. */
  readonly beforeLast?: () => Promise<void>;
}

/** Uploads rows of 510 bytes. @returns the statuses of the answer. */
async function upload({ url, ca }: Proxy, { key }: FrontEnd, { bytes, beforeLast }: UploadOptions) {
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
    if (n === pieces) await beforeLast?.();
    const upTo = Math.floor((rows * n) / pieces);
    for (; sent < upTo; sent += 1000) {
      const text = row.repeat(Math.min(1000, upTo - sent));
      if (!socket.write(text)) await new Promise((resolve) => socket.once('drain', resolve));
    }
    sent = upTo;
  }
  return statusesIn(await answer);
}
