import { expect } from 'chai';
import { badRequest } from '../../../src/messages/problems.ts';
import type { LookupTask } from '../../../src/messages/lookup.ts';
import { readExamples } from '../../../src/core/http/service-documents.ts';
import { kindOf } from '../../../src/core/pool/lookup-pool.ts';
import { okAnswer, startFrontEnd, type FrontEnd } from '../../support/drivers/front-end.ts';
import { wholeHour } from '../../support/oracles/whole-hour.ts';

const ring = [
  [-79.32, 44.3],
  [-79.31, 44.3],
  [-79.31, 44.31],
  [-79.32, 44.3],
];
const polygon = { type: 'Polygon', coordinates: [ring] };
const area = { geometry: polygon };
const flat = [-79.32, 44.3, -79.31, 44.3, -79.31, 44.31];
const areaJson = { ...okAnswer, json: JSON.stringify(readExamples().areaLookup) };

const ask = (front: FrontEnd, body: unknown, headers: Readonly<Record<string, string>> = {}, query = '') =>
  front.post(body, headers, `/area${query}`);

const polygonOf = (...rings: readonly unknown[]): object => ({ geometry: { type: 'Polygon', coordinates: rings } });
const circle = (vertices: number): number[][] =>
  Array.from({ length: vertices + 1 }, (_, i) => [
    -79.3 + 0.01 * Math.cos((2 * Math.PI * i) / vertices),
    44.3 + 0.01 * Math.sin((2 * Math.PI * i) / vertices),
  ]);

