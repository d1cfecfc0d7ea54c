import { expect } from 'chai';
import { cellView } from '../../workers/engine/views/cell-view.ts';
import type { CellIndex } from '../../workers/engine/cells/open.ts';
import { referenceViews } from '../../workers/engine/views/reference-view.ts';
import type { ProjectedPoint } from '../../workers/geopackage/lambert.ts';
import type { Snapshot } from '../../workers/geopackage/snapshot.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { openWithCells, writeSnapshot } from '../support/material/hand-made-snapshot.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';

type Position = readonly [x: number, y: number];

const [X, Y] = [1_300_000, 11_900_000];

/** A ring of vertices that no centimetre grid has, counterclockwise. */
function ring(random: () => number, radius: number, vertices: number): Position[] {
  return Array.from({ length: vertices }, (_, i) => {
    const angle = (i / vertices) * 2 * Math.PI;
    const r = radius * (0.99 + 0.01 * random());
    return [X + Math.cos(angle) * r, Y + Math.sin(angle) * r];
  });
}

const wktOf = (positions: readonly Position[]): string =>
  `(${[...positions, positions[0]!].map(([x, y]) => `${x} ${y}`).join(',')})`;

/** The vertices of a ring, and places on its edges. */
function onEdges(positions: readonly Position[]): Position[] {
  return positions.flatMap((a, i) => {
    const b = positions[(i + 1) % positions.length]!;
    return [0, 0.5, 1 / 3].map((share): Position => [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]);
  });
}

describe('a place on an edge', () => {
  const folder = temporaryFolder();
  const random = seededRandom(3);
  const [outer, hole] = [ring(random, 3000, 300), ring(random, 800, 100)];
  // The east has a vertex in the middle of the west's edge, but for less than a millimetre.
  const [south, north, middle]: [Position, Position, Position] = [
    [X + 20_000.123, Y + 0.0071],
    [X + 20_017.4567, Y + 1000.0049],
    [X + 20_008.7902, Y + 500.006],
  ];
  const west = [south, north, [X + 19_000, Y + 1000], [X + 19_000, Y]] as const;
  const east = [south, [X + 21_000, Y], [X + 21_000, Y + 1000], north, middle] as const;
  let snapshot: Snapshot;
  let cells: CellIndex;

  before(async () => {
    writeSnapshot(folder.path, {
      shape: { features: [{ wkt: `POLYGON(${wktOf(outer)},${wktOf(hole)})`, attributes: {} }] },
      sides: { features: [west, east].map((one) => ({ wkt: `POLYGON(${wktOf(one)})`, attributes: {} })) },
    });
    const dataSets = ['shape', 'sides'].map((id) => ({ id, reachM: 0, nearestOnly: false, fields: [], inline: true }));
    ({ snapshot, cells } = await openWithCells(folder.path, dataSets));
  });
  after(() => {
    snapshot.close();
    folder[Symbol.dispose]();
  });

  /** How many features hold each place, by the index and by the reference path. */
  function counts(dataSet: string, places: readonly Position[]): readonly (readonly [number, number])[] {
    const points = places.map(([x, y]): ProjectedPoint => ({ x, y, scale: 1 }));
    return points.map((point) => [
      cellView(snapshot, cells, point).near(dataSet, 0).length,
      referenceViews(snapshot, [point])[0]!.near(dataSet, 0).length,
    ]);
  }

  it('is inside, at every vertex and on every edge, also of a hole', () => {
    const places = [...onEdges(outer), ...onEdges(hole)];
    const no = counts('shape', places).filter((found) => found[0] !== 1 || found[1] !== 1);
    expect(places).to.have.length(1200);
    expect(no).to.deep.equal([]);
  });

  it('is outside when it is some centimetres away', () => {
    const away = (positions: readonly Position[], metres: number): Position[] =>
      onEdges(positions).map(([x, y]) => {
        const length = Math.hypot(x - X, y - Y);
        return [X + (x - X) * (1 + metres / length), Y + (y - Y) * (1 + metres / length)];
      });
    const outside = counts('shape', [...away(outer, 0.09), ...away(hole, -0.09)]);
    expect(outside.filter(([index, reference]) => index + reference > 0)).to.deep.equal([]);
  });

  it('belongs to both sides of a border, where one has a vertex in the middle, too', () => {
    expect(counts('sides', [south, north, middle])).to.deep.equal([
      [2, 2],
      [2, 2],
      [2, 2],
    ]);
  });
});
