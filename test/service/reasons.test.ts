/** One cause, one word: `reason` and `param` of every failure that a client can tell apart. */
import { batchSettings } from '../../src/features/batches/settings.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { projectDir } from '../../src/project/project.ts';
import { issueKey, setKey } from '../../src/core/keys/keys.ts';
import { fail, unwrap } from '../../src/messages/outcome.ts';
import { unavailable } from '../../src/messages/problems.ts';
import { reasonsOf, unavailableReasons, type UnavailableReason } from '../../src/messages/reasons.ts';
import type { ProblemDocument } from '../../src/messages/wire/problem.ts';
import { roomy, startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { RawClient } from '../support/drivers/raw-http.ts';
import { given } from '../support/drivers/given.ts';

interface Sent {
  readonly method?: string;
  readonly type?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function ask({ url, key }: FrontEnd, path: string, { method = 'POST', type, headers, body }: Sent = {}) {
  const contentType = type === null ? {} : { 'content-type': type ?? 'application/json' };
  return fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...contentType, ...headers },
    ...(body === undefined ? {} : { body: asSent(body) }),
  });
}

function asSent(body: unknown): string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

/** The same front end for another key: what is refused is counted for each. */
async function forNewKey(front: FrontEnd): Promise<FrontEnd> {
  const { key, record } = await issueKey(front.store, { name: 'test' });
  await setKey(front.store, record.id, { limits: { batchRowsPerDay: 10 } });
  return { ...front, key, keyId: record.id };
}

async function told(response: Response): Promise<(string | number | undefined)[]> {
  const { code, reason, param } = (await response.json()) as ProblemDocument;
  return [response.status, code, reason, param];
}

const address = { address: '1 Main St, Sampleton, ON' };
const csv = { type: 'text/csv' };
const ring = [
  [-79.3, 44.2],
  [-79.2, 44.2],
  [-79.2, 'x'],
];

