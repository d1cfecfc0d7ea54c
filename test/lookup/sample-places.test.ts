import { expect } from 'chai';
import { compactGroups } from '../../workers/verify/verify-cell-index.ts';
import { placesOf } from '../../workers/verify/sample-places.ts';
import { project } from '../../workers/geopackage/lambert.ts';
import { openSnapshot, type Snapshot } from '../../workers/geopackage/snapshot.ts';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { writeSnapshot } from '../support/material/hand-made-snapshot.ts';
import { definitionOf } from '../support/material/layer-definitions.ts';

const [X, Y] = [1_300_000, 11_900_000];
const STEP = 1000;
const FEATURES = 50;
const SEED = 5;
const BANDS = { regulated: 30, adjacent: 120 };

/** Answers with limits at these bands round wells, at other ones round features of which there are none, and one without limits. */
const answers: Catalogue['answers'] = [
  {
    dataSet: { ...definitionOf({ geometry: 'point' }), id: 'wells' },
    answer: { ...named('nearWell', 1), kind: 'proximity', bands: BANDS, with: [{ dataSet: 'nothing' }] },
  },
  {
    dataSet: { ...definitionOf({ geometry: 'point' }), id: 'nothing' },
    answer: { ...named('nearNothing', 2), kind: 'proximity', bands: { adjacent: 75 } },
  },
  {
    dataSet: { ...definitionOf({ geometry: 'point' }), id: 'wells' },
    answer: { ...named('isWell', 3), kind: 'boolean' },
  },
];

function named(key: string, order: number) {
  return { key, order, title: key, description: key, group: 'nature' } as const;
}

describe('places that the read paths are compared at', () => {
  const folder = temporaryFolder();
  let snapshot: Snapshot;
  before(() => {
    const wells = Array.from({ length: FEATURES }, (_, i) => ({ wkt: `POINT(${X + i * STEP} ${Y})` }));
    writeSnapshot(folder.path, { wells: { features: wells }, nothing: { features: [] } });
    snapshot = openSnapshot(folder.path);
  });
  after(() => {
    snapshot.close();
    folder[Symbol.dispose]();
  });

  it('lie beside any feature of a table, whatever was asked of it before, and pass over tables without features', () => {
    const place = placesOf(snapshot, 'boundary', { answers, random: seededRandom(SEED) });
    const beside = new Set<number>();
    for (let i = 0; i < 1000; i++) {
      snapshot.layer('wells').setSpatialFilter(X - 1, Y - 1, X + 1, Y + 1);
      const { x, y } = project(place());
      const nearest = Math.round((x - X) / STEP);
      expect(Math.hypot(x - X - nearest * STEP, y - Y), `seed ${SEED}`).to.be.lessThan(1.001);
      beside.add(nearest);
    }
    expect(beside.size).to.equal(FEATURES);
  });

  it('lie where a distance to a feature changes an answer, in ground metres', () => {
    const place = placesOf(snapshot, 'limit', { answers, random: seededRandom(SEED) });
    const seen = new Map(Object.values(BANDS).map((limit) => [limit, 0]));
    for (let i = 0; i < 1000; i++) {
      const { x, y, scale } = project(place());
      const distanceM = Math.hypot(x - X - Math.round((x - X) / STEP) * STEP, y - Y) / scale;
      const limit = Object.values(BANDS).find((some) => Math.abs(distanceM - some) < 1.01);
      expect(limit, `${distanceM} m, seed ${SEED}`).not.to.equal(undefined);
      seen.set(limit!, seen.get(limit!)! + 1);
    }
    for (const times of seen.values()) expect(times).to.be.greaterThan(400);
  });

  it('are the same for the same seed', () => {
    const draw = (seed: number): unknown[] => {
      const place = placesOf(snapshot, 'random', { answers, random: seededRandom(seed) });
      return Array.from({ length: 20 }, () => place());
    };
    expect(draw(SEED)).to.deep.equal(draw(SEED));
    expect(draw(SEED)).not.to.deep.equal(draw(SEED + 1));
  });

  it('come in groups of neighbours, each place once', () => {
    const place = placesOf(snapshot, 'random', { answers, random: seededRandom(SEED) });
    const places = Array.from({ length: 1000 }, () => place());
    const groups = [...compactGroups(places, 64)];
    expect(groups.flat()).to.have.members(places);
    expect(groups.flat()).to.have.length(1000);
    for (const group of groups) expect(group.length).to.be.within(32, 64);
    const heights = groups.map((group) => {
      const lats = group.map(({ lat }) => lat);
      return Math.max(...lats) - Math.min(...lats);
    });
    const all = places.map(({ lat }) => lat);
    expect(Math.max(...heights)).to.be.lessThan((Math.max(...all) - Math.min(...all)) * 0.6);
  });

  it('are no groups when there are none', () => {
    expect([...compactGroups([], 64)]).to.deep.equal([]);
  });
});