describe('POST /api/lookup/area', () => {
  it('asks the pool for the polygons, without heights and repeated positions, as costly work', async () => {
    const tasks: LookupTask[] = [];
    await using front = await startFrontEnd({
      lookup: (task) => {
        tasks.push(task);
        return Promise.resolve(areaJson);
      },
    });
    const response = await ask(front, area);
    expect([response.status, await response.text()]).to.deep.equal([200, areaJson.json]);
    expect(response.headers.get('lookup-id')).to.match(/^lkp_/);
    await ask(front, { geometry: { type: 'MultiPolygon', coordinates: [[ring], [ring]], bbox: [-80, 44, -79, 45] } });
    await ask(front, polygonOf(ring.map((position) => [...position, 250])));
    await ask(front, polygonOf(ring.slice(0, 3)));
    const task = { kind: 'area', polygons: [[flat]], isClosed: true };
    const expected = [task, { ...task, polygons: [[flat], [flat]] }, task, { ...task, isClosed: false }];
    expect(tasks).to.deep.equal(expected);
    expect(tasks.every((task) => kindOf(task) === 'costly')).to.equal(true);
  });

  describe('refuses with 400, at no cost, and says what to do', () => {
    const bodies: Readonly<Record<string, readonly [body: unknown, detail: RegExp]>> = {
      'a body that is not JSON': ['{"geometry":', /not JSON: send \{"geometry"/],
      'an array': [[1], /^the body must be an object: send/],
      'no geometry': [{}, /^the body must have a geometry: send/],
      'a geometry as the body': [polygon, /send the geometry as \{"geometry"/],
      'a Feature as the body': [{ type: 'Feature', geometry: polygon }, /send the geometry as \{"geometry"/],
      'a Feature in place of the geometry': [
        { geometry: { type: 'Feature', geometry: polygon, properties: {} } },
        /send its member "geometry"/,
      ],
      'a FeatureCollection': [{ geometry: { type: 'FeatureCollection', features: [] } }, /geometry of one feature/],
      'a line': [{ geometry: { type: 'LineString', coordinates: ring } }, /must be Polygon or MultiPolygon/],
      'a member that does not exist': [{ ...area, address: 'x' }, /must not have the member "address"/],
      'a member of the geometry that does not exist': [{ geometry: { ...polygon, radius: 1 } }, /member "radius"/],
      'another reference system': [{ geometry: { ...polygon, crs: {} } }, /crs: send longitude and latitude/],
      'no coordinates': [{ geometry: { type: 'Polygon' } }, /coordinates must be an array of rings/],
      'no rings': [polygonOf(), /coordinates is empty: it must have rings/],
      'an empty ring': [polygonOf([]), /coordinates\[0\] is empty/],
      'no polygons': [{ geometry: { type: 'MultiPolygon', coordinates: [] } }, /is empty: it must have polygons/],
      'rings without their array': [
        { geometry: { type: 'Polygon', coordinates: ring } },
        /\[0\]\[0\] must be \[longitude, latitude\]/,
      ],
      'a position that is null': [
        polygonOf([...ring.slice(0, 2), null, ring[0]]),
        /\[0\]\[2\] must be \[longitude, latitude\]/,
      ],
      'a position of one number': [polygonOf([[1], ...ring]), /\[0\]\[0\] must be \[longitude, latitude\]/],
      'text for a number': [polygonOf([['-79', '44'], ...ring]), /must have two finite numbers/],
      'a number that is not finite': [
        '{"geometry":{"type":"Polygon","coordinates":[[[1e999,44],[1,2],[3,4]]]}}',
        /finite/,
      ],
      'two different positions': [
        polygonOf([ring[0], ring[1], ring[0], ring[1], ring[0]]),
        /three different positions/,
      ],
      metres: [polygonOf([[630_000, 4_830_000], ...ring]), /send degrees, not metres/],
      'a latitude where the longitude belongs': [polygonOf([[44, -95.1], ...ring]), /send the longitude first/],
      'a longitude that is counted to the east': [polygonOf([[280.6, 44], ...ring]), /below 0, as -79\.4/],
      'latitudes first throughout': [polygonOf(ring.map(([lon, lat]) => [lat, lon])), /send \[longitude, latitude\]/],
      'a hole before the outer ring': [
        polygonOf(ring, [
          ...[
            [-82, 42],
            [-76, 42],
            [-76, 47],
          ],
          ...[
            [-82, 47],
            [-82, 42],
          ],
        ]),
        /^geometry\.coordinates\[1\] lies around geometry\.coordinates\[0\]: the outer ring of a polygon comes first/,
      ],
      'more than 5,000 vertices': [polygonOf(circle(5001)), /more than 5000 vertices: simplify it/],
      'a body over 512 KiB': [`{"geometry": ${' '.repeat(530_000)}{}}`, /larger than 512 KiB/],
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

    it('a query parameter, and another content type', async () => {
      await using front = await startFrontEnd({ lookup: () => Promise.resolve(areaJson) });
      for (const response of [
        await ask(front, area, {}, '?detail=half'),
        await ask(front, area, { 'content-type': 'text/plain' }),
      ]) {
        expect(response.status).to.equal(400);
      }
    });
  });

  it('takes 5,000 vertices', async () => {
    await using front = await startFrontEnd({ lookup: () => Promise.resolve(areaJson) });
    expect((await ask(front, polygonOf(circle(5000)))).status).to.equal(200);
  });

  it('gives the unit back when only the thread finds that the area is too large, also to a retry', async () => {
    await using front = await startFrontEnd({
      lookup: () => Promise.reject(badRequest('the geometry has 26.0 km²')),
    });
    for (const headers of [{}, { 'idempotency-key': 'large' }, { 'idempotency-key': 'large' }]) {
      const refused = await ask(front, area, headers);
      expect([refused.status, refused.headers.get('ratelimit')]).to.deep.equal([400, '"lookup";r=1000;t=3600']);
    }
  });

  it('has the key, the limit, the retries and the bill of any lookup', async () => {
    let calls = 0;
    await using front = await startFrontEnd({
      rateLimitPerHour: 2,
      lookup: () => {
        calls++;
        return Promise.resolve(areaJson);
      },
    });
    expect((await ask(front, area, { authorization: 'Bearer x' })).status).to.equal(401);
    const key = { 'idempotency-key': 'an-area' };
    expect(wholeHour((await ask(front, area, key)).headers.get('ratelimit'))).to.equal('"lookup";r=1;t=3600');
    const again = await ask(front, area, key);
    expect([again.status, again.headers.get('idempotent-replayed'), calls]).to.deep.equal([200, 'true', 1]);
    for (const other of [polygonOf(ring.map(([lon, lat]) => [lon! + 0.1, lat])), polygonOf(ring.slice(0, 3))]) {
      expect((await ask(front, other, key)).status, 'another request').to.equal(400);
    }
    expect(wholeHour((await ask(front, area)).headers.get('ratelimit'))).to.equal('"lookup";r=0;t=3600');
    expect((await ask(front, area)).status).to.equal(429);
    const { journal } = front.services as unknown as { journal: { do(name: 'report', input: object): Promise<Row[]> } };
    const rows = await journal.do('report', { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    expect(rows.filter(({ keyId }) => keyId === front.keyId).map(({ lookups }) => lookups)).to.deep.equal([2]);
  });

  it('is logged without its place, unless that is asked for', async () => {
    for (const logAddresses of [false, true]) {
      await using front = await startFrontEnd({ logAddresses, lookup: () => Promise.resolve(areaJson) });
      await (await ask(front, area)).text();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(front.lines[0]).to.include({ route: '/api/lookup/area', status: 200 });
      expect(JSON.stringify(front.lines[0]).includes('-79.32')).to.equal(logAddresses);
    }
  });
});

interface Row {
  readonly keyId: string;
  readonly lookups: number;
}
