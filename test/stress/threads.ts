// Start 500 processes with three busy GDAL threads each (STARTS=N)
/**
 * Starts many processes with three busy GDAL threads each, ended in turn in the ways of `gdalEndings`, and counts those that do
 * not end cleanly; then ends 200 threads with open SQLite objects in one process. `make stress NAME=threads`, compiled; STARTS sets how many
 * processes (default 500).
 */
import { spawnSync } from 'node:child_process';
import { extname, join } from 'node:path';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { gdalEndings } from '../support/drivers/gdal-endings.ts';
import { writeManyFeatures } from '../support/material/many-features.ts';

const starts = Number(process.env['STARTS'] ?? 500);
/** A process takes a second or two; one that stands still counts as a failure. */
const HANG_MS = 120_000;

using folder = temporaryFolder();
const file = join(folder.path, 'parcels.gpkg');
writeManyFeatures(file, 1000);
const support = (name: string): string =>
  new URL(`../support/drivers/${name}${extname(import.meta.url)}`, import.meta.url).pathname;
const script = support('gdal-process');

const failed = new Map<string, number>();
for (let i = 1; i <= starts; i++) {
  const ending = gdalEndings[i % gdalEndings.length]!;
  const run = spawnSync(process.execPath, [script, file, '3', '5', ending], { encoding: 'utf8', timeout: HANG_MS });
  if (run.status !== 0) {
    const how = `${ending}: ${run.signal ?? `code ${run.status ?? 'none'}`}`;
    failed.set(how, (failed.get(how) ?? 0) + 1);
    console.error(`start ${i} ${how}\n${run.stderr}`);
  }
  if (i % 50 === 0)
    console.log(`${i} of ${starts} process starts, ${[...failed.values()].reduce((a, b) => a + b, 0)} failed`);
}
const sqlite = spawnSync(process.execPath, [support('sqlite-threads-process'), '200'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
console.log(
  `200 SQLite threads: ${sqlite.status === 0 ? 'ended' : `failed, ${sqlite.signal ?? `code ${sqlite.status ?? 'none'}`}`}`,
);
if (sqlite.status !== 0) failed.set('SQLite threads', 1);
for (const [how, count] of failed) console.log(`failed ${count} times: ${how}`);
process.exitCode = failed.size === 0 ? 0 : 1;
