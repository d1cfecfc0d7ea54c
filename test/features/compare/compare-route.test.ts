import { expect } from 'chai';
import type { FullAreaLookupBody } from '../../../src/messages/wire/area-lookup.ts';
import type { FullLookupBody } from '../../../src/messages/wire/full-lookup.ts';
import type { ProblemDocument } from '../../../src/messages/wire/problem.ts';
import type { Comparison } from '../../../src/features/compare/wire.ts';
import { readExamples } from '../../../src/core/http/service-documents.ts';
import { shareSampleService, type KeyedService } from '../../support/drivers/sample-service.ts';

const ADDRESS = '1209 Concession 4, Fiddlehead Corners, ON';
const { area, point } = readExamples();

type Body = Readonly<Record<string, unknown>>;
type Changed = (answer: FullLookupBody) => unknown;

/** Changes a copy of an answer. */
function edited(answer: FullLookupBody, change: (copy: Mutable) => void): unknown {
  const copy = structuredClone(answer) as unknown as Mutable;
  change(copy);
  return copy;
}

interface Mutable {
  address: unknown;
  lat: unknown;
  layers: Record<string, unknown>;
  evidence: Record<string, Record<string, unknown>>;
  geocode: Record<string, unknown>;
  snapshot: Record<string, unknown> & { dataSets: Record<string, string> };
}

/** What is no answer of the service, and the place of the first fault. */
const hostile: Readonly<Record<string, readonly [Changed, string]>> = {
  'a text': [() => 'an answer', '/before'],
  'a list': [() => [], '/before'],
  'an empty object': [() => ({}), '/before/evidence'],
  'a plain answer': [
    ({ address, lat, lon, layers, dataAsOf }) => ({ address, lat, lon, layers, dataAsOf }),
    '/before/evidence',
  ],
  'an answer of an earlier version': [
    (answer) => edited(answer, ({ snapshot }) => delete (snapshot as Body as { dataSets?: unknown }).dataSets),
    '/before/snapshot/dataSets',
  ],
  'a mark that is none': [
    (answer) => edited(answer, ({ snapshot }) => (snapshot.dataSets['greenbelt'] = 'yes')),
    '/before/snapshot/dataSets/greenbelt',
  ],
  'no such snapshot': [
    (answer) => edited(answer, ({ snapshot }) => (snapshot['id'] = '../../etc')),
    '/before/snapshot/id',
  ],
  'a text for true': [
    (answer) => edited(answer, ({ layers }) => (layers['greenbelt'] = 'true')),
    '/before/layers/greenbelt',
  ],
  'a number': [(answer) => edited(answer, ({ layers }) => (layers['greenbelt'] = 1)), '/before/layers/greenbelt'],
  'a word that no layer has': [
    (answer) =>
      edited(answer, ({ layers, evidence }) => {
        layers['wetlandProximity'] = 'near';
        evidence['wetlandProximity']!['state'] = 'present';
      }),
    '/before/layers/wetlandProximity',
  ],
  'a value that is not known': [
    (answer) => edited(answer, ({ evidence }) => (evidence['caBoundary']!['state'] = 'no_coverage')),
    '/before/layers/caBoundary',
  ],
  'a value that is not there': [
    (answer) => edited(answer, ({ layers }) => (layers['caBoundary'] = null)),
    '/before/layers/caBoundary',
  ],
  'an unknown state': [
    (answer) => edited(answer, ({ evidence }) => (evidence['greenbelt']!['state'] = 'sure')),
    '/before/evidence/greenbelt/state',
  ],
  'a distance below 0': [
    (answer) => edited(answer, ({ evidence }) => (evidence['greenbelt']!['distanceM'] = -1)),
    '/before/evidence/greenbelt/distanceM',
  ],
  'a layer without evidence': [
    (answer) => edited(answer, ({ evidence }) => delete evidence['greenbelt']),
    '/before/evidence/greenbelt',
  ],
  'evidence without a layer': [
    (answer) => edited(answer, ({ layers }) => delete layers['greenbelt']),
    '/before/layers/greenbelt',
  ],
  'a layer too few': [
    (answer) =>
      edited(answer, ({ layers, evidence }) => {
        delete layers['greenbelt'];
        delete evidence['greenbelt'];
      }),
    '/before/layers/greenbelt',
  ],
  'a layer that nobody has': [
    (answer) =>
      edited(answer, ({ layers, evidence }) => {
        layers['constructor'] = true;
        evidence['constructor'] = evidence['greenbelt']!;
      }),
    '/before/layers/constructor',
  ],
  'a name with markup': [
    (answer) =>
      edited(answer, ({ layers, evidence }) => {
        layers['<img src=x>'] = true;
        evidence['<img src=x>'] = evidence['greenbelt']!;
      }),
    '/before/layers',
  ],
  'an unknown data set': [
    (answer) => edited(answer, ({ evidence }) => (evidence['caBoundary']!['dataSets'] = ['other'])),
    '/before/evidence/caBoundary/dataSets',
  ],
  'another address': [(answer) => edited(answer, (copy) => (copy.address = '1 Other St')), '/before/address'],
  'another point': [(answer) => edited(answer, (copy) => (copy.lat = 44)), '/before/lat'],
  'a place far away': [(answer) => edited(answer, (copy) => (copy.lat = 0)), '/before/lat'],
  'an address of 300 lines': [
    (answer) => edited(answer, (copy) => (copy.address = copy.geocode['address'] = 'a\n'.repeat(300))),
    '/before/address',
  ],
};

