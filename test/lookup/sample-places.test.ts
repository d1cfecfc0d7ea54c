import { expect } from 'chai';
import { compactGroups } from '../../workers/verify/compact-groups.ts';
import { placesOf } from '../../workers/verify/sample-places.ts';
import { project } from '../../workers/geopackage/projection.ts';
import { openSnapshot, type Snapshot } from '../../workers/geopackage/snapshot.ts';
import { seededRandom } from '../../src/shared/seeded-random.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeSnapshot } from '../support/hand-made-snapshot.ts';

const [X, Y] = [1_300_000, 11_900_000];
const STEP = 1000;
const FEATURES = 50;
const SEED = 5;

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
    const place = placesOf(snapshot, 'boundary', seededRandom(SEED));
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

  it('are the same for the same seed', () => {
    const draw = (seed: number): unknown[] => {
      const place = placesOf(snapshot, 'random', seededRandom(seed));
      return Array.from({ length: 20 }, () => place());
    };
    expect(draw(SEED)).to.deep.equal(draw(SEED));
    expect(draw(SEED)).not.to.deep.equal(draw(SEED + 1));
  });

  it('come in groups of neighbours, each place once', () => {
    const place = placesOf(snapshot, 'random', seededRandom(SEED));
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
