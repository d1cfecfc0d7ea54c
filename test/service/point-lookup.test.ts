import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { LookupTask } from '../../src/messages/lookup.ts';
import { given } from '../support/drivers/given.ts';
import { okAnswer, startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { wholeHour } from '../support/oracles/whole-hour.ts';

const place = { lat: 44.1, lon: -78.6 };
const address = { address: '100 Queen St W, Toronto, ON' };
const pointJson = { ...okAnswer, json: okAnswer.json.replace(/"address":"[^"]*"/, '"address":null') };

/** The body and header that a point lookup has, by the front end's `post`, which writes `/api/lookup` before the path. */
const ask = (front: FrontEnd, body: unknown, headers: Readonly<Record<string, string>> = {}, query = '') =>
  front.post(body, headers, `/point${query}`);

describe('POST /api/lookup/point', () => {
  given('maps').it('asks the pool for the place, with its uncertainty and detail', async () => {
    const tasks: LookupTask[] = [];
    await using front = await startFrontEnd({
      lookup: (task) => {
        tasks.push(task);
        return Promise.resolve(pointJson);
      },
    });
    const response = await ask(front, place);
    expect([response.status, await response.text()]).to.deep.equal([200, pointJson.json]);
    expect(response.headers.get('lookup-id')).to.match(/^lkp_/);
    await ask(front, { ...place, uncertaintyM: 25.5 }, {}, '?detail=full&geometry=near');
    await ask(front, { ...place, uncertaintyM: 0 }, { traceparent: `00-${'4'.repeat(32)}-${'b'.repeat(16)}-01` });
    expect(tasks).to.deep.equal([
      { kind: 'point', full: false, ...place },
      { kind: 'point', full: true, geometry: 'near', ...place, uncertaintyM: 25.5 },
      { kind: 'point', full: false, ...place, uncertaintyM: 0 },
    ]);
  });

  describe('refuses with 400, at no cost', () => {
    const bodies: Readonly<Record<string, readonly [body: unknown, detail: RegExp]>> = {
      'a body that is not JSON': ['{"lat":', /send \{"lat": 44\.1, "lon": -78\.6\}/],
      'an array': [[44.1, -78.6], /^the body must be an object/],
      'no latitude': [{ lon: -78.6 }, /must have the member "lat"/],
      'no longitude': [{ lat: 44.1 }, /must have the member "lon"/],
      'a latitude that is text': [{ lat: '44.1', lon: -78.6 }, /^lat must be a number/],
      'a longitude that is null': [{ lat: 44.1, lon: null }, /^lon must be a number/],
      'a latitude beyond the pole': [{ lat: 90.1, lon: -78.6 }, /^lat must be <= 90/],
      'a longitude beyond 180': [{ lat: 44.1, lon: -180.1 }, /^lon must be >= -180/],
      'a latitude that is not finite': ['{"lat": 1e999, "lon": -78.6}', /^lat must be/],
      'an uncertainty below 0': [{ ...place, uncertaintyM: -1 }, /^uncertaintyM must be >= 0/],
      'an uncertainty over 1,000 m': [{ ...place, uncertaintyM: 1001 }, /^uncertaintyM must be <= 1000/],
      'an uncertainty that is text': [{ ...place, uncertaintyM: '25' }, /^uncertaintyM must be a number/],
      'an address': [address, /must have the member/],
      'an address beside the place': [{ ...place, ...address }, /must not have the member "address"/],
      'a body over 8 KiB': [`{"lat": 44.1, ${' '.repeat(9000)} "lon": -78.6}`, /larger than 8 KiB/],
    };
    for (const [name, [body, detail]] of Object.entries(bodies)) {
      it(name, async () => {
        await using front = await startFrontEnd();
        const response = await ask(front, body);
        expect(response.status).to.equal(400);
        const problem = (await response.json()) as { code: string; detail: string };
        expect(problem.code).to.equal('BAD_REQUEST');
        expect(problem.detail).to.match(detail);
        expect(response.headers.get('ratelimit')).to.equal('"lookup";r=1000;t=3600');
      });
    }

    it('another query parameter, another content type, and a place for an address', async () => {
      await using front = await startFrontEnd();
      for (const response of [
        await ask(front, place, {}, '?detail=some'),
        await ask(front, place, { 'content-type': 'text/plain' }),
        await front.post(place),
      ]) {
        expect(response.status).to.equal(400);
      }
    });
  });

  it('has the key, the limit and the methods of any lookup', async () => {
    await using front = await startFrontEnd({ rateLimitPerHour: 2, lookup: () => Promise.resolve(pointJson) });
    expect((await ask(front, place, { authorization: 'Bearer x' })).status).to.equal(401);
    const get = await fetch(`${front.url}/api/lookup/point`);
    expect([get.status, get.headers.get('allow')]).to.deep.equal([405, 'POST']);
    expect(wholeHour((await ask(front, place)).headers.get('ratelimit'))).to.equal('"lookup";r=1;t=3600');
    expect((await front.post(address, {}, '/point')).status, 'costs nothing').to.equal(400);
    expect(wholeHour((await ask(front, place)).headers.get('ratelimit'))).to.equal('"lookup";r=0;t=3600');
    expect((await ask(front, place)).status).to.equal(429);
  });

  it('gives a retry with the same Idempotency-Key the same answer, billed once, and refuses another request', async () => {
    let calls = 0;
    await using front = await startFrontEnd({
      lookup: ({ kind }) => {
        calls++;
        return Promise.resolve(kind === 'point' ? pointJson : okAnswer);
      },
    });
    const key = { 'idempotency-key': 'a-point' };
    const first = await ask(front, place, key);
    const again = await ask(front, place, key);
    expect(first.headers.get('lookup-id')).to.match(/^lkp_/);
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([200, 'true']);
    expect([calls, wholeHour(again.headers.get('ratelimit'))]).to.deep.equal([1, '"lookup";r=999;t=3600']);
    for (const other of [
      await front.post(address, key),
      await ask(front, { ...place, lat: 44.2 }, key),
      await ask(front, { ...place, uncertaintyM: 0 }, key),
      await ask(front, place, key, '?detail=full'),
    ]) {
      expect(other.status).to.equal(400);
      expect(await other.json()).to.have.property('detail', 'this Idempotency-Key was used for another request');
    }
    expect((await front.post(address, { 'idempotency-key': 'an-address' })).status).to.equal(200);
    expect((await ask(front, place, { 'idempotency-key': 'an-address' })).status).to.equal(400);
  });

  it('records each answer once for the bill, and no refusal', async () => {
    await using front = await startFrontEnd({ lookup: () => Promise.resolve(pointJson) });
    for (let i = 0; i < 3; i++) await ask(front, place);
    await ask(front, {});
    const { journal } = front.services as unknown as { journal: { do(name: 'report', input: object): Promise<Row[]> } };
    const rows = await journal.do('report', { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    expect(rows.filter(({ keyId }) => keyId === front.keyId).map(({ lookups }) => lookups)).to.deep.equal([3]);
  });

  it('is logged and counted under its own route, with the coordinates only when that is asked for', async () => {
    for (const logAddresses of [false, true]) {
      await using front = await startFrontEnd({ logAddresses, lookup: () => Promise.resolve(pointJson) });
      await ask(front, place);
      await sleep(20);
      const [line] = front.lines;
      expect(line).to.include({ route: '/api/lookup/point', status: 200, keyId: front.keyId });
      expect([line!['lat'], line!['lon']]).to.deep.equal(logAddresses ? [44.1, -78.6] : [undefined, undefined]);
      expect(JSON.stringify(line).includes('-78.6')).to.equal(logAddresses);
      const counted = 'land_lookup_requests_total{route="/api/lookup/point",status="200",code="OK"} 1';
      expect(await front.services.metrics.metrics()).to.include(counted);
    }
  });

  it('is refused for load as early as any lookup', async () => {
    const pool = { pending: 0 };
    const lookup = () => Promise.resolve(pointJson);
    await using front = await startFrontEnd({ lookup, maxPending: 3, pending: () => pool.pending });
    expect((await ask(front, place)).status).to.equal(200);
    pool.pending = 3;
    const refused = await ask(front, place);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
    const counted = 'land_lookup_requests_total{route="/api/lookup/point",status="503",code="DB_ERROR"} 1';
    expect(await front.services.metrics.metrics()).to.include(counted);
    expect(
      front.lines.filter(({ status }) => status === 503),
      'not through Express',
    ).to.deep.equal([]);
  });
});

interface Row {
  readonly keyId: string;
  readonly lookups: number;
}
