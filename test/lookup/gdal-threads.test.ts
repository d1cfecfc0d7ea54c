import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { Piscina } from 'piscina';
import { loadLock } from '../../src/core/pool/run-worker.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { gdalEndings } from '../support/drivers/gdal-endings.ts';
import type { ReadTask } from '../support/drivers/gdal-thread.ts';
import { inputs } from '../support/drivers/inputs.ts';
import { writeManyFeatures } from '../support/material/many-features.ts';
import { programFile } from '../support/drivers/program.ts';

const FEATURES = 3000;

/** Twenty of each ending; `make stress NAME=threads` asks for fifty. */
const SQLITE_THREADS = inputs(80);

describe('GDAL in worker threads', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const file = join(folder.path, 'parcels.gpkg');
  before(() => {
    writeManyFeatures(file, FEATURES);
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  function startPool(threads: number): Piscina<ReadTask, number> {
    const filename = pathToFileURL(programFile('../support/drivers/gdal-thread', import.meta.url)).href;
    const pool = new Piscina<ReadTask, number>({
      filename,
      minThreads: threads,
      maxThreads: threads,
      workerData: { loadLock },
    });
    pool.on('error', () => undefined);
    return pool;
  }

  it('answers from four threads at once', async () => {
    const pool = startPool(4);
    const answers = await Promise.all(Array.from({ length: 16 }, () => pool.run({ file })));
    expect(new Set(answers).size).to.equal(1);
    expect(answers[0]).to.be.greaterThan(FEATURES * 80);
    expect(pool.threads).to.have.length(4);
    await pool.close();
  });

  for (const then of ['exit', 'throw-outside'] as const) {
    it(`replaces a thread that is lost (${then}) with one that can load GDAL again`, async () => {
      const pool = startPool(2);
      const expected = await pool.run({ file });
      const [lost] = await Promise.allSettled([pool.run({ file, then })]);
      expect(lost.status).to.equal('rejected');
      const answers = await Promise.all(Array.from({ length: 8 }, () => pool.run({ file })));
      expect(new Set(answers)).to.deep.equal(new Set([expected]));
      await pool.close();
    });
  }

  for (const ending of gdalEndings) {
    it(`ends cleanly by ${ending} with many live GDAL objects, and leaves no copy of the binding`, () => {
      const temp = join(folder.path, `tmp-${ending}`);
      mkdirSync(temp);
      const script = programFile('../support/drivers/gdal-process', import.meta.url);
      const run = spawnSync(process.execPath, [script, file, '3', '4', ending], {
        encoding: 'utf8',
        env: { ...process.env, TMPDIR: temp },
      });
      expect({ status: run.status, signal: run.signal, stderr: run.stderr }).to.deep.equal({
        status: 0,
        signal: null,
        stderr: '',
      });
      expect(readdirSync(temp).filter((name) => name.includes('gdal'))).to.deep.equal([]);
    });
  }

  it(`ends ${SQLITE_THREADS} threads with open SQLite statements and iterators`, () => {
    const script = programFile('../support/drivers/sqlite-threads-process', import.meta.url);
    const run = spawnSync(process.execPath, [script, String(SQLITE_THREADS)], { encoding: 'utf8' });
    expect({ status: run.status, signal: run.signal, stdout: run.stdout, stderr: run.stderr }).to.deep.equal({
      ...{ status: 0, signal: null, stdout: `${SQLITE_THREADS}\n`, stderr: '' },
    });
  });
});
