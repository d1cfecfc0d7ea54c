import { expect } from 'chai';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { referenceView, referenceViews } from '../../workers/engine/views/reference-view.ts';
import { EDGE_SEARCH_M } from '../../src/messages/lookup.ts';
import type { Hit } from '../../workers/engine/views/view.ts';
import { openSnapshot, type Snapshot } from '../../workers/geopackage/snapshot.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { inputs } from '../support/drivers/inputs.ts';
import { writeSnapshot, type HandMadeFeature } from '../support/material/hand-made-snapshot.ts';

const [X, Y] = [1_300_000, 11_900_000];
const SIZE = 10_000;
const SEED = 11;
const ANYWHERE = inputs(120);
const radii = [0, 30, 2000] as const;

const idAndAttributes = ({ id, attributes }: Hit): Omit<Hit, 'distanceM'> => ({ id, attributes });

describe('the reference path for a group of places', () => {
  const folder = temporaryFolder();
  const random = seededRandom(SEED);
  let snapshot: Snapshot;

  const position = (): [number, number] => [X + random() * SIZE, Y + random() * SIZE];
  const disc = ([x, y]: readonly [number, number], radius: number, vertices = 23): string => {
    const points = Array.from({ length: vertices + 1 }, (_, i) => {
      const angle = ((i % vertices) / vertices) * 2 * Math.PI;
      return `${x + Math.cos(angle) * radius} ${y + Math.sin(angle) * radius}`;
    });
    return `(${points.join(',')})`;
  };
  /** The ring with two of its points exchanged, so that it crosses itself. */
  const crossed = (ring: string): string => {
    const points = ring.slice(1, -1).split(',');
    [points[700], points[1900]] = [points[1900]!, points[700]!];
    return `(${points.join(',')})`;
  };
  const ringed = (): string => {
    const centre = position();
    return `(${disc(centre, 900)},${disc(centre, 400)})`;
  };
  const features = (count: number, wkt: () => string): { features: HandMadeFeature[] } => ({
    features: Array.from({ length: count }, (_, i) => ({ wkt: wkt(), attributes: { NAME: `feature ${i}` } })),
  });
  const square = (i: number): HandMadeFeature => {
    const [x, y] = [X + (i % 4) * 2500, Y + Math.floor(i / 4) * 2500];
    return { wkt: `POLYGON((${x} ${y},${x + 2500} ${y},${x + 2500} ${y + 2500},${x} ${y + 2500},${x} ${y}))` };
  };

  before(() => {
    writeSnapshot(folder.path, {
      ringed: features(60, () => `POLYGON${ringed()}`),
      several: features(20, () => `MULTIPOLYGON(${ringed()},(${disc([X - 5000, Y - 5000], 10)}))`),
      lines: features(60, () => `LINESTRING(${position().join(' ')},${position().join(' ')})`),
      large: features(4, () => `POLYGON(${disc(position(), 2500, 3000)})`),
      crossed: features(2, () => `POLYGON(${crossed(disc(position(), 2500, 3000))})`),
      points: features(200, () => `POINT(${position().join(' ')})`),
      squares: { features: Array.from({ length: 16 }, (_, i) => square(i)) },
    });
    snapshot = openSnapshot(folder.path);
  });
  after(() => {
    snapshot.close();
    folder[Symbol.dispose]();
  });

  it('sees at each place what the path for one place sees', () => {
    const anywhere = Array.from({ length: ANYWHERE }, () => position());
    const onBorders = Array.from({ length: 20 }, (_, i): [number, number] => [X + 2500 * (i % 5), Y + 2500 * (i >> 2)]);
    const onVertices = snapshot.layer('ringed').features.map((feature): [number, number] => {
      const polygon = feature.getGeometry();
      if (!(polygon instanceof gdal.Polygon)) throw new Error('expected a polygon');
      const { x, y } = polygon.rings.get(1).points.get(3);
      return [x, y];
    });
    const places = [...anywhere, ...onBorders, ...onVertices, onBorders[0]!, [X - 90_000, Y] as const];
    const views = referenceViews(
      snapshot,
      places.map(([x, y]) => ({ x, y, scale: 1.002 })),
    );
    let seen = 0;
    for (const [i, [x, y]] of places.entries()) {
      const one = referenceView(snapshot, { x, y, scale: 1.002 });
      for (const table of Object.keys(snapshot.manifest.dataSets)) {
        for (const radiusM of radii) {
          const [expected, got] = [one.near(table, radiusM), views[i]!.near(table, radiusM)];
          const where = `${table} at ${x},${y} (seed ${SEED})`;
          expect(got.map(idAndAttributes), where).to.deep.equal(expected.map(idAndAttributes));
          got.forEach((hit, n) => {
            expect(hit.distanceM, where).to.be.closeTo(expected[n]!.distanceM, 1e-6);
          });
          seen += expected.length;
        }
        const [expected, got] = [one.edges(table, EDGE_SEARCH_M), views[i]!.edges(table, EDGE_SEARCH_M)];
        expect(got.length).to.equal(expected.length);
        got.forEach(({ edgeDistanceM }, n) => {
          const edges = [edgeDistanceM, expected[n]!.edgeDistanceM].map((edge) => Math.min(edge, EDGE_SEARCH_M));
          expect(edges[0], `edge of ${table} at ${x},${y} (seed ${SEED})`).to.be.closeTo(edges[1]!, 1e-6);
        });
      }
    }
    expect(seen).to.be.greaterThan(inputs(3000, 1300));
  });
});
