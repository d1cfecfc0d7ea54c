/** What the province keeps in two layers counts as one: a house beside a feature of the second is not outside. */
import { expect } from 'chai';
import { join } from 'node:path';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { projectDir } from '../../src/project/project.ts';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import type { ServedLayer } from '../support/doubles/arcgis/layers.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { Miniature } from '../support/material/miniature.ts';
import { province } from '../support/doubles/province/catalogue.ts';
import { serve } from '../support/doubles/province/serve.ts';
import { square } from '../support/material/sources.ts';

const LAT = 44.5;
const SIDE = 0.01;
const OTHER = -79.5;
const FIRST = -80;

/** One square with the attributes of the province's example. */
function servedAt(id: string, lon: number, attributes: Readonly<Record<string, string>> = {}): ServedLayer {
  const layer = { ...province[id]!, isMoved: false };
  const geometry = { type: 'Polygon', coordinates: [square(lon, LAT, SIDE)] } as const;
  return serve(layer, [{ attributes: { ...layer.fields, ...attributes }, geometry }]);
}

/** Metres north of the square. */
const beyond = (lon: number, metres: number): [number, number] => [lon + SIDE / 2, LAT + SIDE + metres / 111_100];

const layers = [
  servedAt('airport_official', FIRST),
  servedAt('airport_other', OTHER),
  servedAt('waste_management_site', FIRST),
  servedAt('waste_attenuation_zone', OTHER),
];

type Case = readonly [key: string, at: [number, number], value: LayerValue, feature?: object];

const cases: readonly Case[] = [
  ['airportProximity', beyond(FIRST, -50), 'inside', { kind: 'airport', name: 'Lake Simcoe Regional' }],
  ['airportProximity', beyond(OTHER, -50), 'inside', { kind: 'other_aerodrome', name: 'Collingwood' }],
  ['airportProximity', beyond(OTHER, 900), 'regulated', { kind: 'other_aerodrome' }],
  ['airportProximity', beyond(OTHER, 4900), 'adjacent', { kind: 'other_aerodrome' }],
  ['airportProximity', beyond(OTHER, 5100), 'outside'],
  ['wasteSiteProximity', beyond(FIRST, 20), 'regulated', { kind: 'site', status: 'Closed' }],
  ['wasteSiteProximity', beyond(OTHER, -50), 'inside', { kind: 'attenuation_zone', name: null, status: null }],
  ['wasteSiteProximity', beyond(OTHER, 20), 'regulated', { kind: 'attenuation_zone' }],
  ['wasteSiteProximity', beyond(OTHER, 400), 'adjacent', { kind: 'attenuation_zone' }],
  ['wasteSiteProximity', beyond(OTHER, 600), 'outside'],
];

describe('layers that the province keeps in two', function () {
  this.timeout(240_000);

  it('counts airports and other aerodromes, waste sites and their attenuation zones', async () => {
    await using server = await ArcgisServer.start(layers);
    using miniature = await Miniature.served(server.url, ['airport_official', 'waste_management_site']);
    for (const [key, at, value, feature] of cases) {
      const told = miniature.ask(key, at);
      expect(told.value, `${key} at ${String(at)}`).to.equal(value);
      if (feature) expect(told.feature, `${key} at ${String(at)}`).to.deep.include(feature);
    }
    expect(Object.values(miniature.record('airport_official').parts!)).to.deep.equal([1, 1]);
  });

  it('imports neither without the other, which would read as "outside" beside what is missing', async () => {
    await using server = await ArcgisServer.start(layers.filter(({ name }) => name !== 'Airport Other'));
    using folder = temporaryFolder();
    const config = { dataDir: folder.path, layersDir: join(projectDir, 'layers') };
    const output = capturedOutput();
    const retry = { attempts: 2, firstMs: 1, mostMs: 1 };
    const only = ['airport_official', 'waste_management_site'];
    expect(await loadLayers(config, { server: server.url, only, retry }, output)).to.equal(2);
    expect(output.text().replace(/\s+/g, ' ')).to.include('has no layer named "Airport Other"');
    expect(Object.keys(currentSnapshot(folder.path)!.manifest.dataSets)).to.deep.equal(['waste_management_site']);
  });
});
