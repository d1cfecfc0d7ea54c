/** What the sample configurations of the proxies do about their clients: TLS, true addresses, and those that are slow. */
import { expect } from 'chai';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSocket, readToEnd, statusesIn } from '../support/drivers/client-socket.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { expectAnswers, untilSucceeds } from '../support/drivers/patience.ts';
import { startProxy, type Proxy, type ProxyKind } from '../support/drivers/proxies.ts';

const HSTS = 'max-age=31536000; includeSubDomains';
const FILE = '/vendor/swagger-ui/swagger-ui-bundle.js';
const OTHER = '127.0.0.200';

/** Requests of one address at a time, before it gets 429. nginx counts those whose header is there; HAProxy counts connections. */
const PER_ADDRESS: Readonly<Record<ProxyKind, number>> = { haproxy: 100, nginx: 64 };
/** Lookups that the processes take through the proxy at a time. */
const PLACES: Readonly<Record<ProxyKind, number>> = { haproxy: 128, nginx: 256 };
/** Time in ms between two bytes of a body, with limits of 1 s: nginx has no limit for the whole body. */
const BODY_DRIP_MS: Readonly<Record<ProxyKind, number>> = { haproxy: 200, nginx: 1800 };

function lookup(proxy: Proxy, front: FrontEnd, localAddress?: string) {
  const headers = { authorization: `Bearer ${front.key}`, 'content-type': 'application/json' };
  return proxy.fetch(
    '/api/lookup',
    { method: 'POST', headers, body: '{"address":"1 Main St, Toronto, ON"}' },
    localAddress,
  );
}

/** Opens connections that send the beginning of a request, from one address after another. */
function open(proxy: Proxy, text: string, { count, addresses = 1 }: { count: number; addresses?: number }) {
  return Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const socket = await openSocket(proxy.url, { ca: proxy.ca, localAddress: `127.0.0.${1 + (number % addresses)}` });
      socket.write(text);
      return socket;
    }),
  );
}

