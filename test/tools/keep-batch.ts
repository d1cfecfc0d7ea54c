/**
 * Writes what a batch under way leaves when this version is killed, into `test/kept-data/batches/VERSION.tar.gz`: `node test/tools/keep-batch.ts`, called by
 * `npm run keep-data`. It holds a folder of data, `machine`. That of 0.2.0 also holds `bucket`: a batch of several machines, in `dump.rdb` of a Redis and in `objects`, the folder of an object store.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectDir } from '../../src/project/project.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { BatchClient } from '../support/drivers/batch-client.ts';
import { cliOrThrow } from '../support/drivers/cli.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { newKey, ServiceProcess } from '../support/drivers/service-process.ts';

/** What `expected.json` of a folder says. */
export interface KeptBatch {
  readonly key: string;
  readonly batch: string;
  readonly rows: number;
  /** Rows that were done when the service was killed. */
  readonly done: number;
}

const ROWS = 2_500;

const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
const keptData = join(projectDir, 'test', 'kept-data');
const archive = join(keptData, 'batches', `${version}.tar.gz`);
// Also after the formats have changed, it must stay what that version wrote.
if (existsSync(archive)) throw new Error(`${archive} is there already: raise the version first`);
using imported = temporaryFolder();
using folder = temporaryFolder();
cliOrThrow(imported.path, 'load-layers', '--sample');
cliOrThrow(imported.path, 'load-addresses', '--sample');
await keepMachine(served('machine'));
mkdirSync(join(keptData, 'batches'), { recursive: true });
execFileSync('tar', ['-C', folder.path, '--exclude', '*.lock', '-I', 'gzip -9', '-cf', archive, '.']);
console.log(`${archive}: ${readFileSync(archive).length} bytes`);

/** A data folder that serves the sample. */
function served(name: string): string {
  const dataDir = join(folder.path, name);
  mkdirSync(join(dataDir, 'snapshots'), { recursive: true });
  const { id, dir } = requireCurrentSnapshot(imported.path);
  cpSync(dir, join(dataDir, 'snapshots', id), { recursive: true });
  symlinkSync(join('snapshots', id), join(dataDir, 'current'));
  return dataDir;
}

async function keepMachine(dataDir: string): Promise<void> {
  const key = await newKey(dataDir, { limits: { batchRowsPerDay: 100_000 } });
  await interrupt(dataDir, key);
}

/** Sends a batch and kills the service as soon as some of its rows are done. */
async function interrupt(dataDir: string, key: string): Promise<void> {
  const service = await ServiceProcess.start(dataDir);
  const client = new BatchClient(() => service.url, key);
  const batch = await client.send(
    Array.from({ length: ROWS }, (_, i) =>
      i % 10 === 9 ? '1 Nowhere St, Sampleton, ON' : '12 Main St W, Sampleton, ON',
    ),
  );
  let status = await client.status(batch);
  while (status.rows.done === 0) {
    await sleep(5);
    status = await client.status(batch);
  }
  const { done } = status.rows;
  await service.kill();
  if (done >= ROWS) throw new Error('the batch had ended before the kill');
  const kept: KeptBatch = { key, batch, rows: ROWS, done };
  writeFileSync(join(dataDir, 'expected.json'), `${JSON.stringify(kept, null, 2)}\n`);
}
