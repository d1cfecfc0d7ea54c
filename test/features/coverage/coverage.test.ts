/** What is known of a place: on the sample, by hand-made data, and the HTTP side alone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { coverageLimit, type CoverageBody } from '../../../src/features/coverage/feature.ts';
import type { LookupTask } from '../../../src/messages/lookup.ts';
import { AppError } from '../../../src/messages/problems.ts';
import type { FullLookupBody } from '../../../src/messages/wire/full-lookup.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { PointGeocode } from '../../../src/messages/wire/point-lookup.ts';
import { coverage } from '../../../workers/coverage/feature.ts';
import type { ServedSnapshot } from '../../../workers/engine/feature.ts';
import { referenceView } from '../../../workers/engine/views/reference-view.ts';
import { openSnapshot } from '../../../workers/geopackage/snapshot.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { writeSnapshot } from '../../support/material/hand-made-snapshot.ts';
import { sampleAddresses } from '../../tools/draw-examples.ts';
import { okAnswer, startFrontEnd, type FrontEndOptions } from '../../support/drivers/front-end.ts';
import { shareSampleService, type KeyedService } from '../../support/drivers/sample-service.ts';
import { layerKeys } from '../../support/material/layer-keys.ts';
import { wholeHour } from '../../support/oracles/whole-hour.ts';

const ADDRESS = '12 Main St W, Sampleton, ON';

/** Layers of data sets that know only where they have a feature, and whose feature is what a lookup is asked for. */
const tellNothing = ['crownLandUse'];

const ask = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${url}/api/coverage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('POST /api/coverage on the sample', function () {
  this.timeout(240_000);
  let service: KeyedService;
  before(async () => {
    service = await shareSampleService();
  });
  const lookUp = async (path: string, body: object) => {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };

  it('says at every door what a lookup knows there, and how the address was found, as booleans and nothing else', async () => {
    let [known, unknown] = [0, 0];
    const seen = new Set<string>();
    for (const address of sampleAddresses()) {
      const response = await ask(service.url, { address });
      const full = await lookUp('/api/lookup?detail=full', { address });
      expect(response.status).to.equal(full.status);
      if (!response.ok) continue;
      expect(response.headers.get('lookup-id')).to.equal(null);
      const body = (await response.json()) as CoverageBody;
      const { evidence, geocode } = full.body as FullLookupBody;
      expect(body.address).to.deep.equal({ accuracy: geocode.accuracy, score: geocode.score });
      expect(Object.keys(body)).to.deep.equal(['known', 'address']);
      expect(Object.keys(body.known)).to.deep.equal(layerKeys);
      for (const [key, isKnown] of Object.entries(body.known)) {
        const { state } = evidence[key]!;
        const isSaid = state === 'present' || state === 'absent';
        // What is beside an unclear feature is covered, and not known; what is found beyond the coverage is known, and does not show here.
        if (isKnown) expect(state, `${key} at ${address}`).to.not.equal('no_coverage');
        else if (isSaid) seen.add(key);
        known += Number(isKnown);
        unknown += Number(!isKnown);
      }
    }
    expect([...seen]).to.have.members(tellNothing);
    expect(known).to.be.greaterThan(unknown);
    expect(unknown).to.be.greaterThan(0);
  });

  it('answers coordinates without an address, and refuses what a lookup refuses, in its words', async () => {
    const point = (await (await ask(service.url, { lat: 44.1, lon: -78.6 })).json()) as CoverageBody;
    expect(point.address).to.equal(null);
    const refused = [
      ['/api/lookup', { address: '13 Main St W, Sampleton, ON' }],
      ['/api/lookup', { address: '100 Elgin St, Montréal, QC' }],
      ['/api/lookup/point', { lat: 45.5, lon: -73.57 }],
      ['/api/lookup/point', { lat: -78.6, lon: 44.1 }],
      ['/api/lookup', { address: ' ' }],
      ['/api/lookup/point', { lat: 44.1 }],
      ['/api/lookup/point', { lat: '44.1', lon: -78.6 }],
      ['/api/lookup/point', { lat: 44.1, lon: -78.6, address: ADDRESS }],
    ] as const;
    for (const [path, body] of refused) {
      const response = await ask(service.url, body);
      const { instance: mine, ...problem } = (await response.json()) as Record<string, unknown>;
      const asked = await lookUp(path, body);
      const { instance: other, ...same } = asked.body as Record<string, unknown>;
      expect([response.status, problem], JSON.stringify(body)).to.deep.equal([asked.status, same]);
      expect(mine).not.to.equal(other);
    }
  });

  it('is a tool that needs no key', async () => {
    const message = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'coverage', arguments: { address: ADDRESS } },
    };
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
    });
    const { result } = (await response.json()) as { result: { structuredContent: CoverageBody } };
    const { known, address } = result.structuredContent;
    expect({ known, address }).to.deep.equal(await (await ask(service.url, { address: ADDRESS })).json());
  });
});

/** Squares of 200 m around places in a row, 10 km from each other. */
const X = 1_300_000;
const Y = 11_900_000;
const square = (place: number): string => {
  const [west, east] = [X + place * 10_000 - 100, X + place * 10_000 + 100];
  return `POLYGON((${west} ${Y - 100},${east} ${Y - 100},${east} ${Y + 100},${west} ${Y + 100},${west} ${Y - 100}))`;
};

