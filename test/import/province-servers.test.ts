import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import type { LoadLayersOptions } from '../../src/import/load-layers.ts';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { allAnswers } from '../../src/catalogue/catalogue.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import { answerPlace } from '../support/oracles/answer-place.ts';
import { project } from '../../workers/geopackage/lambert.ts';
import { referenceView } from '../../workers/engine/views/reference-view.ts';
import { openSnapshot } from '../../workers/geopackage/snapshot.ts';
import { randomFaults } from '../support/doubles/arcgis/faults.ts';
import type { ServedLayer } from '../support/doubles/arcgis/layers.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { definitionsWithAddresses } from '../support/material/layer-definitions.ts';
import { province } from '../support/doubles/province/catalogue.ts';
import { EXAMPLES, examples, serve, servedProvince } from '../support/doubles/province/serve.ts';

const retry = { attempts: 20, firstMs: 2, mostMs: 20 };
const all = [...new Set(Object.entries(province).map(([id, { partOf }]) => partOf ?? id))].sort();

/** The layers of a data set. */
const layersOf = (id: string) => [province[id]!, ...Object.values(province).filter(({ partOf }) => partOf === id)];

/** Imports everything from these layers; gives exit code, report and snapshot. */
async function load(layers: readonly ServedLayer[], options: LoadLayersOptions = {}, isUnwell = false) {
  const folder = temporaryFolder();
  await using server = await ArcgisServer.start(layers);
  if (isUnwell)
    server.faults = randomFaults(seededRandom(15), 0.2, ['lost connection', 'silently short page', 'broken off']);
  const layersDir = definitionsWithAddresses(join(folder.path, 'layers'), server.url);
  const config = { dataDir: join(folder.path, 'data'), layersDir };
  const output = capturedOutput();
  const code = await loadLayers(config, { server: server.url, retry, idleMs: 1000, ...options }, output);
  return {
    code,
    text: output.text(),
    config,
    [Symbol.dispose]: () => {
      folder[Symbol.dispose]();
    },
  };
}

type Loaded = Awaited<ReturnType<typeof load>>;

function imported({ config }: Loaded): string[] {
  return Object.keys(currentSnapshot(config.dataDir)?.manifest.dataSets ?? {}).sort();
}

/** What a key answers in the first feature of a data set. */
function answerOf(loaded: Loaded, id: string, key: string): LayerValue | undefined {
  return explained(loaded, id, key).value;
}

function explained({ config }: Loaded, id: string, key: string) {
  const row = Object.keys(province).indexOf(id);
  const snapshot = openSnapshot(currentSnapshot(config.dataDir)!.dir);
  try {
    const at = { lat: 43.505 + row * 0.05, lon: -81.995 };
    const answers = allAnswers(readCatalogue(config.layersDir));
    const { layers, evidence } = answerPlace(referenceView(snapshot, project(at)), answers, 10);
    return { value: layers[key], state: evidence[key]?.state };
  } finally {
    snapshot.close();
  }
}

/** The layers with one of them changed. */
function withChanged(id: string, change: (layer: ServedLayer) => ServedLayer): ServedLayer[] {
  const { name } = province[id]!;
  return servedProvince().map((layer) => (layer.name === name ? change(layer) : layer));
}

const without =
  (field: string) =>
  (layer: ServedLayer): ServedLayer => ({ ...layer, fields: layer.fields.filter(({ name }) => name !== field) });