function close(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

const slowBody = (front: FrontEnd): string =>
  `POST /api/lookup HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${front.key}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{`;

for (const kind of ['haproxy', 'nginx'] as const) {
  describe(`The sample configuration of ${kind}, and clients`, function () {
    this.timeout(240_000);

    it('redirects them to TLS, and tells browsers to use nothing else, also with a refusal', async () => {
      await using front = await startFrontEnd({ maxPending: 1, pending: () => 1 });
      await using proxy = await startProxy(kind, [front.url, front.url]);
      const redirect = await fetch(`${proxy.plainUrl}/docs?x=1`, { redirect: 'manual' });
      expect(redirect.status).to.equal(301);
      expect(redirect.headers.get('location')).to.match(/^https:\/\/127\.0\.0\.1(:\d+)?\/docs\?x=1$/);
      expect((await proxy.fetch('/docs')).headers.get('strict-transport-security')).to.equal(HSTS);
      const refused = await lookup(proxy, front);
      expect([refused.status, refused.headers.get('strict-transport-security')]).to.deep.equal([503, HSTS]);
    });

    it("does so beside Debian's own files, whatever the host", async () => {
      await using front = await startFrontEnd();
      await using proxy = await startProxy(kind, [front.url, front.url], { besideDebians: true });
      for (const host of ['land.example', 'www.land.example:80', '203.0.113.7', 'localhost']) {
        const socket = await openSocket(proxy.plainUrl);
        socket.write(`POST /api/lookup HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
        const answer = await readToEnd(socket);
        expect(statusesIn(answer), host).to.deep.equal([301]);
        expect(answer).to.contain(`https://${host.replace(kind === 'nginx' ? ':80' : '', '')}/api/lookup\r\n`);
      }
      const answered = await lookup(proxy, front);
      expect([answered.status, answered.headers.get('strict-transport-security')]).to.deep.equal([200, HSTS]);
    });

    it('tells the service their true address, whatever they write', async () => {
      await using front = await startFrontEnd({ trustProxyHops: 1 });
      await using proxy = await startProxy(kind, [front.url, front.url]);
      const withBadKey = async (forged: string, localAddress: string): Promise<number> => {
        const headers = { authorization: 'Bearer bad', 'x-forwarded-for': forged };
        return (await proxy.fetch('/api/lookup', { method: 'POST', headers }, localAddress)).status;
      };
      for (let n = 0; n < 60; n++) expect(await withBadKey(`10.0.0.${n}`, '127.0.0.1')).to.equal(401);
      expect(await withBadKey('10.0.1.1', '127.0.0.1')).to.equal(429);
      expect(await withBadKey('127.0.0.1', OTHER)).to.equal(401);
    });

    it('gives them documents with the address that has TLS, whatever they write', async () => {
      await using front = await startFrontEnd({ trustProxyHops: 1 });
      await using proxy = await startProxy(kind, [front.url, front.url]);
      for (const forged of ['http', 'ftp']) {
        const page = await proxy.fetch('/docs', { headers: { 'x-forwarded-proto': forged } });
        expect(await page.text()).to.match(/curl -s https:\/\/127\.0\.0\.1(:\d+)?\/api\/lookup /);
      }
    });

    it('closes a connection on which nothing comes without a word, which a browser would take for an answer', async () => {
      await using front = await startFrontEnd();
      await using proxy = await startProxy(kind, [front.url, front.url], { clientSeconds: 1 });
      const { url, ca } = proxy;
      expect(await readToEnd(await openSocket(url, { ca }))).to.equal('');
    });

    it('ends those that send a header or a body slowly, and the service does not hear of them', async () => {
      await using front = await startFrontEnd();
      await using proxy = await startProxy(kind, [front.url, front.url], { clientSeconds: 1 });
      for (const [text, dripMs] of [
        ['GET / HTTP/1.1\r\nX-Slow: ', 200],
        [slowBody(front), BODY_DRIP_MS[kind]],
      ] as const) {
        const [socket] = (await open(proxy, text, { count: 1 })) as [Socket];
        const drip = setInterval(() => socket.write('x'), dripMs);
        const ended = await readToEnd(socket);
        clearInterval(drip);
        expect(statusesIn(ended), text).to.satisfy((all: number[]) => all.every((status) => status === 408));
      }
      expect(front.lines.filter(({ method }) => method === 'POST')).to.deep.equal([]);
    });

    it('ends those that stop reading, and not those that read slowly at first', async () => {
      await using front = await startFrontEnd();
      await using proxy = await startProxy(kind, [front.url, front.url], { clientSeconds: 1 });
      await using patient = await startProxy(kind, [front.url, front.url]);
      const fileBytes = (await (await patient.fetch(FILE)).text()).length;
      const request = `GET ${FILE} HTTP/1.1\r\nHost: x\r\n`;
      const bytesAfter = async (pauseMs: number, through: Proxy): Promise<number> => {
        const [socket] = (await open(through, '', { count: 1 })) as [Socket];
        socket.pause();
        socket.write(`${request}\r\n`.repeat(29) + `${request}Connection: close\r\n\r\n`);
        await sleep(pauseMs);
        const answer = readToEnd(socket);
        socket.resume();
        return (await answer).length;
      };
      const isEnded = async (pauseMs: number): Promise<boolean> => (await bytesAfter(pauseMs, proxy)) < 30 * fileBytes;
      await untilSucceeds(4000, isEnded);
      expect(await bytesAfter(200, patient)).to.be.above(30 * fileBytes);
    });

    it('refuses an address with too many requests, and no other', async () => {
      await using front = await startFrontEnd();
      await using proxy = await startProxy(kind, [front.url, front.url]);
      const held = await open(proxy, slowBody(front), { count: PER_ADDRESS[kind] });
      const ask = async (): Promise<string> => {
        const request = 'GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
        const [another] = (await open(proxy, request, { count: 1 })) as [Socket];
        return readToEnd(another);
      };
      let refused = await ask();
      // A busy proxy has not read all of them yet.
      for (; statusesIn(refused)[0] === 200; refused = await ask())
        held.push(...(await open(proxy, slowBody(front), { count: 10 })));
      expect(statusesIn(refused)).to.deep.equal([429]);
      expect(refused.toLowerCase())
        .to.contain('\r\nretry-after: 1\r\n')
        .and.contain(`\r\nstrict-transport-security: ${HSTS.toLowerCase()}\r\n`);
      expect(refused).to.match(/"instance":"urn:land-lookup:request:[\da-f-]{32,36}","code":"RATE_LIMITED"/);
      expect((await lookup(proxy, front, OTHER)).status).to.equal(200);
      close(held);
      while ((await lookup(proxy, front, '127.0.0.1')).status === 429) await sleep(100);
      expect((await lookup(proxy, front, '127.0.0.1')).status).to.equal(200);
    });

    it('keeps slow bodies away from the places of lookups', async () => {
      await using front = await startFrontEnd();
      await using proxy = await startProxy(kind, [front.url, front.url]);
      const held = await open(proxy, slowBody(front), { count: PLACES[kind] + 20, addresses: 10 });
      await expectAnswers(() => lookup(proxy, front, OTHER));
      close(held);
    });
  });
}

describe('The sample configuration of haproxy', function () {
  this.timeout(240_000);

  // nginx has a disk for what is not read.
  it('keeps slow readers of files away from the places of lookups', async () => {
    const readTimeoutMs = 600_000;
    await using front = await startFrontEnd({ limits: { readTimeoutMs } });
    await using proxy = await startProxy('haproxy', [front.url, front.url]);
    // More than what the kernel keeps of a connection.
    const files = `GET ${FILE} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(3);
    const held = await open(proxy, files, { count: PLACES.haproxy + 20, addresses: 10 });
    await sleep(3000);
    await expectAnswers(() => lookup(proxy, front, OTHER));
    close(held);
  });
});