describe('The reason of a refused request', () => {
  let front: FrontEnd;
  before(async () => {
    front = await startFrontEnd();
    await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 10 } });
  });
  after(() => front[Symbol.asyncDispose]());

  const bodies: Readonly<Record<string, readonly [path: string, sent: Sent, param: string]>> = {
    'a member that is missing': ['/api/lookup', { body: {} }, '/address'],
    'a member of another type': ['/api/lookup', { body: { address: 7 } }, '/address'],
    'a blank address': ['/api/lookup', { body: { address: ' ' } }, '/address'],
    'a member that is unknown': ['/api/lookup', { body: { ...address, 'a/b~c': 1 } }, '/a~1b~0c'],
    'a body that is no object': ['/api/lookup', { body: [1] }, ''],
    'a query parameter that is unknown': ['/api/lookup?x=1', { body: address }, 'x'],
    'a value of a query parameter': ['/api/lookup?detail=all', { body: address }, 'detail'],
    'a query parameter without its other': ['/api/lookup?geometry=near', { body: address }, 'geometry'],
    'a number out of range': ['/api/lookup/point', { body: { lat: 91, lon: -79 } }, '/lat'],
    'a position in a ring': [
      '/api/lookup/area',
      { body: { geometry: { type: 'Polygon', coordinates: [ring] } } },
      '/geometry/coordinates/0/2',
    ],
    'a type of geometry': ['/api/lookup/area', { body: { geometry: { type: 'Point' } } }, '/geometry/type'],
    'an Idempotency-Key with a space': [
      '/api/lookup',
      { headers: { 'idempotency-key': 'a b' }, body: address },
      'Idempotency-Key',
    ],
    'a parameter of suggestions': ['/api/suggest?q=a&limit=99', { method: 'GET' }, 'limit'],
    'suggestions of nothing': ['/api/suggest', { method: 'GET' }, 'q'],
    'a page of batches': ['/api/batches?limit=0', { method: 'GET' }, 'limit'],
    'the detail of a batch': ['/api/batches?detail=all', { ...csv, body: 'address\n' }, 'detail'],
    'the receiver of a batch': ['/api/batches?callback_url=x', { ...csv, body: 'address\n' }, 'callback_url'],
    'a day that no calendar has': ['/api/account/usage?from=2026-02-31', { method: 'GET' }, 'from'],
    'a network': ['/api/account', { method: 'PATCH', body: { networks: ['0.0.0.0/0', 'x'] } }, '/networks/1'],
    'a page of deliveries': ['/api/webhooks/deliveries?cursor=x', { method: 'GET' }, 'cursor'],
    'no JSON-RPC message': ['/mcp', { body: [] }, ''],
  };
  for (const [name, [path, sent, param]] of Object.entries(bodies)) {
    given('account', 'agents', 'areas', 'batches', 'maps', 'suggest', 'webhooks').it(
      `is INVALID for ${name}, with its place`,
      async () => {
        expect(await told(await ask(front, path, sent))).to.deep.equal([400, 'BAD_REQUEST', 'INVALID', param]);
      },
    );
  }

  const routes = {
    '/api/lookup': [],
    '/api/lookup/point': [],
    '/api/lookup/area': ['areas'],
    '/mcp': ['agents'],
    '/api/account/keys': ['account'],
  };
  for (const [path, needed] of Object.entries(routes)) {
    given(...needed).it(`is the same for the same cause at ${path}`, async () => {
      const large = { body: 'x'.repeat(600 * 1024) };
      const refused = async (sent: Sent) => told(await ask(await forNewKey(front), path, sent));
      const bad = [400, 'BAD_REQUEST'];
      expect(await refused({ body: '{' })).to.deep.equal([...bad, 'NOT_JSON', '']);
      expect(await refused(large)).to.deep.equal([...bad, 'BODY_TOO_LARGE', undefined]);
      expect(await refused({ type: 'text/plain', body: 'x' })).to.deep.equal([...bad, 'MEDIA_TYPE', 'Content-Type']);
      expect(await refused({ type: 'application/json; charset=latin1', body: {} })).to.deep.equal([
        ...[...bad, 'ENCODING', 'Content-Type'],
      ]);
      const latin1 = await ask(await forNewKey(front), path, {
        body: Buffer.from('{"address":"1 rue de l\'É', 'latin1'),
      });
      const problem = (await latin1.clone().json()) as { readonly detail: string };
      expect(await told(latin1)).to.deep.equal([...bad, 'ENCODING', '']);
      expect(problem.detail).to.equal('the body is not UTF-8, at byte 24 (0xc9): send UTF-8');
      for (const encoding of ['gzip', 'x-gzip', 'deflate', 'br']) {
        const garbled = await refused({ headers: { 'content-encoding': encoding }, body: 'garbled' });
        expect(garbled, encoding).to.deep.equal([...bad, 'BODY_INCOMPLETE', undefined]);
      }
      expect(await refused({ headers: { 'content-encoding': 'compress' }, body: 'x' })).to.deep.equal([
        ...[...bad, 'ENCODING', 'Content-Encoding'],
      ]);
    });
  }

  given('batches').it('is the same for a file', async () => {
    const refused = async (sent: Sent) => told(await ask(await forNewKey(front), '/api/batches', sent));
    const bad = [400, 'BAD_REQUEST'];
    expect(await refused({ body: {} })).to.deep.equal([...bad, 'MEDIA_TYPE', 'Content-Type']);
    expect(await refused({ type: 'text/csv; charset=latin1', body: 'x' })).to.deep.equal([
      ...[...bad, 'ENCODING', 'Content-Type'],
    ]);
    const zipped = {
      ...csv,
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync('address\n1 A St').subarray(0, 20),
    };
    expect(await refused(zipped)).to.deep.equal([...bad, 'BODY_INCOMPLETE', undefined]);
    expect(await refused({ ...csv, headers: { 'content-encoding': 'br' }, body: 'x' })).to.deep.equal([
      ...[...bad, 'ENCODING', 'Content-Encoding'],
    ]);
    expect(await refused({ ...csv, body: 'street\nx' })).to.deep.equal([...bad, 'INVALID', undefined]);
    for (const encoding of ['utf16le', 'latin1'] as const)
      for (const mark of ['', '\ufeff'])
        expect(await refused({ ...csv, body: Buffer.from(`${mark}address\n1 Rue Hébert`, encoding) })).to.deep.equal([
          ...[...bad, 'ENCODING', undefined],
        ]);
  });

  given('batches').it('is BODY_TOO_LARGE for a file too, by its announced length', async () => {
    using client = new RawClient(front.url);
    const head = [
      'POST /api/batches HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n',
      `Authorization: Bearer ${front.key}\r\nContent-Length: 300000000\r\n\r\n`,
    ];
    const [answer] = await client.send({ bytes: Buffer.from(head.join('')), method: 'POST', isFramed: true });
    expect(JSON.parse(answer!.body)).to.include({ status: 413, code: 'TOO_LARGE', reason: 'BODY_TOO_LARGE' });
  });

  it('is the same on all routes for what cannot be read, with the usual words in the status line', async () => {
    const long = 'x'.repeat(17_000);
    const requests = {
      [`POST /api/lookup HTTP/1.1\r\nHost: x\r\nX-Long: ${long}\r\n\r\n`]: 'HEADER_TOO_LARGE',
      [`GET /api/layers?${long} HTTP/1.1\r\nHost: x\r\n\r\n`]: 'HEADER_TOO_LARGE',
      'This is no HTTP\r\n\r\n': 'NOT_HTTP',
    };
    for (const [bytes, reason] of Object.entries(requests)) {
      using client = new RawClient(front.url);
      const [answer] = await client.send({ bytes: Buffer.from(bytes), method: 'GET', isFramed: true });
      expect(JSON.parse(answer!.body)).to.include({ status: 400, code: 'BAD_REQUEST', reason });
    }
  });

  it('says that an Idempotency-Key belongs to another request', async () => {
    const headers = { 'idempotency-key': 'reasons' };
    expect((await ask(front, '/api/lookup', { headers, body: address })).status).to.equal(200);
    const other = await ask(front, '/api/lookup', { headers, body: { address: '2 Main St, Sampleton, ON' } });
    expect(await told(other)).to.deep.equal([400, 'BAD_REQUEST', 'IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key']);
  });
});