describe('what coverage tells of hand-made data', () => {
  const layer = (id: string, more: object) =>
    ({ dataSet: { id, fields: {} }, answer: { key: id, ...more } }) as unknown as Catalogue['answers'][number];
  const bands = { regulated: 15, adjacent: 100 };
  const answers = [
    layer('flood', { kind: 'proximity', bands, reader: { concern: 'hazard' } }),
    layer('policy', { kind: 'value', field: 'NAME', reader: { concern: 'restriction' } }),
    layer('soil', { kind: 'value', field: 'NAME' }),
    layer('lake', { kind: 'proximity', bands }),
    layer('gone', { kind: 'boolean' }),
  ];

  it('is the same whether a lookup finds something or nothing, but for what only says which', () => {
    using folder = temporaryFolder();
    const here = [{ wkt: square(0), attributes: { NAME: 'x' } }];
    writeSnapshot(folder.path, {
      flood: { features: here, coverage: 'features' },
      policy: { features: here, coverage: 'features' },
      soil: { features: here, coverage: 'features' },
      lake: { features: here, coverage: 'province' },
    });
    const snapshot = openSnapshot(folder.path);
    const { writePlace } = coverage.open({} as ServedSnapshot, { answers, further: [], shared: null });
    const at = (place: number) => {
      const view = referenceView(snapshot, { x: X + place * 10_000, y: Y, scale: 1 });
      const { known } = JSON.parse(writePlace!({ view, geocode: {} as PointGeocode })) as CoverageBody;
      return known;
    };
    const found = { flood: false, policy: false, soil: true, lake: true, gone: false };
    expect(at(0)).to.deep.equal(found);
    expect(at(1)).to.deep.equal({ ...found, soil: false });
    snapshot.close();
  });
});

const isCoverage = (task: LookupTask): boolean => 'writer' in task && task.writer === 'coverage';

const answer = { json: '{"known":{},"address":null}', geocodeMs: 1, layersMs: 1 };

describe('POST /api/coverage', () => {
  const start = (options: FrontEndOptions = {}) =>
    startFrontEnd({
      lookup: (task) => Promise.resolve(isCoverage(task) ? answer : okAnswer),
      ...options,
    });

  it('is counted for the network alone, whatever key comes with it, and is not billed', async () => {
    await using front = await start();
    const quota = front.services.quotas.of(coverageLimit.counts);
    for (const [asked, headers] of [{}, { authorization: `Bearer ${front.key}` }, { authorization: 'x' }].entries()) {
      expect((await ask(front.url, { address: ADDRESS }, headers)).status).to.equal(200);
      expect((await quota.peek('127.0.0.1', coverageLimit.most)).remaining).to.equal(coverageLimit.most - asked - 1);
    }
    await quota.spend('127.0.0.1', coverageLimit.most, coverageLimit.most - 3);
    const refused = await ask(front.url, { address: ADDRESS });
    expect([refused.status, wholeHour(refused.headers.get('retry-after'))]).to.deep.equal([429, '3600']);
    expect(await refused.json()).to.include({
      ...{ code: 'RATE_LIMITED', reason: 'PER_HOUR' },
      detail: 'this network may ask about coverage 1000 times per hour',
    });
    expect(wholeHour((await front.post({ address: ADDRESS })).headers.get('ratelimit'))).to.equal(
      '"lookup";r=999;t=3600',
    );
  });

  it('has four places in the threads for all networks together, and lookups of keys go on beside them', async () => {
    const waiting: (() => void)[] = [];
    const statuses: number[] = [];
    await using front = await start({
      lookup: (task) =>
        isCoverage(task)
          ? new Promise((resolve) => {
              waiting.push(() => {
                resolve(answer);
              });
            })
          : Promise.resolve(okAnswer),
    });
    const flood = Array.from({ length: 12 }, async () => {
      const { status, headers } = await ask(front.url, { address: ADDRESS });
      statuses.push(status);
      if (status !== 200) expect(headers.get('retry-after')).to.equal('1');
    });
    while (statuses.length < 8) await sleep(5);
    expect([waiting.length, new Set(statuses)]).to.deep.equal([4, new Set([503])]);
    for (let i = 0; i < 20; i++) expect((await front.post({ address: ADDRESS })).status).to.equal(200);
    for (const answerNow of waiting) answerNow();
    await Promise.all(flood);
    expect(statuses.filter((status) => status === 200)).to.have.length(4);
  });

  it('does not ask a remote geocoder, which may want money', async () => {
    let asked = 0;
    await using front = await start({
      lookup: () =>
        Promise.reject(
          new AppError('ADDRESS_NOT_FOUND', 'no such street', {
            extras: { reason: 'STREET_NOT_FOUND', suggestions: [] },
          }),
        ),
      overrides: {
        geocoding: {
          lookup: () => Promise.resolve((asked++, answer)),
          state: () => Promise.resolve({ words: 'ok', obstacle: null }),
        },
      },
    });
    expect((await ask(front.url, { address: ADDRESS })).status).to.equal(404);
    expect(asked).to.equal(0);
  });

  it('takes a small body of JSON, one member that it knows, and no other method', async () => {
    await using front = await start();
    expect((await ask(front.url, { address: 'x'.repeat(9000) })).status).to.equal(400);
    expect((await ask(front.url, '{')).status).to.equal(400);
    expect((await ask(front.url, [])).status).to.equal(400);
    expect(await (await ask(front.url, { place: ADDRESS })).json()).to.deep.include({
      ...{ status: 400, detail: 'the body must have the member "address", or "lat" and "lon"' },
    });
    expect((await ask(front.url, 'null')).status).to.equal(400);
    expect((await ask(front.url, { address: ADDRESS }, { 'content-type': 'text/plain' })).status).to.equal(400);
    expect((await fetch(`${front.url}/api/coverage?x=1`, { method: 'POST' })).status).to.equal(400);
    expect((await fetch(`${front.url}/api/coverage`)).status).to.equal(405);
  });
});
