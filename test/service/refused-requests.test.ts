/** What a key sends for nothing has limits: requests that are not valid, large bodies without a lookup, uploads that become no batch. */
import { once } from 'node:events';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import fc from '../support/drivers/fast-check.ts';
import { issueKey, setKey } from '../../src/core/keys/keys.ts';
import { KeyBodies } from '../../src/core/http/key-bodies.ts';
import { timesCounted } from '../../src/core/http/refused-requests.ts';
import { refusedLimit } from '../../src/core/limits/limit-words.ts';
import { UPLOADED_MB_PER_DAY, uploadLimit } from '../../src/features/batches/routes/create.ts';
import { AppError } from '../../src/messages/problems.ts';
import type { ProblemDocument } from '../../src/messages/wire/problem.ts';
import { openSocket } from '../support/drivers/client-socket.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { until } from '../support/drivers/patience.ts';
import { refusedBodies } from '../support/material/refused-bodies.ts';
import { given } from '../support/drivers/given.ts';

const good = { address: '1 Main St, Sampleton, ON' };

/** Refused requests that a key may have in ten minutes when it may make no more lookups. */
const MOST = 600;

/** All refused requests of ten minutes but one. */
async function allButOne({ services, keyId }: FrontEnd): Promise<void> {
  await services.quotas.of(refusedLimit).spend(keyId, MOST, MOST - 1);
}

/** Sends a header alone, and gives what comes back before any of the body. */
async function beforeBody(front: FrontEnd, path: string, bytes: number, ...lines: string[]): Promise<string> {
  const socket = await openSocket(front.url);
  const type = path === '/api/batches' ? 'text/csv' : 'application/json';
  const head = [
    ...[`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${front.key}`, `Content-Type: ${type}`],
    ...[`Content-Length: ${bytes}`, 'Expect: 100-continue', ...lines],
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const answer = String((await once(socket, 'data'))[0]);
  socket.destroy();
  return answer;
}

const ASKED = 'HTTP/1.1 100 Continue\r\n\r\n';
const REFUSED = /^HTTP\/1.1 429 [^]*"reason":"REFUSED_REQUESTS"/;

/** A request is counted with its answer, or right behind it: one or two more see that. */
const MOST_TRIES = 20;

/** Expects that soon no body of the key is read. */
async function expectRefused(front: FrontEnd, path: string): Promise<void> {
  let answer = '';
  for (let tries = 0; tries < MOST_TRIES && !REFUSED.test(answer); tries++) answer = await beforeBody(front, path, 50);
  expect(answer).to.match(REFUSED);
}

const post = ({ url }: FrontEnd, key: string, path: string, body: string | Uint8Array, headers = {}) =>
  fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  });

const mcp = { accept: 'application/json, text/event-stream' };
const callWith = (params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });

describe('A body that has too much in it', () => {
  for (const path of ['/api/lookup/area', '/mcp', '/api/compare'])
    given('agents', 'areas', 'compare').it(`is refused before it is parsed, at ${path}`, async () => {
      await using front = await startFrontEnd();
      // None of them is JSON: whoever parses them says so.
      for (const [what, much] of Object.entries({
        levels: '['.repeat(60),
        values: `[${'1,'.repeat(30_000)}`,
        texts: `{${'"a":1,'.repeat(5000)}`,
      })) {
        const refused = await post(front, front.key, path, `{"geometry":${much}`, mcp);
        const { reason, detail } = (await refused.json()) as ProblemDocument;
        expect([refused.status, reason], path).to.deep.equal([400, 'INVALID']);
        expect(detail).to.include(what);
      }
    });
});