describe('The limit of the month', () => {
  it('stands beside that of the hour when it is reached', async () => {
    await using front = await startFrontEnd();
    await setKey(front.store, front.keyId, { limitPerHour: 10, limits: { budgetPerMonth: 2 } });
    const answered = await Promise.all([front.post(address), front.post(address)]);
    for (const { status, headers } of answered) {
      expect(status).to.equal(200);
      expect(headers.get('ratelimit')).to.match(/^"lookup";r=\d+;t=\d+$/);
    }
    for (const refused of [await front.post(address), await front.post(address, { 'idempotency-key': 'a' })]) {
      expect(refused.status).to.equal(429);
      const waitS = refused.headers.get('retry-after')!;
      expect(refused.headers.get('ratelimit')).to.match(/^"lookup";r=8;t=\d+, /);
      expect(refused.headers.get('ratelimit')!.endsWith(`, "month";r=0;t=${waitS}`)).to.equal(true);
      const [, windowS] = /^"lookup";q=10;w=3600, "month";q=2;w=(\d+)$/.exec(refused.headers.get('ratelimit-policy')!)!;
      expect([28, 29, 30, 31].map((days) => days * 86_400)).to.include(Number(windowS));
      expect(Number(waitS)).to.be.within(1, Number(windowS));
    }
  });

  it('is not said twice by a limit of the same name', async () => {
    await using front = await startFrontEnd({ rateLimitPerHour: 1 });
    await front.post(address);
    const refused = await front.post(address);
    expect([refused.status, refused.headers.get('ratelimit-policy')]).to.deep.equal([429, '"lookup";q=1;w=3600']);
  });
});

describe('The reason of a limit', () => {
  const limited: Readonly<Record<string, (front: FrontEnd) => Promise<Response>>> = {
    PER_SECOND: async (front) => {
      await setKey(front.store, front.keyId, { limits: { burstPerS: 1 } });
      return (await Promise.all([1, 2, 3].map(() => front.post(address)))).find(({ status }) => status === 429)!;
    },
    PER_HOUR: async (front) => {
      await front.post(address);
      return front.post(address);
    },
    PER_MONTH: async (front) => {
      await setKey(front.store, front.keyId, { limitPerHour: 10, limits: { budgetPerMonth: 1 } });
      await front.post(address);
      return front.post(address);
    },
    AT_ONCE: async (front) => {
      await setKey(front.store, front.keyId, { limits: { inFlight: 0 } });
      return front.post(address);
    },
    REPEATED_ANSWERS: async (front) => {
      const repeat = () => front.post(address, { 'idempotency-key': 'again' });
      for (let i = 0; i < 6; i++) expect((await repeat()).status).to.equal(200);
      return repeat();
    },
    PER_DAY: async (front) => {
      await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 1 } });
      return ask(front, '/api/batches', { ...csv, body: 'address\na\nb\n' });
    },
    BATCHES_KEPT: async (front) => {
      await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 10 } });
      return ask(front, '/api/batches', { ...csv, body: 'address\na\n' });
    },
    BAD_KEYS: async ({ url }) => {
      const guess = () => fetch(`${url}/api/lookup`, { method: 'POST', headers: { authorization: 'Bearer x' } });
      for (let i = 0; i < 60; i++) await guess();
      return guess();
    },
  };
  for (const [reason, ask] of Object.entries(limited)) {
    given(...(['PER_DAY', 'BATCHES_KEPT'].includes(reason) ? ['batches'] : [])).it(`is ${reason}`, async () => {
      await using front = await startFrontEnd({
        ...{ rateLimitPerHour: 1 },
        ...(reason === 'BATCHES_KEPT'
          ? { ofFeatures: new Map([[batchSettings, { ...roomy, diskBytesPerKey: 1 }]]) }
          : {}),
      });
      const refused = await ask(front);
      expect(Number(refused.headers.get('retry-after'))).to.be.above(0);
      expect(await told(refused)).to.deep.equal([429, 'RATE_LIMITED', reason, undefined]);
    });
  }

  it('says the limit as one would say it', async () => {
    await using front = await startFrontEnd({ rateLimitPerHour: 1 });
    await front.post(address);
    expect(await (await front.post(address)).json()).to.include({ detail: 'this key may make 1 lookup per hour' });
  });
});

