import { expect } from 'chai';
import type { CellBuildOptions } from '../../workers/import/cells/build.ts';
import { cellView } from '../../workers/engine/views/cell-view.ts';
import type { CellIndex } from '../../workers/engine/cells/open.ts';
import { referenceView } from '../../workers/engine/views/reference-view.ts';
import type { EdgeHit, Hit } from '../../workers/engine/views/view.ts';
import type { Snapshot } from '../../workers/geopackage/snapshot.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { inputs } from '../support/drivers/inputs.ts';
import { openWithCells, writeSnapshot, type HandMadeFeature } from '../support/material/hand-made-snapshot.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';

const [X, Y] = [1_300_000, 11_900_000];
const SIZE = 40_000;
const SEED = 7;

/** A star-shaped ring of many vertices around a centre, from the generator. */
function blob(random: () => number, [cx, cy]: readonly [number, number], radius: number, vertices: number): string {
  const points = Array.from({ length: vertices }, (_, i) => {
    const angle = (i / vertices) * 2 * Math.PI;
    const r = radius * (0.7 + 0.3 * random());
    return `${cx + Math.cos(angle) * r} ${cy + Math.sin(angle) * r}`;
  });
  return `(${[...points, points[0]].join(',')})`;
}

function polygons(random: () => number, count: number, radius: number, vertices: number): HandMadeFeature[] {
  return Array.from({ length: count }, (_, i) => {
    const centre = [X + random() * SIZE, Y + random() * SIZE] as const;
    const hole = i % 3 === 0 ? `,${blob(random, centre, radius / 3, Math.max(4, vertices >> 2))}` : '';
    return { wkt: `POLYGON(${blob(random, centre, radius, vertices)}${hole})`, attributes: { NAME: `polygon ${i}` } };
  });
}

/** Stored vertices are rounded to centimetres: closer than this to an edge or to the end of the reach both answers are right. */
const ROUNDING_M = 0.02;

function isOnBorder(edges: readonly EdgeHit[], id: number, reachM: number): boolean {
  const edge = edges.find((hit) => hit.id === id);
  return edge !== undefined && (edge.edgeDistanceM < ROUNDING_M || Math.abs(edge.distanceM - reachM) < ROUNDING_M);
}

describe('the cell index', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const random = seededRandom(SEED);
  const dataSets: CellBuildOptions['dataSets'] = [
    { id: 'big', reachM: 0, nearestOnly: false, fields: ['NAME'], inline: true },
    { id: 'small', reachM: 120, nearestOnly: false, fields: ['NAME'], inline: true },
    { id: 'nearest', reachM: 5000, nearestOnly: true, fields: ['NAME'], inline: false },
    { id: 'streams', reachM: 30, nearestOnly: false, fields: [], inline: true },
    { id: 'wells', reachM: 500, nearestOnly: false, fields: ['WELL_ID'], inline: false },
    { id: 'squares', reachM: 0, nearestOnly: false, fields: ['NAME'], inline: true },
  ];
  let snapshot: Snapshot;
  let cells: CellIndex;

  before(async () => {
    const square = (i: number): string => {
      const [x, y] = [X + (i % 10) * 4000, Y + Math.floor(i / 10) * 4000];
      return `POLYGON((${x} ${y},${x + 4000} ${y},${x + 4000} ${y + 4000},${x} ${y + 4000},${x} ${y}))`;
    };
    writeSnapshot(folder.path, {
      big: { features: polygons(random, 4, 15_000, 6_000) },
      small: { features: polygons(random, 800, 150, 40) },
      nearest: { features: polygons(random, 20, 400, 60) },
      streams: {
        features: Array.from({ length: 500 }, () => {
          let [x, y] = [X + random() * SIZE, Y + random() * SIZE];
          const line = Array.from(
            { length: 30 },
            () => `${(x += random() * 200 - 100)} ${(y += random() * 200 - 100)}`,
          );
          return { wkt: `LINESTRING(${line.join(',')})` };
        }),
      },
      wells: {
        features: Array.from({ length: 3000 }, (_, i) => ({
          wkt: `POINT(${X + random() * SIZE} ${Y + random() * SIZE})`,
          attributes: { WELL_ID: String(i) },
        })),
      },
      squares: {
        features: Array.from({ length: 100 }, (_, i) => ({ wkt: square(i), attributes: { NAME: `square ${i}` } })),
      },
    });
    ({ snapshot, cells } = await openWithCells(folder.path, dataSets));
  });
  after(() => {
    snapshot.close();
    folder[Symbol.dispose]();
  });

  it('sees what the reference path sees', () => {
    for (let i = 0; i < inputs(1000); i++) {
      const at = { x: X - 1000 + random() * (SIZE + 2000), y: Y - 1000 + random() * (SIZE + 2000), scale: 1.002 };
      const [fast, slow] = [cellView(snapshot, cells, at), referenceView(snapshot, at)];
      for (const { id, reachM, nearestOnly } of dataSets) {
        const where = `${id} at ${at.x},${at.y} (seed ${SEED})`;
        const only = nearestOnly ? 1 : undefined;
        const isClear = (hit: Hit): boolean => !isOnBorder(slow.edges(id, reachM + 1), hit.id, reachM);
        const expected = slow.near(id, reachM).filter(isClear).slice(0, only);
        const got = fast.near(id, reachM).filter(isClear).slice(0, only);
        expect(
          got.map((hit) => hit.id),
          where,
        ).to.deep.equal(expected.map((hit) => hit.id));
        got.forEach((hit, n) => {
          expect(hit.distanceM, where).to.be.closeTo(expected[n]!.distanceM, 0.02);
          expect(hit.attributes, where).to.deep.equal(expected[n]!.attributes);
        });
      }
    }
  });

  it('gives a point on a border between two features the same one every time', () => {
    for (let i = 1; i < 10; i++) {
      const at = { x: X + i * 4000, y: Y + 1234.5, scale: 1 };
      const names = cellView(snapshot, cells, at)
        .near('squares', 0)
        .map((hit) => hit.attributes['NAME']);
      expect(names[0]).to.equal(`square ${i - 1}`);
    }
  });
});