describe('A key that has too many requests refused', () => {
  const causes: Readonly<Record<string, (front: FrontEnd) => Promise<unknown>>> = {
    'a body that is not valid': (front) => front.post({ address: '' }),
    'a body that is no JSON': (front) => front.post('{'),
    'another type': (front) => front.post('x', { 'content-type': 'text/plain' }),
    'arguments of a tool': (front) =>
      post(front, front.key, '/mcp', callWith({ name: 'lookup_address', arguments: { x: 1 } }), mcp),
    'a message that is none': (front) => post(front, front.key, '/mcp', '{}', mcp),
    'a call whose answer it would not take': (front) =>
      post(front, front.key, '/mcp', callWith({ name: 'lookup_address', arguments: good }), { accept: 'text/html' }),
    'a call that is a notification': (front) =>
      post(front, front.key, '/mcp', callWith({ name: 'lookup_address', arguments: good }).replace('"id":1,', ''), mcp),
    'arguments that are no object': (front) =>
      post(front, front.key, '/mcp', callWith({ name: 'lookup_address', arguments: [good] }), mcp),
    'an upload that is not valid': (front) =>
      post(front, front.key, '/api/batches', 'x\n', { 'content-type': 'text/csv' }),
  };
  for (const [cause, send] of Object.entries(causes)) {
    given('agents', 'areas', 'batches').it(`gets 429 before its next body is read: ${cause}`, async () => {
      await using front = await startFrontEnd({ rateLimitPerHour: 1 });
      await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 10 } });
      await allButOne(front);
      expect(await beforeBody(front, '/api/lookup', 50)).to.equal(ASKED);
      await send(front);
      for (const path of ['/api/lookup', '/api/lookup/area', '/mcp', '/api/account/keys', '/api/batches'])
        await expectRefused(front, path);
      const { key } = await issueKey(front.store, { name: 'another' });
      expect((await post(front, key, '/api/lookup', JSON.stringify(good))).status).to.equal(200);
    });
  }

  it('says when it may go on', async () => {
    await using front = await startFrontEnd({ rateLimitPerHour: 1 });
    await allButOne(front);
    await front.post({});
    await expectRefused(front, '/api/lookup');
    const refused = await front.post(good);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 600);
    const { reason, detail } = (await refused.json()) as { reason: string; detail: string };
    expect(reason).to.equal('REFUSED_REQUESTS');
    expect(detail).to.match(
      /^this key may have 600 requests refused as not valid in ten minutes, and has reached that: correct what it sends\. Until \d\d:\d\d:\d\d UTC no body of it is read/,
    );
  });

  given('areas').it('has the rest of its bodies read slowly', async () => {
    await using front = await startFrontEnd({ rateLimitPerHour: 1, limits: { requestTimeout: 600 } });
    await allButOne(front);
    await front.post({});
    await expectRefused(front, '/api/lookup/area');
    const socket = await openSocket(front.url);
    socket.resume();
    const head = ['POST /api/lookup/area HTTP/1.1', 'Host: x', `Authorization: Bearer ${front.key}`];
    socket.write(`${head.join('\r\n')}\r\nContent-Length: 250000000\r\n\r\n`);
    const chunk = Buffer.alloc(1 << 18, 'x');
    while (!socket.closed) {
      await new Promise((resolve) => {
        socket.once('close', resolve);
        socket.write(chunk, resolve);
      });
      socket.removeAllListeners('close');
    }
    // 64 KiB in 20 ms until the connection is cut after 600 ms, and what the kernel takes: without the pauses it would be all of it.
    expect(socket.bytesWritten).to.be.below(48 << 20);
  });

  it('may have as many as it may make lookups in that time', async () => {
    await using front = await startFrontEnd({ rateLimitPerHour: 6000 });
    await front.services.quotas.of(refusedLimit).spend(front.keyId, 1000, 998);
    expect((await front.post({})).status).to.equal(400);
    expect((await front.post(good)).status).to.equal(200);
    await front.post({});
    await expectRefused(front, '/api/lookup');
  });

  given('suggest').it(
    'is not one that asks for addresses that are not there, or for parameters of other routes',
    async () => {
      const missing = new AppError('ADDRESS_NOT_FOUND', 'no such street is known there', {
        extras: { reason: 'STREET_NOT_FOUND' },
      });
      await using front = await startFrontEnd({ rateLimitPerHour: 600, lookup: () => Promise.reject(missing) });
      await allButOne(front);
      for (let i = 0; i < 20; i++) expect((await front.post(good)).status).to.equal(404);
      const get = () => fetch(`${front.url}/api/suggest?x=1`, { headers: { authorization: `Bearer ${front.key}` } });
      for (let i = 0; i < 5; i++) expect((await get()).status).to.equal(400);
      expect((await front.post(good)).status).to.equal(404);
    },
  );
});

