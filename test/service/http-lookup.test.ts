import { expect } from 'chai';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LookupTask } from '../../src/messages/lookup.ts';
import { createKey } from '../../src/core/keys/key-format.ts';
import { issueKey, revokeKey, rotateKey, type NewKey } from '../../src/core/keys/keys.ts';
import { AppError, unavailable } from '../../src/messages/problems.ts';
import type { ProblemDocument } from '../../src/messages/wire/problem.ts';
import { settle } from '../support/drivers/passing-time.ts';
import { okAnswer, startFrontEnd } from '../support/drivers/front-end.ts';
import { wholeHour } from '../support/oracles/whole-hour.ts';

interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  readonly instance: string;
  readonly [extra: string]: unknown;
}

async function problemOf(response: Response): Promise<Problem> {
  expect(response.headers.get('content-type')).to.equal('application/problem+json');
  const problem = (await response.json()) as Problem;
  expect(problem.status).to.equal(response.status);
  expect(problem).to.include.keys('type', 'title', 'code', 'instance');
  expect(problem.instance).to.equal(`urn:land-lookup:request:${response.headers.get('x-request-id')}`);
  return problem;
}

const address = { address: '100 Queen St W, Toronto, ON' };

describe('POST /api/lookup', () => {
  it('answers with the JSON text of the pool as it is', async () => {
    const tasks: LookupTask[] = [];
    await using front = await startFrontEnd({
      lookup: (task) => {
        tasks.push(task);
        return Promise.resolve(okAnswer);
      },
    });
    const response = await front.post(address);
    expect(response.status).to.equal(200);
    expect(await response.text()).to.equal(okAnswer.json);
    expect(response.headers.get('content-type')).to.equal('application/json');
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(response.headers.get('x-powered-by')).to.equal(null);
    expect(response.headers.get('etag')).to.equal(null);
    await front.post(address, {}, '?detail=full');
    expect(tasks).to.deep.equal([
      { kind: 'address', full: false, ...address },
      { kind: 'address', full: true, ...address },
    ]);
  });

  describe('refuses with 401', () => {
    const cases: Record<string, string | undefined> = {
      'no Authorization header': undefined,
      'another scheme': 'Basic dXNlcjpwYXNz',
      'a scheme without a key': 'Bearer ',
      'two tokens': 'Bearer a b',
      'a key that is not well formed': 'Bearer olk_00000000000000000000000000000000000000',
      'a key that nobody has': `Bearer ${createKey()}`,
    };
    for (const [name, authorization] of Object.entries(cases)) {
      it(name, async () => {
        await using front = await startFrontEnd();
        const response = await fetch(`${front.url}/api/lookup`, {
          method: 'POST',
          headers: authorization === undefined ? {} : { authorization },
        });
        expect((await problemOf(response)).code).to.equal('UNAUTHORIZED');
        expect(response.status).to.equal(401);
        expect(response.headers.get('www-authenticate')).to.match(/^Bearer/);
      });
    }

    it('a revoked key', async () => {
      await using front = await startFrontEnd();
      await revokeKey(front.store, front.keyId);
      expect((await front.post(address)).status).to.equal(401);
    });
  });

  describe('refuses with 400', () => {
    const cases: Record<string, unknown> = {
      'a body that is not JSON': '{"address":',
      'an empty body': '',
      'an array': [],
      'a bare string': '"100 Queen St W"',
      null: 'null',
      'no address': {},
      'an address that is a number': { address: 5 },
      'an address that is null': { address: null },
      'an empty address': { address: '' },
      'a blank address': { address: ' \u00a0\u3000 ' },
      'an address over 300 characters': { address: 'a'.repeat(301) },
      'a control character in the address': { address: '1 Main St\u0000' },
      'half a surrogate pair': '{"address":"1 Main St \\ud800"}',
      'an unknown member': { ...address, city: 'Toronto' },
      'a member named __proto__': '{"address":"1 Main St","__proto__":{"a":1}}',
      'a body over 8 KiB': { address: 'a'.repeat(9000) },
    };
    for (const [name, body] of Object.entries(cases)) {
      it(name, async () => {
        await using front = await startFrontEnd();
        const response = await front.post(body);
        const { code, detail } = await problemOf(response);
        expect(code).to.equal('BAD_REQUEST');
        expect(detail).to.be.a('string').and.not.equal('');
        expect(response.headers.get('ratelimit'), 'costs nothing').to.equal('"lookup";r=1000;t=3600');
      });
    }

    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', '']) {
      it(`the content type "${type}"`, async () => {
        await using front = await startFrontEnd();
        expect((await problemOf(await front.post(address, { 'content-type': type }))).code).to.equal('BAD_REQUEST');
      });
    }

    for (const query of [
      '?detail=',
      '?detail=Full',
      '?detail=full&detail=full',
      '?x=1',
      '?detail[]=full',
      '?geometry=near',
      '?detail=plain&geometry=near',
      '?__proto__=1',
    ]) {
      it(`the query ${query}`, async () => {
        await using front = await startFrontEnd();
        expect((await problemOf(await front.post(address, {}, query))).code).to.equal('BAD_REQUEST');
      });
    }
  });

  it('takes 300 characters beyond the basic plane, and a charset with the content type', async () => {
    await using front = await startFrontEnd();
    for (const charset of ['utf-8', 'utf8', 'UTF8', '"utf8"', '"UTF-8"']) {
      const type = { 'content-type': `application/json; charset=${charset}` };
      expect((await front.post({ address: '𝒜'.repeat(300) }, type)).status, charset).to.equal(200);
    }
  });

  it('reads UTF-16 by its mark, and ASCII as UTF-8', async () => {
    await using front = await startFrontEnd();
    const ask = (charset: string, body: Uint8Array): Promise<Response> =>
      fetch(`${front.url}/api/lookup`, {
        method: 'POST',
        headers: { authorization: `Bearer ${front.key}`, 'content-type': `application/json; charset=${charset}` },
        body,
      });
    const text = JSON.stringify({ address: '12 Main St W, Sampleton, ON' });
    const little = Buffer.from(`\ufeff${text}`, 'utf16le');
    const big = Buffer.from(little).swap16();
    const sent: readonly (readonly [string, Uint8Array])[] = [
      ['utf-16', little],
      ['utf-16', big],
      ['utf-16be', big],
      ['US-ASCII', Buffer.from(text)],
    ];
    for (const [charset, body] of sent) expect((await ask(charset, body)).status, charset).to.equal(200);
    const { reason } = (await (await ask('us-ascii', Buffer.from('{"address":"\u00e9"}', 'latin1'))).json()) as {
      readonly reason: string;
    };
    expect(reason).to.equal('ENCODING');
  });

  it('looks at the key before the body, at the body before the quota, at the quota before the data', async () => {
    let lookups = 0;
    await using front = await startFrontEnd({
      rateLimitPerHour: 1,
      lookup: () => {
        lookups++;
        return Promise.resolve(okAnswer);
      },
    });
    const wrongKey = { authorization: `Bearer ${createKey()}` };
    expect((await front.post('{', wrongKey)).status).to.equal(401);
    expect((await front.post(address)).status).to.equal(200);
    expect((await front.post('{')).status).to.equal(400);
    expect((await front.post(address)).status).to.equal(429);
    expect((await front.post('{')).status).to.equal(400);
    expect(lookups).to.equal(1);
  });

  it('says what the key has left on every answer, and when to come back on 429', async () => {
    const answers: (() => Promise<typeof okAnswer>)[] = [
      () => Promise.resolve(okAnswer),
      () =>
        Promise.reject(new AppError('ADDRESS_NOT_FOUND', 'no such street', { extras: { reason: 'STREET_NOT_FOUND' } })),
      () => Promise.reject(new AppError('OUTSIDE_ONTARIO', 'not here', { extras: { reason: 'OUT_OF_AREA' } })),
    ];
    await using front = await startFrontEnd({ rateLimitPerHour: 3, lookup: () => answers.shift()!() });
    const seen = [];
    for (let i = 0; i < 5; i++) {
      const response = await front.post(address);
      expect(response.headers.get('ratelimit-policy')).to.equal('"lookup";q=3;w=3600');
      const [left, wait] = ['ratelimit', 'retry-after'].map((name) => wholeHour(response.headers.get(name)));
      seen.push([response.status, left, wait]);
    }
    expect(seen).to.deep.equal([
      [200, '"lookup";r=2;t=3600', null],
      [404, '"lookup";r=1;t=3600', null],
      [422, '"lookup";r=0;t=3600', null],
      [429, '"lookup";r=0;t=3600', '3600'],
      [429, '"lookup";r=0;t=3600', '3600'],
    ]);
  });

  it('gives the unit back when the failure is ours, and tells nothing about it', async () => {
    const failures = [unavailable('TOO_LATE', 'secret'), new TypeError('secret')];
    await using front = await startFrontEnd({ rateLimitPerHour: 1, lookup: () => Promise.reject(failures.shift()!) });
    const busy = await front.post(address);
    expect([busy.status, busy.headers.get('retry-after'), busy.headers.get('ratelimit')]).to.deep.equal([
      503,
      '1',
      '"lookup";r=1;t=3600',
    ]);
    expect(JSON.stringify(await problemOf(busy))).not.to.contain('secret');
    const defect = await front.post(address);
    expect([defect.status, defect.headers.get('ratelimit')]).to.deep.equal([500, '"lookup";r=1;t=3600']);
    expect(JSON.stringify(await problemOf(defect))).not.to.contain('secret');
    expect(front.lines.map(({ code, detail }) => [code, detail])).to.deep.equal([
      ['DB_ERROR', 'secret'],
      ['INTERNAL', 'unexpected failure'],
    ]);
  });

  it('adds the extra members of a failure to its problem document', async () => {
    const extras = { reason: 'STREET_NOT_FOUND', suggestions: ['1 Main St, Toronto, ON'] };
    await using front = await startFrontEnd({
      lookup: () => Promise.reject(new AppError('ADDRESS_NOT_FOUND', 'no such street', { extras })),
    });
    expect(await problemOf(await front.post(address))).to.include.keys('reason', 'suggestions');
  });
});

