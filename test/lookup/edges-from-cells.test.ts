/** Features near a place with their edges: from the leaves around it, and from the feature tables. */
import { expect } from 'chai';
import { toDegrees } from '../../workers/geopackage/spatial-reference.ts';
import { project } from '../../workers/geopackage/lambert.ts';
import type { Snapshot } from '../../workers/geopackage/snapshot.ts';
import type { CellIndex } from '../../workers/engine/cells/open.ts';
import { cellView } from '../../workers/engine/views/cell-view.ts';
import { referenceView } from '../../workers/engine/views/reference-view.ts';
import { EDGE_SEARCH_M } from '../../src/messages/lookup.ts';
import type { EdgeHit } from '../../workers/engine/views/view.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { openWithCells, writeSnapshot } from '../support/material/hand-made-snapshot.ts';

const [X, Y] = [1_300_000, 11_900_000];
const SIZE_M = 4000;
const PLACES = 400;
const ROUNDING_M = 0.02;

/** A comb with teeth of 90 m and gaps of 60 m: clipping it to a square leaves edges along the square that it does not have. */
function comb(left: number, bottom: number): string {
  const ring: string[] = [];
  for (let x = 0; x < 1500; x += 150)
    ring.push(
      `${left + x} ${bottom}`,
      `${left + x} ${bottom + 1200}`,
      `${left + x + 90} ${bottom + 1200}`,
      `${left + x + 90} ${bottom}`,
    );
  return `POLYGON((${[...ring, `${left + 1440} ${bottom - 40}`, `${left} ${bottom - 40}`, ring[0]].join(',')}))`;
}

/** A circle of so many corners with a hole. */
function disc(x: number, y: number, radius: number, corners = 64): string {
  const ring = (r: number): string => {
    const points = Array.from({ length: corners }, (_, i) => {
      const angle = (i / corners) * 2 * Math.PI;
      return `${x + r * Math.cos(angle)} ${y + r * Math.sin(angle)}`;
    });
    return `(${[...points, points[0]].join(',')})`;
  };
  return `POLYGON(${ring(radius)},${ring(radius / 3)})`;
}

/** The same shape with a vertex every ten metres: leaves then hold only what is very near. */
function densified(wkt: string): string {
  const corners = [...wkt.matchAll(/(\d+\.?\d*) (\d+\.?\d*)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
  const dense = corners.slice(1).flatMap(([x, y], i) => {
    const [fromX, fromY] = corners[i]!;
    const steps = Math.max(1, Math.round(Math.hypot(x - fromX, y - fromY) / 10));
    return Array.from({ length: steps }, (_, k) => {
      const t = (k + 1) / steps;
      return `${fromX + t * (x - fromX)} ${fromY + t * (y - fromY)}`;
    });
  });
  return `POLYGON((${corners[0]!.join(' ')},${dense.join(',')}))`;
}

const shapes = [
  comb(X + 500, Y + 500),
  comb(X + 2200.123, Y + 2300.456),
  disc(X + 2800, Y + 900, 700),
  disc(X + 700, Y + 3000, 40),
  disc(X + 900, Y + 3100, 25),
  `POLYGON((${X + 2000} ${Y + 2000},${X + 2048} ${Y + 2000},${X + 2048} ${Y + 2048},${X + 2000} ${Y + 2048},${X + 2000} ${Y + 2000}))`,
];
const lines = Array.from({ length: 40 }, (_, i) => `LINESTRING(${X + i * 97} ${Y},${X + i * 60 + 300} ${Y + SIZE_M})`);
const points = Array.from(
  { length: 500 },
  (_, i) => `POINT(${X + ((i * 7919) % SIZE_M)} ${Y + ((i * 104_729) % SIZE_M)})`,
);

describe('edges from the cell index', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const sets = [
    { id: 'plain', reachM: 0, nearestOnly: false, wkt: shapes },
    { id: 'wide', reachM: 300, nearestOnly: false, wkt: shapes },
    { id: 'nearest', reachM: 120, nearestOnly: true, wkt: shapes },
    { id: 'dense', reachM: 300, nearestOnly: true, wkt: shapes.slice(0, 2).map(densified) },
    { id: 'far', reachM: 2000, nearestOnly: true, wkt: shapes.slice(2) },
    { id: 'lines', reachM: 30, nearestOnly: false, wkt: lines },
    { id: 'points', reachM: 500, nearestOnly: false, wkt: points },
    { id: 'nearest points', reachM: 200, nearestOnly: true, wkt: points },
  ].map((set) => ({ ...set, fields: [], inline: true }));
  let snapshot: Snapshot;
  let cells: CellIndex;
  before(async () => {
    writeSnapshot(
      folder.path,
      Object.fromEntries(sets.map(({ id, wkt }) => [id, { features: wkt.map((text) => ({ wkt: text })) }])),
    );
    ({ snapshot, cells } = await openWithCells(folder.path, sets));
  });
  after(() => {
    snapshot.close();
    folder[Symbol.dispose]();
  });

  /** Both paths at places all over the area and beside the edges of its features. */
  function atPlaces(
    check: (indexed: (id: string, radiusM: number) => readonly EdgeHit[], reference: typeof indexed) => void,
  ) {
    const random = seededRandom(5);
    const corners = shapes.flatMap((text) => [...text.matchAll(/(\d+\.?\d*) (\d+\.?\d*)/g)]);
    for (let i = 0; i < PLACES; i++) {
      const [, x, y] = corners[Math.floor(random() * corners.length)]!.map(Number) as [number, number, number];
      const [dx, dy] = i % 2 === 0 ? [0, 0] : [(random() - 0.5) * 400, (random() - 0.5) * 400];
      const { x: lon, y: lat } = toDegrees().transformPoint(x + dx + random(), y + dy + random());
      const at = project({ lat, lon });
      const [indexed, reference] = [cellView(snapshot, cells, at), referenceView(snapshot, at)];
      check(
        (id, radiusM) => indexed.edges(id, radiusM),
        (id, radiusM) => reference.edges(id, radiusM),
      );
    }
  }

  for (const { id, reachM, nearestOnly } of sets) {
    it(`are those of the tables: ${id}`, () => {
      const radiusM = reachM + EDGE_SEARCH_M;
      let found = 0;
      atPlaces((indexed, reference) => {
        // What is at the very end of the radius may be on either side of it.
        const [own, other] = [indexed, reference].map((of) =>
          of(id, radiusM).filter(({ distanceM }) => distanceM < radiusM - ROUNDING_M),
        ) as [EdgeHit[], EdgeHit[]];
        found += other.length;
        if (nearestOnly) {
          expect(own[0]?.distanceM ?? Infinity).to.satisfy(closeTo(other[0]?.distanceM ?? Infinity));
          return;
        }
        expect(new Set(own.map((hit) => hit.id))).to.deep.equal(new Set(other.map((hit) => hit.id)));
        for (const hit of own) {
          const same = other.find((one) => one.id === hit.id)!;
          expect(hit.distanceM).to.satisfy(closeTo(same.distanceM));
          if (same.edgeDistanceM < EDGE_SEARCH_M) expect(hit.edgeDistanceM).to.satisfy(closeTo(same.edgeDistanceM));
          else expect(hit.edgeDistanceM).to.be.at.least(EDGE_SEARCH_M - ROUNDING_M);
        }
      });
      expect(found).to.be.above(PLACES / 4);
    });
  }
});

function closeTo(expected: number): (actual: number) => boolean {
  return (actual) => actual === expected || Math.abs(actual - expected) <= ROUNDING_M;
}
