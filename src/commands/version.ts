import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtDir, projectDir, readVersion, runsFromSources } from '../project/project.ts';
import Database from 'better-sqlite3';
import { FILE_FORMAT } from '../core/keys/open-key-store.ts';
import { runWorker } from '../core/pool/run-worker.ts';
import type { Output } from '../core/terminal/progress-display.ts';
import { readableNormalisers } from '../addresses/tokens.ts';
import type { ThreadVersions } from '../messages/worker-data.ts';
import { messageOf } from '../words.ts';

/** `land-lookup --version`: the version, its commit, and what it runs on; with `json` as one object, with the formats of data that it writes. */
export async function printVersion(
  { json }: { readonly json: boolean },
  output: Pick<Output, 'write'> = process.stdout,
): Promise<void> {
  const node = process.versions.node;
  const threads = await threadVersions();
  if (!json) {
    const gdal = threads.ok ? threads.value.gdal : threads.why;
    output.write(`land-lookup ${readVersion()} (commit ${commit() ?? 'unknown'}), Node.js ${node}, GDAL ${gdal}\n`);
    return;
  }
  const versions = {
    version: readVersion(),
    commit: commit(),
    node,
    openssl: process.versions.openssl,
    gdal: threads.ok ? threads.value.gdal : null,
    sqlite: sqliteVersion(),
    // Versions of the address register that are read; the others are those that are written, and all before them are read.
    formats: { accounts: FILE_FORMAT, addresses: readableNormalisers, ...(threads.ok ? threads.value.formats : {}) },
  };
  output.write(`${JSON.stringify(versions, null, 2)}\n`);
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

/** Of the one that stores keys and usage; GDAL has another. */
function sqliteVersion(): string {
  const database = new Database(':memory:');
  try {
    return database.prepare<[], string>('SELECT sqlite_version()').pluck().get()!;
  } finally {
    database.close();
  }
}

/** Only threads load GDAL. */
async function threadVersions(): Promise<{ ok: true; value: ThreadVersions } | { ok: false; why: string }> {
  try {
    return { ok: true, value: await runWorker<object, never, ThreadVersions>('versions', {}, () => undefined) };
  } catch (cause) {
    const [why = ''] = messageOf(cause).split('\n');
    return { ok: false, why: `cannot be loaded: ${why}` };
  }
}