describe('POST /api/compare', function () {
  this.timeout(240_000);
  let service: KeyedService;
  let answer: FullLookupBody;
  before(async () => {
    service = await shareSampleService();
    answer = await ask<FullLookupBody>('/api/lookup?detail=full', { address: ADDRESS });
  });

  const send = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const ask = async <T>(path: string, body: unknown): Promise<T> => {
    const response = await send(path, body);
    expect(response.status, JSON.stringify(body).slice(0, 200)).to.equal(200);
    return (await response.json()) as T;
  };
  const refusalOf = async (body: unknown): Promise<ProblemDocument> => {
    const response = await send('/api/compare', body);
    const text = await response.text();
    expect(response.status, text.slice(0, 500)).to.equal(400);
    return JSON.parse(text) as ProblemDocument;
  };

  it('finds no change in the answers of addresses, points and areas, with their further layers', async () => {
    const further = await ask('/api/lookup?detail=full&layers=all', { address: ADDRESS });
    const ofPoint = await ask('/api/lookup/point?detail=full', point);
    const ofArea = await ask('/api/lookup/area?detail=full', area);
    for (const body of [{ before: answer }, { before: further }, { before: ofPoint }, { before: ofArea, ...area }]) {
      const { changed, layers, before, now, movedM } = await ask<Comparison>('/api/compare', body);
      expect(changed).to.deep.equal([]);
      expect(Object.keys(layers)).to.deep.equal(Object.keys((body.before as FullLookupBody).layers));
      expect([before, movedM]).to.deep.equal([now, 0]);
    }
  });

  it('says what an answer rests on: its vintage, and a mark of the definitions and of each data set', async () => {
    const { snapshot } = answer;
    expect(snapshot.definitions).to.match(/^[0-9a-f]{8}$/);
    expect(Object.keys(snapshot.dataSets)).to.include.members(Object.keys(answer.dataAsOf));
    const response = await send('/api/lookup', { address: ADDRESS }, { 'Idempotency-Key': 'vintage' });
    const again = await send('/api/lookup', { address: ADDRESS }, { 'Idempotency-Key': 'vintage' });
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    for (const { headers } of [response, again]) expect(headers.get('land-vintage')).to.equal(snapshot.id);
    for (const [path, body] of [
      ['/api/lookup/point', point],
      ['/api/lookup/area', area],
    ] as const)
      expect((await send(path, body)).headers.get('land-vintage'), path).to.equal(snapshot.id);
    const ofArea = await ask<FullAreaLookupBody>('/api/lookup/area?detail=full', area);
    expect(ofArea.snapshot).to.deep.equal(snapshot);
    expect(ofArea.evidence['greenbelt']).to.deep.equal({ dataSets: ['greenbelt'] });
  });

  it('is one lookup, and the same one when it is repeated', async () => {
    const key = { 'Idempotency-Key': 'compared' };
    const [first, second] = [
      await send('/api/compare', { before: answer }, key),
      await send('/api/compare', { before: answer }, key),
    ];
    expect(first.headers.get('lookup-id')).to.match(/^lkp_/);
    expect(first.headers.get('land-vintage')).to.equal(answer.snapshot.id);
    expect(second.headers.get('idempotent-replayed')).to.equal('true');
    expect(await second.json()).to.deep.equal(await first.json());
  });

  it('is another request under the same key with another answer, though its question is the same', async () => {
    const key = { 'Idempotency-Key': 'compared-with-another' };
    const other = edited(answer, ({ layers }) => (layers['caBoundary'] = { caId: '1', caName: 'Old Authority' }));
    const codesOf = async (...sent: readonly Response[]): Promise<unknown[]> =>
      Promise.all(sent.map(async (one) => ((await one.json()) as { readonly reason?: string }).reason ?? one.status));
    expect(
      await codesOf(
        await send('/api/compare', { before: answer }, key),
        await send('/api/compare', { before: other }, key),
        await send('/api/lookup?detail=full', { address: answer.address }, key),
        await send('/api/compare', { before: answer }, key),
      ),
    ).to.deep.equal([200, 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_REUSED', 200]);
  });

  it('shows what was another value, state or feature, and why', async () => {
    const other = edited(answer, ({ layers, evidence, snapshot }) => {
      layers['caBoundary'] = { caId: '1', caName: '<b>Old</b> Authority' };
      layers['wetlandProximity'] = 'inside';
      Object.assign(evidence['wetlandProximity']!, { state: 'present', distanceM: 0 });
      layers['greenbelt'] = null;
      evidence['greenbelt']!['state'] = 'no_coverage';
      snapshot.dataSets['ca_admin_areas'] = '00000000';
      snapshot.dataSets['wetland'] = '00000000';
      snapshot.dataSets['greenbelt'] = '00000000';
    });
    const { layers } = await ask<Comparison>('/api/compare', { before: other });
    expect(layers['caBoundary']).to.deep.include({ change: 'value', cause: 'data', now: answer.layers['caBoundary'] });
    expect(layers['caBoundary']!.before).to.deep.equal({ caId: '1', caName: '<b>Old</b> Authority' });
    expect(layers['greenbelt']).to.deep.include({ change: 'known', cause: 'data', before: null });
    expect(layers['wetlandProximity']!.change).to.equal(
      answer.layers['wetlandProximity'] === 'outside' ? 'disappeared' : 'value',
    );
    const byProgram = edited(answer, ({ layers: all, evidence }) => {
      all['wetlandProximity'] = 'inside';
      Object.assign(evidence['wetlandProximity']!, { state: 'present', distanceM: 0 });
    });
    const { changed, layers: same } = await ask<Comparison>('/api/compare', { before: byProgram });
    expect(changed).to.deep.equal(['wetlandProximity']);
    expect(same['wetlandProximity']!.cause, 'the data are the same').to.equal('definition');
  });

  it('takes a layer that is only in one of the answers, by other definitions, for not known', async () => {
    const other = edited(answer, ({ layers, evidence, snapshot }) => {
      layers['quietZone'] = 'quiet';
      evidence['quietZone'] = { ...evidence['greenbelt']!, state: 'present' };
      delete layers['soil'];
      delete evidence['soil'];
      snapshot['definitions'] = '00000000';
    });
    const { layers } = await ask<Comparison>('/api/compare', { before: other });
    expect(layers['quietZone']).to.deep.include({ change: 'unknown', cause: 'definition', before: 'quiet', now: null });
    expect(layers['soil']!.change).to.equal(answer.evidence['soil']!.state === 'unavailable' ? 'none' : 'known');
  });

  it('costs nothing when it is refused, also where that is seen only once the answer of now is there', async () => {
    const left = async (body: unknown): Promise<[number, string | null]> => {
      const { status, headers } = await send('/api/compare', body);
      return [status, headers.get('ratelimit')];
    };
    const first = await left({ before: answer });
    for (const what of ['a text for true', 'a value that is not there', 'a layer too few', 'a list'])
      expect((await left({ before: hostile[what]![0](answer) }))[0], what).to.equal(400);
    const [status, last] = await left({ before: answer });
    const remaining = (header: string | null): number => Number(/r=(\d+)/.exec(header!)![1]);
    expect([status, remaining(last)]).to.deep.equal([200, remaining(first[1]) - 1]);
  });

  for (const [what, [change, param]] of Object.entries(hostile))
    it(`refuses ${what}, and names the place`, async () => {
      expect(await refusalOf({ before: change(answer) })).to.include({ code: 'BAD_REQUEST', param });
    });

  it('refuses bodies that are too large, have another member, or the geometry of other land', async () => {
    expect((await refusalOf({ before: { ...answer, note: 'x'.repeat(2 << 20) } })).reason).to.equal('BODY_TOO_LARGE');
    expect(
      (await refusalOf({ before: { ...answer, list: Array.from({ length: 5000 }, () => 'x') } })).detail,
    ).to.include('texts');
    expect((await refusalOf('{"before": {"lat": 1e999}}')).code).to.equal('BAD_REQUEST');
    expect((await refusalOf({ before: answer, after: answer })).param).to.equal('/after');
    expect((await refusalOf({ before: answer, ...area })).param).to.equal('/geometry');
    const ofArea = await ask<FullAreaLookupBody>('/api/lookup/area?detail=full', area);
    expect((await refusalOf({ before: ofArea })).param).to.equal('/geometry');
    const moved = (by: number): object => {
      const [ring] = area.geometry.coordinates as [[number, number][]];
      return { type: 'Polygon', coordinates: [ring.map(([lon, lat]) => [lon + by, lat])] };
    };
    const [around] = area.geometry.coordinates as [[number, number][]];
    const half = around.map(([lon, lat]) => [(lon + ofArea.lon) / 2, (lat + ofArea.lat) / 2]);
    for (const geometry of [
      moved(0.02),
      { type: 'Polygon', coordinates: [half] },
      { type: 'Polygon', coordinates: [] },
    ])
      expect((await refusalOf({ before: ofArea, geometry })).param).to.match(/^\/geometry/);
    for (const text of ['{"before": ', '', '[]', 'null'])
      expect((await refusalOf(text)).code, text).to.equal('BAD_REQUEST');
    expect((await fetch(`${service.url}/api/compare`)).status).to.equal(405);
  });
});