describe('Routes', () => {
  it('answer 405 with Allow for another method', async () => {
    await using front = await startFrontEnd();
    for (const [method, path, allow] of [
      ['GET', '/api/lookup', 'POST'],
      ['DELETE', '/api/lookup', 'POST'],
      ['OPTIONS', '/api/lookup', 'POST'],
      ['POST', '/healthz', 'GET, HEAD'],
      ['PUT', '/readyz', 'GET, HEAD'],
    ] as const) {
      const response = await fetch(front.url + path, { method });
      expect((await problemOf(response)).code, `${method} ${path}`).to.equal('METHOD_NOT_ALLOWED');
      expect(response.headers.get('allow')).to.equal(allow);
    }
  });

  it('answer 404 for any other path', async () => {
    await using front = await startFrontEnd();
    for (const path of ['/nothing', '/api', '/api/lookup/x', '/%00', '//', '/API/BATCHES']) {
      for (const method of ['GET', 'OPTIONS']) {
        const response = await fetch(front.url + path, { method });
        expect((await problemOf(response)).code, `${method} ${path}`).to.equal('NOT_FOUND');
      }
    }
  });

  it('answer 400 for a path that cannot be decoded', async () => {
    await using front = await startFrontEnd();
    const response = await fetch(`${front.url}/%E0%A4%A`);
    expect((await problemOf(response)).code).to.be.oneOf(['BAD_REQUEST', 'NOT_FOUND']);
  });

  it('tell health and readiness, and that the process is draining', async () => {
    await using front = await startFrontEnd();
    expect(await (await fetch(`${front.url}/healthz`)).json()).to.include({ status: 'alive' });
    const ready = await fetch(`${front.url}/readyz`);
    expect(ready.status).to.equal(200);
    expect(await ready.json()).to.deep.include({
      ready: true,
      lookup: 'ok',
      redis: 'not configured, so no other process may serve the same data',
    });
    front.services.health.drain();
    const draining = await fetch(`${front.url}/readyz`);
    expect(draining.status).to.equal(503);
    expect(await draining.json()).to.include({ ready: false, draining: true });
  });

  it('are not ready when a lookup fails', async () => {
    await using front = await startFrontEnd({ lookup: () => Promise.reject(unavailable('TOO_LATE', 'secret')) });
    const response = await fetch(`${front.url}/readyz`);
    expect(response.status).to.equal(503);
    expect(await response.text())
      .to.contain('"lookup":"failed"')
      .and.not.contain('secret');
  });
});

