// Find the rules of decision 0002 that this Node.js needs, by leaving out each in turn (STARTS=60)
/**
 * Shows which rules of decision 0002 this Node.js needs: leaves out one rule at a time and counts how many process starts with three busy GDAL
 * threads end cleanly. `make stress NAME=thread-rules`, compiled; STARTS sets how many for each rule (default 60).
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { textTable } from '../../src/core/terminal/command.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { gdalEndings } from '../support/drivers/gdal-endings.ts';
import { writeManyFeatures } from '../support/material/many-features.ts';

/** What each rule is in the compiled `workers/geopackage/gdal.js`, and what stands there without it. */
const rules: readonly { readonly name: string; readonly text: string; readonly without: string }[] = [
  { name: 'no rule', text: '', without: '' },
  { name: 'a real copy for each thread', text: "extensions['.node'] = openCopy;", without: '' },
  { name: 'the copy stays mapped', text: ' | RTLD_NODELETE', without: '' },
  { name: 'one thread after another', text: 'underLoadLock(loadPrivateCopy)', without: 'loadPrivateCopy()' },
  {
    name: 'Buffers freed on their own thread',
    text: "setFlagsFromString('--no-concurrent-array-buffer-sweeping')",
    without: '',
  },
];

const starts = Number(process.env['STARTS'] ?? 60);
/** A process takes a second or two; one that stands still counts as a failure. */
const HANG_MS = 60_000;

using folder = temporaryFolder();
const file = join(folder.path, 'parcels.gpkg');
writeManyFeatures(file, 1000);

console.log(`Node.js ${process.version}, ${starts} process starts for each rule`);
const rows = rules.map((rule) => {
  const ends = runWithout(rule);
  const failures = [...ends].filter(([how]) => how !== 'clean').map(([how, count]) => `${count} times ${how}`);
  return [rule.name, `${ends.get('clean') ?? 0} of ${starts}`, failures.join(', ')];
});
console.log(textTable(['left out', 'ended cleanly', 'else'], rows));

/** How each start ended -> how often. */
function runWithout({ text, without }: (typeof rules)[number]): Map<string, number> {
  const patched = join(projectDir, 'dist', `rules-${process.pid}`);
  for (const part of ['src', 'workers', 'test/support'])
    cpSync(join(projectDir, 'dist', 'modules', part), join(patched, part), { recursive: true });
  try {
    const target = join(patched, 'workers', 'geopackage', 'gdal.js');
    const code = readFileSync(target, 'utf8');
    if (!code.includes(text)) throw new Error(`workers/geopackage/gdal.js has no longer ${text}`);
    writeFileSync(target, code.replace(text, without));
    const script = join(patched, 'test', 'support', 'drivers', 'gdal-process.js');
    const ends = new Map<string, number>();
    for (let i = 0; i < starts; i++) {
      const ending = gdalEndings[i % gdalEndings.length]!;
      const run = spawnSync(process.execPath, [script, file, '3', '5', ending], { encoding: 'utf8', timeout: HANG_MS });
      const how =
        run.status === 0
          ? 'clean'
          : (run.signal ?? /Error: [^\n]*/.exec(run.stderr)?.[0] ?? `code ${run.status ?? 'none'}`);
      ends.set(how, (ends.get(how) ?? 0) + 1);
    }
    return ends;
  } finally {
    rmSync(patched, { recursive: true });
  }
}
