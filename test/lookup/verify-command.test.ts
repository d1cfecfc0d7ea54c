import { expect } from 'chai';
import Database from 'better-sqlite3';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { verifyCommand } from '../../src/features/verify/verify.ts';
import { projectDir } from '../../src/project/project.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';

describe('land-lookup verify', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const config = { dataDir: folder.path, layersDir: join(projectDir, 'layers') };
  before(() => {
    cpSync(sampleDataDir(), folder.path, { recursive: true, verbatimSymlinks: true });
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  async function verify(sample: number): Promise<{ exitCode: number; printed: string }> {
    let printed = '';
    const output = { columns: 80, write: (text: unknown) => ((printed += String(text)), true) };
    const exitCode = await verifyCommand(config, { sample, seed: 7 }, output);
    return { exitCode, printed };
  }

  /** Changes the file behind the snapshot's back. */
  function tamper(sql: string): void {
    const db = new Database(join(requireCurrentSnapshot(folder.path).dir, 'land.gpkg'));
    const triggers = db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").pluck().all() as string[];
    // They keep the spatial index up with functions that only GDAL has.
    for (const trigger of triggers) db.exec(`DROP TRIGGER "${trigger}"`);
    db.exec(sql);
    db.close();
  }

  it('finds no difference after an import', async () => {
    const { exitCode, printed } = await verify(200);
    expect(printed).to.match(/8,200 answers at 200 places compared, \d+ differ, 0 by more than rounding/);
    expect(exitCode).to.equal(0);
  });

  it('tells where the index answers another than the tables, and ends with 1', async () => {
    tamper("UPDATE ca_admin_areas SET LEGAL_NAME = 'Another Authority'");
    const { exitCode, printed } = await verify(200);
    expect(printed).to.match(/caBoundary +4\d\.\d+ +-\d+\.\d+ .*Another Authority.*WRONG/);
    expect(exitCode).to.equal(1);
  });

  it('stops at a leaf that is not what was written', async () => {
    tamper('UPDATE cell_leaf SET data = zeroblob(length(data))');
    const refusal = await verify(40).then(String, String);
    expect(refusal).to.include('a leaf of the cell index is damaged');
  });
});