describe('Request log', () => {
  it('writes one line a request, with the key id and the stage times, without key and address', async () => {
    await using front = await startFrontEnd();
    const response = await front.post(address, { 'x-request-id': 'client-given-1' });
    expect(response.headers.get('x-request-id')).to.equal('client-given-1');
    await settle();
    expect(front.lines).to.have.length(1);
    const [line] = front.lines;
    expect(line).to.include({
      message: 'request',
      requestId: 'client-given-1',
      keyId: front.keyId,
      method: 'POST',
      route: '/api/lookup',
      status: 200,
      geocodeMs: 1,
      layersMs: 2,
    });
    expect(line!['ms']).to.be.a('number');
    expect(JSON.stringify(line)).not.to.contain(front.key).and.not.to.contain('Queen');
  });

  it('says why a request got 401 or 403, and since when a key is no good, and names it in the log alone', async () => {
    await using front = await startFrontEnd({ trustProxyHops: 1 });
    const past = new Date(Date.now() - 1000).toISOString();
    const issue = (values: Partial<NewKey> = {}) => issueKey(front.store, { name: 'other', ...values });
    const [revoked, expired, rotated, elsewhere] = [
      ...[await issue(), await issue({ expiresAt: past }), await issue()],
      await issue({ limits: { networks: ['203.0.113.0/24'] } }),
    ];
    await revokeKey(front.store, revoked.record.id);
    // A secret that has ended before its rotation is written would not be kept at all.
    await rotateKey(front.store, rotated!.record.id, 1000);
    await sleep(1100);
    const cases: readonly (readonly [string | undefined, number, string, string | undefined])[] = [
      [undefined, 401, 'MISSING', undefined],
      ['Basic dTpw', 401, 'MALFORMED', undefined],
      [`Bearer olk_${'0'.repeat(38)}`, 401, 'MISTYPED', undefined],
      [`Bearer ${createKey()}`, 401, 'UNKNOWN', undefined],
      [`Bearer ${revoked.key}`, 401, 'REVOKED', revoked.record.id],
      [`Bearer ${expired!.key}`, 401, 'EXPIRED', expired!.record.id],
      [`Bearer ${rotated!.key}`, 401, 'REPLACED', rotated!.record.id],
      [`Bearer ${elsewhere!.key}`, 403, 'NETWORK', elsewhere!.record.id],
    ];
    const endedReasons = new Set(['REVOKED', 'EXPIRED', 'REPLACED']);
    for (const [authorization, status, reason, keyId] of cases) {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.1' };
      const response = await fetch(`${front.url}/api/lookup`, {
        method: 'POST',
        headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
        body: JSON.stringify(address),
      });
      expect(response.status, reason).to.equal(status);
      const body = await response.text();
      expect(body, reason).not.to.contain('key_');
      const told = JSON.parse(body) as ProblemDocument;
      expect(told.reason, reason).to.equal(status === 401 ? reason : undefined);
      expect(told.since === undefined ? undefined : Date.parse(told.since), reason).to.satisfy(
        (since?: number) => (since !== undefined) === endedReasons.has(reason) && (since ?? 0) <= Date.now(),
      );
      await settle();
      const line = front.lines.at(-1)!;
      expect(line).to.include({ status, reason });
      expect(line['keyId'], reason).to.equal(keyId);
      expect(JSON.stringify(line)).not.to.contain('198.51').and.not.contain('olk_');
    }
  });

  it('names the trace that the caller is in, when its header is one', async () => {
    await using front = await startFrontEnd();
    const [traceId, parentId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    await front.post(address, { traceparent: `00-${traceId}-${parentId}-01` });
    await front.post(address, { traceparent: `00-${'0'.repeat(32)}-${parentId}-01` });
    await settle();
    expect(front.lines[0]).to.include({ traceId, parentId });
    expect(front.lines[1]).not.to.have.property('traceId');
  });

  it('names the address when that is asked for', async () => {
    await using front = await startFrontEnd({ logAddresses: true });
    await front.post(address);
    await settle();
    expect(front.lines[0]).to.include(address);
  });

  it('replaces a request id that is not sane, and one that is a key', async () => {
    await using front = await startFrontEnd();
    for (const id of ['short', 'x'.repeat(129), 'with space in it', createKey(), '{"a":"bcdefgh"}']) {
      const response = await front.post(address, { 'x-request-id': id });
      expect(response.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
    }
  });

  it('notes a client that left before its answer', async () => {
    const events = new EventEmitter();
    await using front = await startFrontEnd({
      lookup: async () => {
        const noted = once(events, 'noted');
        events.emit('asked');
        await noted;
        return okAnswer;
      },
    });
    const asked = once(events, 'asked');
    const abort = new AbortController();
    const request = fetch(`${front.url}/api/lookup`, {
      method: 'POST',
      headers: { authorization: `Bearer ${front.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(address),
      signal: abort.signal,
    }).catch(() => 'aborted');
    await asked;
    abort.abort();
    expect(await request).to.equal('aborted');
    while (front.lines.length === 0) await sleep(5);
    events.emit('noted');
    await settle();
    expect(front.lines.map(({ status }) => status)).to.deep.equal([499]);
  });
});
