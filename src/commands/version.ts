import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtDir, projectDir, readVersion, runsFromSources } from '../project.ts';
import { runWorker } from '../pool/run-worker.ts';
import type { Output } from './progress-display.ts';
import { messageOf } from '../shared/words.ts';

/** `land-lookup --version`: the version, its commit, and what it runs on. */
export async function printVersion(output: Pick<Output, 'write'> = process.stdout): Promise<void> {
  const node = process.versions.node;
  output.write(
    `land-lookup ${readVersion()} (commit ${commit() ?? 'unknown'}), Node.js ${node}, GDAL ${await gdalVersion()}\n`,
  );
}

/** The commit that the build noted, otherwise that of the clone; null in a copy of the sources. */
function commit(): string | null {
  const noted = join(builtDir, 'src', 'commit');
  if (!runsFromSources && existsSync(noted)) return readFileSync(noted, 'utf8').trim() || null;
  // A repository above the project is another project's.
  if (!existsSync(join(projectDir, '.git'))) return null;
  try {
    const args = ['rev-parse', '--short=12', 'HEAD'];
    return execFileSync('git', args, { cwd: projectDir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** Only threads load GDAL. */
async function gdalVersion(): Promise<string> {
  try {
    return await runWorker<object, never, string>('gdal-version', {}, () => undefined);
  } catch (cause) {
    const [why = ''] = messageOf(cause).split('\n');
    return `cannot be loaded: ${why}`;
  }
}