describe('The reason of a 503', () => {
  for (const [reason, { detail, retryAfterS }] of Object.entries(unavailableReasons)) {
    it(`${reason} comes with words of its own, ${retryAfterS} s and a title that is true`, async () => {
      const lookup = () => Promise.reject(unavailable(reason as UnavailableReason, 'a secret'));
      await using front = await startFrontEnd({ lookup });
      const refused = await front.post(address);
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, String(retryAfterS)]);
      const problem = (await refused.json()) as ProblemDocument;
      expect(problem).to.include({
        code: 'DB_ERROR',
        reason,
        detail,
        title: 'The service cannot answer at the moment',
      });
      expect(JSON.stringify(problem)).not.to.contain('secret');
    });
  }

  it('comes out of a thread with what the thread says, and is DATA_UNREADABLE otherwise', () => {
    const reasonOf = (extras?: Readonly<Record<string, unknown>>) => {
      try {
        return unwrap(fail('DB_ERROR', 'x', extras));
      } catch (cause) {
        return cause as { readonly reason: string; readonly headers: Readonly<Record<string, string>> };
      }
    };
    expect(reasonOf({ reason: 'NO_REGISTER' })).to.deep.include({ headers: { 'Retry-After': '300' } });
    expect(reasonOf()).to.include({ reason: 'DATA_UNREADABLE' });
  });

  it('is OVERLOADED when too many lookups are under way', async () => {
    await using front = await startFrontEnd({ maxPending: 1, pending: () => 1 });
    expect(await told(await front.post(address))).to.deep.equal([503, 'DB_ERROR', 'OVERLOADED', undefined]);
  });

  it('is KEYS_UNREACHABLE when the keys cannot be read', async () => {
    await using front = await startFrontEnd();
    await front.store[Symbol.asyncDispose]();
    const refused = await front.post(address);
    expect(await told(refused)).to.deep.equal([503, 'DB_ERROR', 'KEYS_UNREACHABLE', undefined]);
  });

  given('batches').it('is STORAGE_FULL when there is no room for a batch', async () => {
    await using front = await startFrontEnd({ minFreeDiskBytes: Number.MAX_SAFE_INTEGER });
    await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 10 } });
    const refused = await ask(front, '/api/batches', { ...csv, body: 'address\na\n' });
    expect(refused.headers.get('retry-after')).to.equal('3600');
    expect(await told(refused)).to.deep.equal([503, 'DB_ERROR', 'STORAGE_FULL', undefined]);
  });
});

describe('The list of reasons', () => {
  it('is in docs/api.md as it is in the code', () => {
    const page = readFileSync(join(projectDir, 'docs', 'api.md'), 'utf8');
    const cell = ' +\\| ';
    const rows = [
      ...page.matchAll(new RegExp(`^\\| \`([A-Z_]+)\`${cell}\`([A-Z_]+)\`${cell}[^|]+\\| (\\d*) *\\|$`, 'gm')),
    ];
    const expected = Object.entries(reasonsOf).flatMap(([code, words]) =>
      Object.keys(words).map((reason) => {
        const waitS = code === 'DB_ERROR' ? unavailableReasons[reason as UnavailableReason].retryAfterS : '';
        return [code, reason, String(waitS)];
      }),
    );
    expect(rows.map(([, ...cells]) => cells)).to.deep.equal(expected);
  });
});
