/** The second pass of a build of the cell index: in the thread of the import, or in threads of its own. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { buildCells } from '../../workers/import/cells/build.ts';
import { tables } from '../../workers/engine/cells/format.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { writeSnapshot } from '../support/material/hand-made-snapshot.ts';

const [X, Y] = [1_300_000, 11_900_000];
const POINTS = 3000;

const shown = { nearestOnly: false, fields: [], inline: true, outlined: { choices: [{}], labelField: null } };
const dataSets = [
  { ...shown, id: 'points', reachM: 500 },
  { ...shown, id: 'square', reachM: 0 },
];

/** Rows of every table of the index over points in many tiles, and a square over them. */
async function indexBuilt(threadsFromBytes: number): Promise<readonly unknown[][]> {
  using folder = temporaryFolder();
  const random = seededRandom(8);
  const points = Array.from({ length: POINTS }, () => ({
    wkt: `POINT(${X + random() * 60_000} ${Y + random() * 60_000})`,
  }));
  const square = `POLYGON((${X} ${Y},${X + 60_000} ${Y},${X + 60_000} ${Y + 60_000},${X} ${Y + 60_000},${X} ${Y}))`;
  writeSnapshot(folder.path, { points: { features: points }, square: { features: [{ wkt: square }] } });
  const gpkg = join(folder.path, 'land.gpkg');
  await buildCells({ gpkg, dataSets, threadsFromBytes });
  const db = new Database(gpkg, { readonly: true });
  const rows = Object.values(tables).map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1`).raw().all());
  db.close();
  return rows;
}

describe('the tiles of the cell index', function () {
  this.timeout(240_000);

  it('are split by threads as by the import itself', async () => {
    const [own, byThreads] = [await indexBuilt(Infinity), await indexBuilt(0)];
    const leaves = own[Object.keys(tables).indexOf('leaf')]!;
    expect(leaves.length, 'leaves of many tiles').to.be.above(16);
    expect(JSON.stringify(byThreads) === JSON.stringify(own), 'the same rows').to.equal(true);
  });
});
