/** How old data say that they are: `dataAsOf` claims no more, and everything that speaks of the data says it. */
import { expect } from 'chai';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { issueKey } from '../../src/core/keys/keys.ts';
import { openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { describeLayers } from '../../src/core/layers/describe-layers.ts';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { projectDir } from '../../src/project/project.ts';
import { readConfig } from '../../src/config.ts';
import { createServiceLogger } from '../../src/core/settings/logger.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';
import type { LicencesBody } from '../../src/messages/wire/licences.ts';
import type { FullPointLookupBody } from '../../src/messages/wire/point-lookup.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { startHere } from '../support/drivers/start-here.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { Agent } from '../support/drivers/mcp.ts';
import { province } from '../support/doubles/province/catalogue.ts';
import { examples, serve } from '../support/doubles/province/serve.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';
import { geoJson, polygon, square, writeSources, type TestFeature } from '../support/material/sources.ts';

const AT = { lat: 44.5, lon: -79 };
const LINES = '2008-06-12';

const drawn: Readonly<Record<string, readonly TestFeature[]>> = {
  province: [polygon([square(-81, 43, 4)], {})],
  ansi: [polygon([square(-79.005, 44.495, 0.01)], { ANSI_NAME: 'A bog', CLASS_SUBTYPE: 'ANSI, Life Science' })],
  utility_line: [
    {
      geometry: {
        type: 'LineString',
        coordinates: [
          [-79.01, 44.5001],
          [-78.99, 44.5001],
        ],
      },
      properties: { CLASS_SUBTYPE: 'Hydro Line', CLASS_SUBTYPE_NUM: 1114 },
    },
  ],
  well_records: [
    {
      geometry: { type: 'Point', coordinates: [AT.lon, AT.lat] },
      properties: { WELL_ID: '0000001', FINAL_STATUS_DESCR: 'Water Supply' },
    },
  ],
};

describe('the date to which a source says that its data reach', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const environment = { DATA_DIR: join(folder.path, 'data'), PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1' };
  const config = readConfig({ ...environment, LOOKUP_DEADLINE_MS: '120000' });
  let service: Awaited<ReturnType<typeof startHere>>;
  let key: string;

  before(async () => {
    const entries = Object.keys(drawn).map((id) => [id, { file: `${id}.geojson`, asOf: '2026-01-01' }]);
    const files = Object.entries(drawn).map(([id, features]) => [`${id}.geojson`, geoJson(features)]);
    const from = writeSources(
      join(folder.path, 'from'),
      Object.fromEntries(entries) as object,
      Object.fromEntries(files) as Record<string, string>,
    );
    const output = capturedOutput();
    expect(await loadLayers(config, { from }, output), output.text()).to.equal(0);
    await using store = await openKeyStore(config);
    key = (await issueKey(store, { name: 'test', limitPerHour: 1000, expiresAt: null })).key;
    const logger = createServiceLogger('info', new PassThrough().resume());
    service = await startHere(config, { logger });
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const get = async <T>(path: string, accept = 'application/json'): Promise<T> => {
    const response = await fetch(service.url + path, { headers: { accept } });
    return (accept === 'application/json' ? response.json() : response.text()) as Promise<T>;
  };
  const lookup = async (query: string, at = AT): Promise<FullPointLookupBody> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const asked = { method: 'POST', headers, body: JSON.stringify(at) };
    return (await (await fetch(`${service.url}/api/lookup/point${query}`, asked)).json()) as FullPointLookupBody;
  };

  it('is the latest that dataAsOf claims; an earlier date stays', async () => {
    const { dataAsOf, layers } = await lookup('');
    expect(dataAsOf).to.deep.equal({ utility_line: LINES, well_records: '2026-01-01', ansi: '2026-01-01' });
    expect(Object.keys(layers)).to.have.length(37);
    expect(layers['transmissionLineProximity']).to.equal('regulated');
    const { dataSets } = requireCurrentSnapshot(config.dataDir).manifest;
    expect(dataSets['utility_line']).to.include({ asOfFrom: 'statement of the source', sourceUntil: LINES });
    expect(dataSets['well_records']).to.include({ asOfFrom: 'source manifest', sourceUntil: '2026-06-30' });
    expect(dataSets['ansi']).not.to.have.property('sourceUntil');
  });

  it('is in the evidence of the answers that rest on such data, also where nothing is found', async () => {
    const { evidence } = await lookup('?detail=full');
    expect(evidence['transmissionLineProximity']).to.include({ sourceUntil: LINES, state: 'present' });
    expect(evidence['waterWells']).to.include({ sourceUntil: '2026-06-30' });
    const { evidence: none } = await lookup('?detail=full', { lat: 44.9, lon: -79 });
    expect(none['transmissionLineProximity']).to.deep.equal({
      ...{ state: 'absent', distanceM: null, searchedM: 150, boundaryDistanceM: null, nearBoundary: false },
      ...{ dataSets: ['utility_line'], sourceUntil: LINES },
    });
    const others = Object.entries(evidence).filter(([, one]) => 'sourceUntil' in one);
    expect(others.map(([name]) => name)).to.have.members(['transmissionLineProximity', 'waterWells']);
  });

  it('is in the catalogue with where it stands, in the licences and in what agents read', async () => {
    const { layers } = await get<LayersBody>('/api/layers');
    const [lines] = layers.find((layer) => layer.key === 'transmissionLineProximity')!.dataSets;
    expect(lines).to.deep.include({ asOf: LINES, asOfFrom: 'statement of the source' });
    expect(lines!.sourceUntil).to.include({ day: LINES });
    expect(lines!.sourceUntil!.stated).to.include('source_data_range_end 2008-06-12');
    expect(layers.find((layer) => layer.key === 'ansi')!.dataSets[0]!.sourceUntil).to.equal(null);

    const { statements } = await get<LicencesBody>('/licences');
    const until = statements.flatMap(({ data }) => data.map(({ id, sourceUntil }) => [id, sourceUntil]));
    expect(until).to.deep.include(['utility_line', LINES]).and.to.deep.include(['ansi', null]);
    const html = await get<string>('/licences', 'text/html');
    expect(html).to.match(/<li>Utility Line, [^<]*, 2008-06-12, its source says that it ends on 2008-06-12<\/li>/);

    await using agent = await Agent.connect({ url: service.url, key });
    const told = await agent.call('list_layers', { layer: 'transmissionLineProximity' });
    expect(JSON.stringify(told.body)).to.include('"sourceUntil":{"day":"2008-06-12"');
  });

  it('is not said of the sample, whose data are invented', () => {
    const { manifest } = requireCurrentSnapshot(sampleDataDir());
    const { layers } = describeLayers(readCatalogue(join(projectDir, 'layers')), manifest);
    const dataSets = layers.flatMap((layer) => layer.dataSets);
    expect(dataSets.filter(({ sample, sourceUntil }) => sample && sourceUntil !== null)).to.deep.equal([]);
    expect(manifest.dataSets['utility_line']!.asOf > LINES).to.equal(true);
  });

  it('reaches data that are here already, and unchanged at the server', async () => {
    using other = temporaryFolder();
    const layersDir = join(other.path, 'layers');
    cpSync(join(projectDir, 'layers'), layersDir, { recursive: true });
    const file = join(layersDir, 'utility_line.json');
    const definition = JSON.parse(readFileSync(file, 'utf8')) as { sourceUntil?: object };
    const before = { ...definition };
    delete before.sourceUntil;
    writeFileSync(file, JSON.stringify(before));
    const layer = province['utility_line']!;
    await using server = await ArcgisServer.start([serve(layer, examples(layer, 0))]);
    const mine = { dataDir: join(other.path, 'data'), layersDir };
    const load = async () => {
      const output = capturedOutput();
      const options = { server: server.url, only: ['utility_line'], retry: { attempts: 2, firstMs: 1, mostMs: 1 } };
      expect(await loadLayers(mine, options, output), output.text()).to.equal(0);
      return requireCurrentSnapshot(mine.dataDir).manifest.dataSets['utility_line']!;
    };
    expect((await load()).asOf).to.equal('2024-05-04');
    writeFileSync(file, JSON.stringify(definition));
    expect(await load()).to.include({ asOf: LINES, sourceUntil: LINES });
  });
});