describe('Large bodies that come to no lookup', () => {
  given('areas').it('count as refused for each 64 KiB of them, also of what they are decompressed to', async () => {
    expect([0, 1, 1 << 16, (1 << 16) + 1, 1 << 19].map(timesCounted)).to.deep.equal([1, 1, 1, 2, 8]);
    await using front = await startFrontEnd({ rateLimitPerHour: 1 });
    const left = async () => (await front.services.quotas.of(refusedLimit).peek(front.keyId, MOST)).remaining;
    const text = Buffer.from(JSON.stringify({ geometry: {}, blanks: ' '.repeat(200_000) }));
    const packed = new Uint8Array(gzipSync(text));
    expect((await post(front, front.key, '/api/lookup/area', packed, { 'content-encoding': 'gzip' })).status).to.equal(
      400,
    );
    await until(async () => (await left()) === MOST - timesCounted(text.length + packed.length));
    expect(MOST - (await left())).to.equal(4);
  });

  given('areas').it('count by what came of them when they cannot be decompressed', async () => {
    await using front = await startFrontEnd({ rateLimitPerHour: 1 });
    const left = async () => (await front.services.quotas.of(refusedLimit).peek(front.keyId, MOST)).remaining;
    const whole = gzipSync(Buffer.from(JSON.stringify({ blanks: ' '.repeat(300_000) })));
    // Two within a second, which may be ten times: the next body is read all the same.
    for (const broken of [whole.subarray(0, 100), Buffer.from('no gzip')]) {
      const answer = await post(front, front.key, '/api/lookup/area', new Uint8Array(broken), {
        'content-encoding': 'gzip',
      });
      expect([answer.status, ((await answer.json()) as ProblemDocument).reason]).to.deep.equal([
        400,
        'BODY_INCOMPLETE',
      ]);
    }
    await until(async () => (await left()) === MOST - 2);
    expect(await beforeBody(front, '/api/lookup/area', 200_000)).to.equal(ASKED);
  });

  given('areas').it('are smaller when they are compressed', async () => {
    await using front = await startFrontEnd();
    const send = async (encoding: string, body: Buffer): Promise<string> => {
      const headers = { 'content-encoding': encoding };
      const { key } = await issueKey(front.store, { name: encoding });
      const answer = await post(front, key, '/api/lookup/area', new Uint8Array(body), headers);
      return ((await answer.json()) as { detail: string }).detail;
    };
    const blanks = (bytes: number): Buffer => Buffer.from(`{"x":[${' '.repeat(bytes)}]}`);
    expect(await send('gzip', Buffer.alloc(160 * 1024 + 1))).to.equal(
      'the body is larger than 160 KiB: without Content-Encoding it may have 512',
    );
    expect(await send('br', brotliCompressSync(blanks(260 * 1024)))).to.equal(
      'the body is larger than 256 KiB: without Content-Encoding it may have 512',
    );
    for (const [encoding, body] of [
      ['br', brotliCompressSync(blanks(250 * 1024))],
      ['gzip', gzipSync(blanks(500 * 1024))],
      ['zstd', zstdCompressSync(blanks(500 * 1024))],
    ] as const)
      expect(await send(encoding, body), encoding).to.equal('the body must not have the member "x"');
  });

  given('areas', 'compare').it('are parsed ten times a second, however many come at once', async () => {
    await using front = await startFrontEnd();
    const bodies = refusedBodies.filter(({ path, body }) => path !== '/mcp' && body.length > 16_384);
    const startMs = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => {
        const { path, body, headers } = bodies[n % bodies.length]!;
        return post(front, front.key, path, new Uint8Array(body), headers);
      }),
    );
    const seconds = Math.ceil((performance.now() - startMs) / 1000);
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).to.satisfy((set: Set<number>) =>
      [...set].every((status) => status === 400 || status === 429),
    );
    expect(statuses.filter((status) => status === 400).length).to.be.within(1, 10 * (seconds + 1));
  });

  given('areas').it('are not read of a key that has nothing left, unless it may get an earlier answer', async () => {
    await using front = await startFrontEnd({ rateLimitPerHour: 1 });
    expect(await beforeBody(front, '/api/lookup/area', 200_000)).to.equal(ASKED);
    await front.post(good);
    const refused = await beforeBody(front, '/api/lookup/area', 200_000);
    expect(refused)
      .to.match(/^HTTP\/1.1 429 [^]*"reason":"PER_HOUR"/)
      .and.to.match(/\r\nRateLimit: "lookup";r=0;/i);
    expect(await beforeBody(front, '/api/lookup/area', 200_000, 'Idempotency-Key: a')).to.equal(ASKED);
    expect(await beforeBody(front, '/api/lookup', 50)).to.equal(ASKED);
  });

  given('areas').it('are not read of a key that has used its month', async () => {
    await using front = await startFrontEnd();
    await setKey(front.store, front.keyId, { limits: { budgetPerMonth: 1 } });
    await front.post(good);
    await front.post(good);
    expect(await beforeBody(front, '/api/lookup/area', 200_000)).to.match(/^HTTP\/1.1 429 [^]*"reason":"PER_MONTH"/);
  });

  given('agents', 'areas').it(
    'are refused before they are read when too many bytes of the key, or of all, are under way',
    async () => {
      const bodies = new KeyBodies({ mostBytes: 300_000, mostBytesOfKey: 200_000 });
      await using front = await startFrontEnd({ overrides: { bodies } });
      const socket = await openSocket(front.url);
      const head = `POST /api/lookup/area HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${front.key}\r\n`;
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 150000\r\n\r\n{`);
      await until(() => bodies.bytes === 150_000);
      for (const path of ['/api/lookup/area', '/mcp'])
        expect(await beforeBody(front, path, 60_000)).to.match(/^HTTP\/1.1 429 [^]*"reason":"AT_ONCE"/);
      expect((await front.post(good)).status).to.equal(200);
      socket.destroy();
      await until(() => bodies.bytes === 0);
      expect(await beforeBody(front, '/mcp', 60_000)).to.equal(ASKED);
    },
  );
});

describe('Uploads that become no batch', () => {
  given('batches').it('count by their bytes, and then are not read', async () => {
    await using front = await startFrontEnd();
    await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 10 } });
    const quota = front.services.quotas.of(uploadLimit);
    const left = async () => (await quota.peek(front.keyId, UPLOADED_MB_PER_DAY)).remaining;
    const upload = (text: string) => post(front, front.key, '/api/batches', text, { 'content-type': 'text/csv' });
    expect((await upload('address\na\n')).status).to.equal(202);
    expect(await left()).to.equal(UPLOADED_MB_PER_DAY);
    // More rows than the day allows, which its end alone says.
    expect((await upload(`address\n${'\n'.repeat(2_500_000)}${'a\n'.repeat(10)}`)).status).to.equal(429);
    expect(await left()).to.equal(UPLOADED_MB_PER_DAY - 3);
    await quota.spend(front.keyId, UPLOADED_MB_PER_DAY, UPLOADED_MB_PER_DAY - 4);
    expect((await upload(`address\n${'\n'.repeat(5_000_000)}`)).status).to.equal(400);
    expect(await beforeBody(front, '/api/batches', 50)).to.match(REFUSED);
  });
});

describe('A refusal repeats of a name or a value', () => {
  const texts = fc.string({
    unit: fc.constantFrom('a', 'é', '"', ' ', '/', '~', '.', '[', '😀', ','),
    minLength: 3000,
    maxLength: 7000,
  });
  given('account', 'agents', 'areas', 'batches', 'suggest').it(
    'no more than its beginning, in all routes and queries',
    async () => {
      await using front = await startFrontEnd({ rateLimitPerHour: 1_000_000 });
      await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 10 } });
      const tool = (name: string, args: object) => callWith({ name, arguments: args });
      await fc.assert(
        fc.asyncProperty(texts, async (text) => {
          const name = encodeURIComponent(text)
            .slice(0, 12_000)
            .replace(/%[\dA-F]?$/, '');
          const csv = { 'content-type': 'text/csv' };
          const bodies: readonly (readonly [path: string, body: string, headers?: Record<string, string>])[] = [
            ...['/api/lookup', '/api/lookup/point', '/api/lookup/area', '/api/account/keys'].map(
              (path) => [path, JSON.stringify({ [text]: 1 })] as const,
            ),
            ['/api/lookup/area', JSON.stringify({ geometry: { type: 'Polygon', coordinates: [], [text]: 1 } })],
            ['/mcp', tool('lookup_address', { [text]: 1 }), mcp],
            ['/mcp', tool('lookup_area', { [text]: 1 }), mcp],
            ['/mcp', tool('suggest_address', { [text]: 1 }), mcp],
            ['/mcp', tool('list_layers', { layer: text }), mcp],
            ['/mcp', tool('lookup_address', { ...good, layers: text }), mcp],
            [`/api/lookup?${name}=1`, JSON.stringify(good)],
            [`/api/lookup?layers=${name}`, JSON.stringify(good)],
            [`/api/batches?address_columns=${name}`, 'address\na\n', csv],
            ['/api/batches', `${text}\na\n`, csv],
          ];
          for (const [path, body, headers] of bodies) {
            const answer = await (await post(front, front.key, path, body, headers)).text();
            expect(answer.length, path.slice(0, 30)).to.be.below(3000);
            const { param = '' } = JSON.parse(answer) as ProblemDocument;
            expect(param.length, path.slice(0, 30)).to.be.at.most(110);
          }
        }),
        { seed: 20_261_126, numRuns: 8 },
      );
    },
  );
});
