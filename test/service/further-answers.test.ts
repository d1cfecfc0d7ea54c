/** Further answers through the whole service on the bundled sample: HTTP, pool, GDAL. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readExamples } from '../../src/core/http/service-documents.ts';
import type { FullPointLookupBody } from '../../src/messages/wire/point-lookup.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';
import { furtherKeys, layerKeys } from '../support/material/layer-keys.ts';
import { cli } from '../support/drivers/cli.ts';
import { contractBreach } from '../support/oracles/contract.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { Agent } from '../support/drivers/mcp.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';
import { shareSampleService, type KeyedService } from '../support/drivers/sample-service.ts';
import { given } from '../support/drivers/given.ts';

const { area } = readExamples();
/** In the sample's significant wetland, and beside one that was evaluated and is not significant. */
const SIGNIFICANT = { lat: 44.316425, lon: -79.271468 };
const EVALUATED = { lat: 43.961769, lon: -78.190139 };
/** Beside one of its regulated areas. */
const REGULATED = { lat: 44.0935, lon: -78.6317 };
const KEY = 'significantWetlandProximity';

interface Answer {
  readonly layers: Readonly<Record<string, unknown>>;
  readonly dataAsOf: object;
}

describe('further answers', function () {
  this.timeout(240_000);
  let service: KeyedService;
  before(async () => {
    service = await shareSampleService();
  });

  const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const ask = async <Body = Answer>(path: string, body: object): Promise<Body> => {
    const response = await post(path, body);
    const text = await response.text();
    expect(response.status, text).to.equal(200);
    const { pathname } = new URL(path, service.url);
    const contentType = 'application/json';
    expect(
      contractBreach({ method: 'POST', path: pathname, status: 200, text, contentType, headers: response.headers }),
    ).to.equal(null);
    return JSON.parse(text) as Body;
  };

  const questions: readonly (readonly [path: string, body: object])[] = [
    ['/api/lookup', { address: readExamples().address }],
    ['/api/lookup/point', SIGNIFICANT],
    ['/api/lookup/area', area],
  ];

  for (const [path, body] of questions) {
    given(...(path === '/api/lookup/area' ? ['areas'] : [])).it(
      `come after the others in ${path}, when they are asked for`,
      async () => {
        const plain = await ask(path, body);
        expect(Object.keys(plain.layers)).to.deep.equal(layerKeys);
        const all = await ask(`${path}?layers=all`, body);
        expect(Object.keys(all.layers)).to.deep.equal([...layerKeys, ...furtherKeys]);
        const one = await ask(`${path}?layers=${KEY},${KEY}`, body);
        expect(Object.keys(one.layers)).to.deep.equal([...layerKeys, KEY]);
        expect(one.layers[KEY]).to.deep.equal(all.layers[KEY]);
        expect(plain.dataAsOf).not.to.have.any.keys('regulated_area', 'wellhead_protection', 'heritage_district');
        expect(all.dataAsOf).to.include.keys('regulated_area', 'wellhead_protection', 'heritage_district');
        const own = Object.entries(all.layers).filter(([key]) => layerKeys.includes(key));
        expect(Object.fromEntries(own)).to.deep.equal(plain.layers);
      },
    );
  }

  it('come with their evidence', async () => {
    const at = (place: object) => ask<FullPointLookupBody>(`/api/lookup/point?detail=full&layers=${KEY}`, place);
    const [inside, beside, plain] = [
      await at(SIGNIFICANT),
      await at(EVALUATED),
      await ask<FullPointLookupBody>('/api/lookup/point?detail=full', SIGNIFICANT),
    ];
    expect(inside.layers[KEY]).to.equal('inside');
    expect(inside.evidence[KEY]).to.deep.include({ state: 'present', distanceM: 0, dataSets: ['wetland'] });
    expect(inside.evidence[KEY]!.feature).to.include({ name: 'Sample Marsh', significance: 'provincial' });
    expect(beside.layers[KEY]).to.equal('outside');
    expect(beside.evidence[KEY]).to.include({ state: 'absent', distanceM: null });
    expect(beside.evidence[KEY]!.feature).to.include({ name: 'Sample Hollow', evaluated: 'yes' });
    expect(plain.evidence).not.to.have.property(KEY);
  });

  given('maps').it('are on the map of those who ask for them', async () => {
    const shown = async (query: string): Promise<string[]> => {
      const path = `/api/lookup/point?detail=full&geometry=near${query}`;
      const { geometry } = await ask<FullPointLookupBody>(path, REGULATED);
      return [...new Set(geometry!.features.map(({ properties }) => properties.dataSet))].sort();
    };
    const [plain, regulated, all] = [await shown(''), await shown('&layers=regulatedArea'), await shown('&layers=all')];
    expect(plain).to.not.include('regulated_area');
    expect(regulated).to.deep.equal([...plain, 'regulated_area'].sort());
    expect(all).to.include.members(regulated);
  });

  given('areas').it('are refused by keys that are none', async () => {
    for (const [path, body] of questions) {
      for (const [asked, wrong] of [
        ['nonsense', 'nonsense'],
        [`${KEY},soil`, 'soil'],
        [`${KEY},`, ''],
        ['all,', 'all'],
      ] as const) {
        const response = await post(`${path}?layers=${asked}`, body);
        expect(response.status).to.equal(400);
        expect(await response.json()).to.deep.include({
          ...{ code: 'BAD_REQUEST', reason: 'INVALID', param: 'layers' },
          detail: `"${wrong}" is no key of a further answer; there are: ${furtherKeys.join(', ')}`,
        });
      }
      expect((await post(`${path}?layers=${KEY}&layers=${KEY}`, body)).status).to.equal(400);
      expect((await post(`${path}?layers=`, body)).status).to.equal(400);
    }
  });

  it('make another request of one Idempotency-Key', async () => {
    const once = { 'Idempotency-Key': 'with-further-answers' };
    expect((await post(`/api/lookup/point?layers=${KEY}`, SIGNIFICANT, once)).status).to.equal(200);
    expect((await post('/api/lookup/point', SIGNIFICANT, once)).status).to.equal(400);
    const again = await post(`/api/lookup/point?layers=${KEY}`, SIGNIFICANT, once);
    expect(again.headers.get('Idempotent-Replayed')).to.equal('true');
    expect(((await again.json()) as Answer).layers[KEY]).to.equal('inside');
  });

  it('are listed after the others, and marked', async () => {
    const { layers } = (await (await fetch(`${service.url}/api/layers`)).json()) as LayersBody;
    expect(layers.map(({ key }) => key)).to.deep.equal([...layerKeys, ...furtherKeys]);
    expect(layers.filter(({ further }) => further).map(({ key }) => key)).to.deep.equal(furtherKeys);
  });

  given('batches').it('are in every row of a batch that asks for them, and in all its formats', async () => {
    const send = (query: string, key = 'one-batch'): Promise<Response> =>
      fetch(`${service.url}/api/batches?${query}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'text/csv', 'Idempotency-Key': key },
        body: `lat,lon\n${SIGNIFICANT.lat},${SIGNIFICANT.lon}\n${EVALUATED.lat},${EVALUATED.lon}\n`,
      });
    const get = async (path: string): Promise<Response> =>
      fetch(`${service.url}/api/batches/${path}`, { headers: { Authorization: `Bearer ${service.key}` } });
    const accepted = await send('layers=all');
    expect(accepted.status).to.equal(202);
    const { id, layers } = (await accepted.json()) as { readonly id: string; readonly layers: readonly string[] };
    expect(layers).to.deep.equal(furtherKeys);
    expect((await send('layers=all')).headers.get('Idempotent-Replayed')).to.equal('true');
    expect((await send('detail=plain')).status, 'another request').to.equal(400);
    expect(await (await send('layers=nonsense', 'bad')).json()).to.include({ code: 'BAD_REQUEST', param: 'layers' });
    let state = '';
    while (state !== 'completed') ({ state } = (await (await get(id)).json()) as { readonly state: string });
    const lines = (await (await get(`${id}/results`)).text()).trim().split('\n');
    const rows = lines.map((line) => (JSON.parse(line) as { readonly body: Answer }).body);
    expect(rows.map((row) => row.layers[KEY])).to.deep.equal(['inside', 'outside']);
    expect(Object.keys(rows[0]!.layers)).to.deep.equal([...layerKeys, ...furtherKeys]);
    const csv = (await (await get(`${id}/results?format=csv`)).text()).split('\n')[0]!.split(',');
    const columns = [KEY, 'regulatedArea.authority', 'regulatedArea.criteria', 'wellheadProtection.zone'];
    expect(csv).to.include.members(columns);
    expect(csv.indexOf(KEY)).to.be.above(csv.indexOf('transmissionLineProximity'));
    const parquet = Buffer.from(await (await get(`${id}/results?format=parquet`)).arrayBuffer());
    for (const name of columns) expect(parquet.includes(name), name).to.equal(true);
    expect(await (await get(`${id}/results?format=geojson`)).text()).to.contain(`"${KEY}":"inside"`);
  });

  given('agents', 'areas').it('are given by the tools for agents', async () => {
    await using agent = await Agent.connect({ url: service.url, key: service.key });
    const point = await agent.call('lookup_point', { ...SIGNIFICANT, layers: KEY });
    const told = point.body['layers'] as Readonly<Record<string, object>>;
    expect(told[KEY]).to.include({ state: 'present', value: 'inside' });
    expect(Object.keys(told)).to.deep.equal([...layerKeys, KEY]);
    const parcel = await agent.call('lookup_area', { ...area, layers: 'all' });
    expect(Object.keys(parcel.body['layers'] as object)).to.deep.equal([...layerKeys, ...furtherKeys]);
    const plain = await agent.call('lookup_address', { address: readExamples().address });
    expect(Object.keys(plain.body['layers'] as object)).to.deep.equal(layerKeys);
    const refused = await agent.call('lookup_point', { ...SIGNIFICANT, layers: 'nonsense' });
    expect(refused.isError).to.equal(true);
    expect(JSON.stringify(refused.body)).to.contain('is no key of a further answer').and.to.contain('/layers');
    expect((await agent.call('lookup_point', { ...SIGNIFICANT, layers: 1 })).isError).to.equal(true);
  });

  given('batches').it('are given by the command, for a place and for a file', () => {
    const at = `${SIGNIFICANT.lat},${SIGNIFICANT.lon}`;
    const run = (...args: readonly string[]) => cli(sampleDataDir(), 'lookup', ...args);
    const one = JSON.parse(run('--at', at, '--detail', 'plain', '--layers', KEY).stdout) as Answer;
    expect(Object.keys(one.layers)).to.deep.equal([...layerKeys, KEY]);
    expect(one.layers[KEY]).to.equal('inside');
    using folder = temporaryFolder();
    const file = join(folder.path, 'places.csv');
    writeFileSync(file, `lat,lon\n${at}\n`);
    const [head, row] = run('--file', file, '--format', 'csv', '--layers', 'all').stdout.split('\n');
    expect(head!.split(',')[head!.split(',').indexOf(KEY)]).to.equal(KEY);
    expect(row!.split(',')).to.include('inside');
    expect(run('--at', at, '--layers', 'nonsense').stderr).to.contain('is no key of a further answer; there are:');
  });
});
