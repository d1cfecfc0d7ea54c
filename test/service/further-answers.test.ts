/** Further answers through the whole service on the bundled sample: HTTP, pool, GDAL. */
import { expect } from 'chai';
import { readExamples } from '../../src/http/service-documents.ts';
import type { FullPointLookupBody } from '../../src/shared/wire/point-lookup.ts';
import type { LayersBody } from '../../src/shared/wire/layers.ts';
import { furtherKeys, layerKeys } from '../support/layer-keys.ts';
import { contractBreach } from '../support/contract.ts';
import { startSampleService, type SampleService } from '../support/sample-service.ts';

const { area } = readExamples();
/** In the sample's significant wetland, and beside one that was evaluated and is not significant. */
const SIGNIFICANT = { lat: 44.316425, lon: -79.271468 };
const EVALUATED = { lat: 43.961769, lon: -78.190139 };
const KEY = 'significantWetlandProximity';

interface Answer {
  readonly layers: Readonly<Record<string, unknown>>;
  readonly dataAsOf: object;
}

describe('further answers', function () {
  this.timeout(240_000);
  let service: SampleService;
  before(async () => {
    service = await startSampleService();
  });
  after(() => service[Symbol.asyncDispose]());

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
    it(`come after the others in ${path}, when they are asked for`, async () => {
      const plain = await ask(path, body);
      expect(Object.keys(plain.layers)).to.deep.equal(layerKeys);
      const all = await ask(`${path}?layers=all`, body);
      expect(Object.keys(all.layers)).to.deep.equal([...layerKeys, ...furtherKeys]);
      const one = await ask(`${path}?layers=${KEY},${KEY}`, body);
      expect(Object.keys(one.layers)).to.deep.equal([...layerKeys, KEY]);
      expect(one.layers[KEY]).to.deep.equal(all.layers[KEY]);
      const own = Object.entries(all.layers).filter(([key]) => layerKeys.includes(key));
      expect(Object.fromEntries(own)).to.deep.equal(plain.layers);
    });
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

  it('are refused by keys that are none', async () => {
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
});
