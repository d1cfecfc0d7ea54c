/**
 * Starts many processes with three busy GDAL threads each, ended in turn by close, destroy and exit, and counts those that do
 * not end cleanly. `make stress-threads`, compiled; STARTS sets how many (default 500).
 */
import { spawnSync } from 'node:child_process';
import { extname, join } from 'node:path';
import { temporaryFolder } from '../support/folder.ts';
import { writeManyFeatures } from '../support/many-features.ts';

const starts = Number(process.env['STARTS'] ?? 500);
const endings = ['close', 'destroy', 'exit'];

using folder = temporaryFolder();
const file = join(folder.path, 'parcels.gpkg');
writeManyFeatures(file, 1000);
const script = new URL(`../support/gdal-process${extname(import.meta.url)}`, import.meta.url).pathname;

const failed = new Map<string, number>();
for (let i = 1; i <= starts; i++) {
  const ending = endings[i % endings.length]!;
  const run = spawnSync(process.execPath, [script, file, '3', '5', ending], { encoding: 'utf8' });
  if (run.status !== 0) {
    const how = `${ending}: ${run.signal ?? `code ${run.status ?? 'none'}`}`;
    failed.set(how, (failed.get(how) ?? 0) + 1);
    console.error(`start ${i} ${how}\n${run.stderr}`);
  }
  if (i % 50 === 0)
    console.log(`${i} of ${starts} process starts, ${[...failed.values()].reduce((a, b) => a + b, 0)} failed`);
}
for (const [how, count] of failed) console.log(`failed ${count} times: ${how}`);
process.exitCode = failed.size === 0 ? 0 : 1;
