import { expect } from 'chai';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { projectDir } from '../../src/project/project.ts';
import type { Coordinate } from '../../src/messages/lookup.ts';
import type { LayerEvidence } from '../../src/messages/wire/full-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import { answerPlace } from '../support/oracles/answer-place.ts';
import { project } from '../../workers/geopackage/lambert.ts';
import { referenceView } from '../../workers/engine/views/reference-view.ts';
import { openSnapshot } from '../../workers/geopackage/snapshot.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { catalogueAsServed, generateProvince, nowhere, type Case } from '../support/material/generated-province.ts';
import { definitionsWithAddresses } from '../support/material/layer-definitions.ts';
import { servedProvince } from '../support/doubles/province/serve.ts';
import { geoJson, writeSources } from '../support/material/sources.ts';

/** The answers of all layers, or of one: the reference path takes its time over a province of polygons with many vertices. */
type Ask = (
  at: Coordinate,
  key?: string,
) => { layers: Record<string, LayerValue>; evidence: Record<string, LayerEvidence> };

function asking<T>(dataDir: string, { answers }: Catalogue, work: (ask: Ask) => T): T {
  const snapshot = openSnapshot(currentSnapshot(dataDir)!.dir);
  try {
    return work((at, key) => {
      const asked = key === undefined ? answers : answers.filter(({ answer }) => answer.key === key);
      return answerPlace(referenceView(snapshot, project(at)), asked, 10);
    });
  } finally {
    snapshot.close();
  }
}

function wrongCases(ask: Ask, cases: readonly Case[]): string[] {
  return cases.flatMap(({ key, what, at, value, state }) => {
    const { layers, evidence } = ask(at, key);
    const [wanted, given] = [JSON.stringify([state, value]), JSON.stringify([evidence[key]?.state, layers[key]])];
    return wanted === given ? [] : [`${key}, ${what}: ${given}, not ${wanted}`];
  });
}

describe('import of the whole province', function () {
  this.timeout(240_000);

  it('downloads all data sets, and each key answers each of its states and values', async () => {
    using folder = temporaryFolder();
    const generated = generateProvince(catalogueAsServed(readCatalogue(join(projectDir, 'layers'))));
    await using server = await ArcgisServer.start([]);
    const layersDir = definitionsWithAddresses(join(folder.path, 'layers'), server.url);
    const catalogue = readCatalogue(layersDir);
    server.layers = servedProvince(generated.features).map((layer) => ({ ...layer, maxRecordCount: 5 }));
    const config = { dataDir: join(folder.path, 'data'), layersDir };
    const output = capturedOutput();
    expect(await loadLayers(config, { server: server.url }, output), output.text()).to.equal(0);

    const { dataSets } = currentSnapshot(config.dataDir)!.manifest;
    expect(Object.keys(dataSets).sort()).to.deep.equal(catalogue.dataSets.map(({ id }) => id).sort());
    const until = new Map([['utility_line', / statement of the source 2008-06-12$/]]);
    for (const [id, { asOf, asOfFrom, attribution, featureCount, dropped, beside = {} }] of Object.entries(dataSets)) {
      const date = until.get(id) ?? / newest effective date 2024-05-\d\d$/;
      expect(`${id} ${asOfFrom} ${asOf}`).to.match(date);
      expect(attribution, id).to.match(/\S/);
      const left = [...Object.values(dropped), ...Object.values(beside)].reduce((sum, count) => sum + count, 0);
      expect(featureCount + left, id).to.equal(generated.features.get(id)!.length);
    }
    expect(dataSets['flood_hazard']?.attribution).to.match(/named as sources\. Contains .*\(TRCA\)/);

    const keys = new Set(generated.cases.map(({ key }) => key));
    expect([...keys]).to.have.members(catalogue.answers.map(({ answer }) => answer.key));
    expect(asking(config.dataDir, catalogue, (ask) => wrongCases(ask, generated.cases))).to.deep.equal([]);

    // The same from files, with an area of coverage each, so that "not covered" comes up too.
    const filesConfig = { ...config, dataDir: join(folder.path, 'other') };
    const files = Object.fromEntries(
      [...generated.features].map(([id, features]) => [`${id}.geojson`, geoJsonOf(features)]),
    );
    const box = [-89.5, 42.3, -86.5, 45.3];
    const manifest = Object.fromEntries(
      [...generated.features.keys()].map((id) => [id, { file: `${id}.geojson`, coverage: box }]),
    );
    const from = writeSources(join(folder.path, 'from'), manifest, files);
    expect(await loadLayers(filesConfig, { from }, output), output.text()).to.equal(0);
    asking(filesConfig.dataDir, catalogue, (ask) => {
      const inBox = generated.cases.filter(({ state }) => state !== 'no_coverage');
      expect(wrongCases(ask, inBox)).to.deep.equal([]);
      const outside = ask({ lat: nowhere.lat, lon: -86.2 });
      for (const key of keys) {
        expect(outside.layers[key], key).to.equal(null);
        expect(outside.evidence[key]?.state, key).to.equal('no_coverage');
      }
    });
  });

  it('answers null, never "no", for what was not imported', async () => {
    using folder = temporaryFolder();
    const layersDir = join(projectDir, 'layers');
    const catalogue = readCatalogue(layersDir);
    const generated = generateProvince(catalogue);
    await using server = await ArcgisServer.start(servedProvince(generated.features));
    const config = { dataDir: join(folder.path, 'data'), layersDir };
    const output = capturedOutput();
    expect(await loadLayers(config, { server: server.url, only: ['greenbeltDesignation'] }, output)).to.equal(0);
    asking(config.dataDir, catalogue, (ask) => {
      const { layers, evidence } = ask(nowhere);
      const known = Object.keys(layers).filter((key) => evidence[key]?.state !== 'unavailable' || layers[key] !== null);
      expect(known).to.deep.equal(['greenbelt', 'greenbeltDesignation']);
    });
    expect(await loadLayers(config, { server: server.url, only: ['nothing'] }, output)).to.equal(1);
    expect(output.text()).to.include('there is no data set and no layer "nothing"');
  });
});

function geoJsonOf(features: Parameters<typeof geoJson>[0] | readonly object[]): string {
  return geoJson(
    (features as readonly { attributes: object; geometry: object }[]).map(({ attributes, geometry }) => ({
      properties: attributes as Record<string, string>,
      geometry: geometry as { type: string; coordinates: unknown },
    })),
  );
}
