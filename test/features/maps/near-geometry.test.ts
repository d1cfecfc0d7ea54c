import { expect } from 'chai';
import type { AnswerDefinition, DataSetDefinition } from '../../../src/catalogue/definition.ts';
import type { NearGeometry } from '../../../src/messages/wire/near-geometry.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { dataSetOrder, nearGeometry, nearJson } from '../../../workers/maps/feature.ts';
import { toDegrees } from '../../../workers/geopackage/spatial-reference.ts';
import { project } from '../../../workers/geopackage/lambert.ts';
import { indexedDataSets } from '../../../workers/engine/kinds/indexed-data-sets.ts';
import { openSnapshot, readManifest } from '../../../workers/geopackage/snapshot.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { openBuiltOutlines, openWithCells, writeSnapshot } from '../../support/material/hand-made-snapshot.ts';
import { distanceM } from '../../lookup/plain-geometry.ts';
import type { Geometry } from '../../support/material/sample/frame.ts';

const place = { lat: 44.1, lon: -78.6 };
const at = project(place);

/** WKT of positions in metres from the place. */
const metres = (...positions: readonly (readonly [number, number])[]): string =>
  positions.map(([east, north]) => `${at.x + east} ${at.y + north}`).join(', ');

const box = (west: number, south: number, east: number, north: number): string =>
  `((${metres([west, south], [east, south], [east, north], [west, north], [west, south])}))`;

const dataSet = (id: string, fields: readonly string[] = []): DataSetDefinition =>
  ({
    id,
    fields: Object.fromEntries(fields.map((name) => [name, { type: 'string', required: false }])),
    answers: [],
  }) as unknown as DataSetDefinition;

const answer = (rest: object): AnswerDefinition => rest as AnswerDefinition;

const answers = [
  { dataSet: dataSet('zone', ['NAME']), answer: answer({ kind: 'boolean' }) },
  {
    dataSet: dataSet('line'),
    answer: answer({
      kind: 'proximity',
      bands: {},
      only: { field: 'KIND', values: ['hydro'] },
      with: [{ dataSet: 'water', only: { field: 'KIND', values: ['river'] } }],
    }),
  },
  {
    dataSet: dataSet('water', ['KIND', 'NAME']),
    answer: answer({ kind: 'proximity', bands: {}, only: { field: 'KIND', values: ['lake'] } }),
  },
  { dataSet: dataSet('bend'), answer: answer({ kind: 'proximity', bands: {} }) },
  { dataSet: dataSet('well'), answer: answer({ kind: 'count', nearest: {} }) },
  { dataSet: dataSet('not_loaded'), answer: answer({ kind: 'boolean' }) },
];

type NearOf = (folder: string, asked: Catalogue['answers']) => Promise<NearGeometry>;

const ways: Readonly<Record<string, NearOf>> = {
  'from the feature tables': async (folder, asked) => {
    const snapshot = openSnapshot(folder);
    const near = nearGeometry(snapshot, at, asked);
    snapshot.close();
    return Promise.resolve(near);
  },
  'from the outline tree': async (folder, asked) => {
    const needed = indexedDataSets(asked, readManifest(folder)).filter(({ id }) => id !== 'coverage');
    const opened = await openWithCells(folder, needed);
    const { snapshot } = opened;
    const near = JSON.parse(nearJson(openBuiltOutlines(opened, needed)!, at, dataSetOrder(asked))) as NearGeometry;
    snapshot.close();
    return near;
  },
};

for (const [way, nearOf] of Object.entries(ways)) {
  describe(`the geometry of what is near, ${way}`, () => {
    const folder = temporaryFolder();
    let near: NearGeometry;

    before(async () => {
      writeSnapshot(folder.path, {
        zone: { features: [{ wkt: `POLYGON${box(-5000, -5000, 5000, 5000)}`, attributes: { NAME: 'Wide' } }] },
        line: {
          features: [
            { wkt: `LINESTRING(${metres([-3000, 300], [3000, 300])})`, attributes: { KIND: 'hydro' } },
            { wkt: `LINESTRING(${metres([-3000, 50], [3000, 50])})`, attributes: { KIND: 'pipe' } },
          ],
        },
        water: {
          features: [
            { wkt: `POLYGON${box(100, 100, 200, 200)}`, attributes: { KIND: 'river', NAME: 'Sample River' } },
            { wkt: `POLYGON${box(400, 100, 500, 200)}`, attributes: { KIND: 'lake', NAME: ' ' } },
            { wkt: `POLYGON${box(700, 100, 720, 120)}`, attributes: { KIND: 'tank' } },
          ],
        },
        bend: { features: [{ wkt: `LINESTRING(${metres([-2000, 900], [0, 900], [2000, -900], [2000, 900])})` }] },
        well: {
          features: [
            { wkt: `POINT(${metres([0, 999])})` },
            { wkt: `POINT(${metres([900, 900])})` },
            { wkt: `POINT(${metres([3, 4])})` },
          ],
        },
      });
      near = await nearOf(folder.path, answers);
    });

    after(() => {
      folder[Symbol.dispose]();
    });

    const of = (id: string): NearGeometry['features'] =>
      near.features.filter(({ properties }) => properties.dataSet === id);

    it('gives the nearest first, with a name and ground metres', () => {
      const distances = near.features.map(({ properties }) => properties.distanceM);
      expect(distances).to.deep.equal([...distances].sort((a, b) => a - b));
      expect(of('zone')[0]!.properties).to.deep.equal({ dataSet: 'zone', label: 'Wide', distanceM: 0 });
      expect(of('well').map(({ properties }) => Math.round(properties.distanceM))).to.deep.equal([
        5,
        Math.round(999 / at.scale),
      ]);
    });

    it('cuts to the radius, in degrees, longitude first', () => {
      const [zone] = of('zone');
      expect(zone!.geometry.type).to.equal('Polygon');
      const [ring] = zone!.geometry.coordinates as [[number, number][]];
      for (const position of ring) {
        const away = distanceM({ type: 'Point', coordinates: position }, [place.lon, place.lat]);
        expect(away).to.be.within(990, 1008);
      }
      expect(of('bend')[0]!.geometry.type).to.be.oneOf(['LineString', 'MultiLineString']);
    });

    it('leaves out features that no answer looks at', () => {
      expect(of('line')).to.have.lengthOf(1);
      expect(of('water').map(({ properties }) => properties.label)).to.deep.equal(['Sample River', null]);
    });

    it('puts features where they are', () => {
      const [river] = of('water');
      const degrees = toDegrees().transformPoint(at.x + 100, at.y + 100);
      const corner = [Number(degrees.x.toFixed(6)), Number(degrees.y.toFixed(6))];
      expect((river!.geometry as Geometry).coordinates[0]).to.deep.include(corner);
    });

    it('stays small, and says when it left something out', async () => {
      expect(near.truncated).to.equal(false);
      using other = temporaryFolder();
      const many = Array.from({ length: 500 }, (_, i) => ({ wkt: `POINT(${metres([i, 0])})` }));
      writeSnapshot(other.path, { well: { features: many } });
      const asked = [{ dataSet: dataSet('well'), answer: answer({ kind: 'count', nearest: {} }) }];
      const { features, truncated } = await nearOf(other.path, asked);
      expect(truncated).to.equal(true);
      expect(features).to.have.lengthOf(400);
      expect(features.at(-1)!.properties.distanceM).to.be.below(401);
    });
  });
}