describe("an import from the province's services as others describe them", function () {
  this.timeout(240_000);

  it('takes every data set, through lost connections and silently short pages', async () => {
    using loaded = await load(servedProvince(), {}, true);
    expect(loaded.code, loaded.text).to.equal(0);
    expect(imported(loaded)).to.deep.equal(all);
    const { dataSets } = currentSnapshot(loaded.config.dataDir)!.manifest;
    for (const [id, { featureCount, dropped }] of Object.entries(dataSets)) {
      const left = Object.values(dropped).reduce((sum, count) => sum + count, 0);
      const served = layersOf(id).reduce((sum, { more = [] }) => sum + EXAMPLES + more.length, 0);
      expect(featureCount + left, id).to.equal(served);
    }
    expect(dataSets['ohn_watercourse']?.dropped).to.deep.equal({ 'WATERCOURSE_TYPE is "Virtual Flow"': 1 });
    expect(dataSets['petroleum_well']?.featureCount).to.equal(EXAMPLES + 1);
    expect(loaded.text).to.not.match(/found by (id|another)/);

    expect(answerOf(loaded, 'owb_tertiary', 'watershed')).to.deep.equal({
      code: '02EC',
      name: 'Black River - Lake Simcoe',
    });
    expect(answerOf(loaded, 'first_nation_reserve', 'firstNationReserve')).to.deep.equal({
      name: 'CHIPPEWAS OF GEORGINA ISLAND',
    });
    expect(answerOf(loaded, 'ecoregion', 'ecoregion')).to.deep.equal({ code: '6E', name: 'Lake Simcoe-Rideau' });
    expect(answerOf(loaded, 'soil_survey_complex', 'soil')).to.include({ cliClass: '2' });
    expect(answerOf(loaded, 'orm_land_use', 'ormcp')).to.equal('Natural Linkage Area');
    expect(answerOf(loaded, 'ca_admin_areas', 'caBoundary')).to.deep.equal({
      caId: '27',
      caName: 'Lake Simcoe Region Conservation Authority',
    });
    expect(answerOf(loaded, 'wetland', 'wetlandProximity')).to.equal('inside');
  });

  it('takes every data set under the titles of the catalogue too', async () => {
    const titled = Object.values(province).map((layer, row) =>
      serve({ ...layer, name: layer.title ?? layer.name }, examples(layer, row)),
    );
    using loaded = await load(titled);
    expect(loaded.code, loaded.text).to.equal(0);
    expect(imported(loaded)).to.deep.equal(all);
    expect(loaded.text).to.match(/^wetland .*found by another name, "Wetland"$/m);
  });

  it('goes by the ids where all names are others, and says so', async () => {
    const renamed = servedProvince().map((layer) => ({ ...layer, name: `Layer ${layer.id}` }));
    using loaded = await load(renamed);
    expect(loaded.code, loaded.text).to.equal(2);
    // The service of petroleum wells is not known, so they have no id to go by; an authority's own layer is read under its name alone.
    const unnamed = ['petroleum_well', 'flood_hazard', 'regulated_area', 'wellhead_protection', 'heritage_district'];
    // Nothing but a geometry type tells what these are: fewer than half of their fields are there, or they have none.
    const alike = ['built_up_area', 'lake_simcoe_watershed', 'natural_heritage_system', 'tile_drainage_area'];
    const few = ['ohn_shoreline', 'waste_management_site'];
    expect(imported(loaded)).to.deep.equal(all.filter((id) => ![...unnamed, ...alike, ...few].includes(id)));
    expect(loaded.text).to.match(/^tile_drainage_area .*FAILED: .*"Layer 11"\) has 0 of 0 fields, too few to tell/m);
    expect(loaded.text).to.match(
      /^wetland .*found by id 15 because .* the service has none of its names and calls it "Layer 15"$/m,
    );
    expect(loaded.text).to.match(/^petroleum_well .*FAILED: .*no layer named "Petroleum Well"; it has: .*22 Layer 22/m);
  });

  it('takes every data set when the ids are others, and without an optional field', async () => {
    const optional: Record<string, string> = {
      ca_admin_areas: 'COMMON_NAME',
      owb_tertiary: 'WATERSHED_CODE',
      well_records: 'DEPTH_M',
      soil_survey_complex: 'CLASS1',
    };
    const names = new Map(Object.entries(optional).map(([id, field]) => [province[id]!.name, field]));
    const layers = servedProvince().map((layer) => ({
      ...without(names.get(layer.name) ?? '')(layer),
      id: layer.id + 1,
    }));
    using loaded = await load(layers);
    expect(loaded.code, loaded.text).to.equal(0);
    expect(imported(loaded)).to.deep.equal(all);
    expect(answerOf(loaded, 'owb_tertiary', 'watershed')).to.deep.equal({
      code: null,
      name: 'Black River - Lake Simcoe',
    });
  });

  it('fails for one data set alone when a required field is called otherwise', async () => {
    const layers = withChanged('ca_admin_areas', (layer) => ({
      ...without('LEGAL_NAME')(layer),
      fields: [...without('LEGAL_NAME')(layer).fields, { name: 'TITLE', type: 'esriFieldTypeString' }],
    }));
    using loaded = await load(layers);
    expect(loaded.code, loaded.text).to.equal(2);
    expect(imported(loaded)).to.deep.equal(all.filter((id) => id !== 'ca_admin_areas'));
    expect(loaded.text).to.match(
      /^ca_admin_areas .*FAILED: .*has no field "LEGAL_NAME"; it has: .*COMMON_NAME.*TITLE/m,
    );
  });

  const wetlandChanges: readonly (readonly [what: string, change: (layer: ServedLayer) => ServedLayer])[] = [
    ['is gone', (layer) => ({ ...layer, service: 'LIO_OPEN_DATA/LIO_Open99/MapServer' })],
    ['has moved, with another in its place', (layer) => ({ ...layer, name: 'Something else', fields: [] })],
    ['is empty', (layer) => ({ ...layer, features: [] })],
  ];
  for (const [what, change] of wetlandChanges)
    it(`knows nothing of significant wetlands when the layer ${what}`, async () => {
      using loaded = await load(withChanged('wetland', change), { only: ['wetland', 'ansi'] });
      expect(loaded.code, loaded.text).to.equal(2);
      expect(imported(loaded)).to.deep.equal(['ansi']);
      const { value, state } = explained(loaded, 'wetland', 'significantWetlandProximity');
      expect({ value, state }).to.deep.equal({ value: null, state: 'unavailable' });
    });

  it('takes the layer that the operator chooses', async () => {
    const moved = withChanged('ca_admin_areas', (layer) => ({
      ...layer,
      service: 'LIO_OPEN_DATA/LIO_Open09/MapServer',
      name: 'Authorities',
      id: 5,
    }));
    const only = ['ca_admin_areas'];
    using lost = await load(moved, { only });
    expect(lost.code).to.equal(1);
    using found = await load(moved, { only, layerId: ['ca_admin_areas=LIO_OPEN_DATA/LIO_Open09/MapServer/5'] });
    expect(found.code, found.text).to.equal(0);
    expect(found.text).to.match(/^ca_admin_areas .*chosen by --layer-id: 5 "Authorities"$/m);

    using wrong = await load(moved, { only, layerId: ['ca_admin_areas=LIO_Open09/5'] });
    expect(wrong.text).to.include('--layer-id must be DATA_SET=SERVICE/ID');
    using unknown = await load(moved, { only, layerId: ['flood_hazard=a/MapServer/5'] });
    expect(unknown.text).to.include('there is no data set "flood_hazard" with a layer of a service as its source');
  });

  it('checks every source and fetches nothing', async () => {
    await using packages = await servePackages();
    using checked = await load(servedProvince(), { check: true, packages: packages.url });
    expect(checked.code, checked.text).to.equal(0);
    expect(currentSnapshot(checked.config.dataDir)).to.equal(null);
    const rows = [
      /^owb_tertiary +by name +OWB Tertiary Watersheds +2 +3 .* none +has no codes +0 +LIO_\S+\/2 +fetch it$/m,
      /^orwn_track +yes +2\.0 MB +2026-03-01 +not read +ORWNTRK\.zip +use it if the sources before it fail$/m,
      /^wetland +yes +2\.0 MB +2026-03-01 +not read +WETLAND\.zip +fetch it if it has changed$/m,
      /^petroleum_well +by name .* LIC_NUMBER +0 in 7 rows +2 .* fetch it +new fields: OPERATOR, SPUD_DATE$/m,
      /^airport_official +by name +Airport Other +1 +3 .* AIRPORT_TYPE +has no codes +0 .* fetch it$/m,
      /^flood_hazard +by name .* fetch it +other names: FloodPlainSource for BASIS$/m,
    ];
    for (const row of rows) expect(checked.text).to.match(row);
    for (const id of all) expect(checked.text).to.match(new RegExp(`^${id} `, 'm'));
  });

  it('names the line to change when a check finds a misfit', async () => {
    const layers = withChanged('ca_admin_areas', without('LEGAL_NAME')).flatMap((layer) =>
      layer.name === 'OHN Shoreline' ? [] : [layer],
    );
    using checked = await load(layers, { check: true });
    expect(checked.code, checked.text).to.equal(2);
    const failures = [...checked.text.matchAll(/^(\w+) .*FAIL +(layers\/\w+\.json:\d+) does not fit: (.*)$/gm)];
    expect(failures.map(([, id]) => id)).to.deep.equal(['ca_admin_areas', 'ohn_shoreline']);
    expect(failures.map(([, , place]) => lineAt(checked.config.layersDir, place!))).to.deep.equal([
      '"LEGAL_NAME": {',
      '"names": ["OHN Shoreline", "Ontario Hydro Network (OHN) - Shoreline"],',
    ]);
  });
});

/** The text of `layers/wetland.json:15`. */
function lineAt(layersDir: string, place: string): string {
  const [file = '', line = ''] = place.replace('layers/', '').split(':');
  return readFileSync(join(layersDir, file), 'utf8').split('\n')[Number(line) - 1]!.trim();
}

/** A server that has every package, and gives none. */
async function servePackages() {
  const server = createServer((request, response) => {
    const headers = { 'content-length': 2_000_000, 'last-modified': 'Sun, 01 Mar 2026 00:00:00 GMT' };
    response.writeHead(request.method === 'HEAD' ? 200 : 500, headers).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/fgdb`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) =>
        server.close(() => {
          resolve();
        }),
      ),
  };
}
