import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectDir } from '../../../src/project/project.ts';
import { sampleDataDir } from '../material/sample-data.ts';
import { cliArguments } from './cli.ts';

const run = promisify(execFile);

/** The script of the documentation that looks up a file in parts. */
export const shardsScript = join(projectDir, 'docs', 'examples', 'shards.sh');

/**
 * An environment in which the script finds `land-lookup`, one thread for each part, and the sample.
 * @param folder gets the program.
 */
export function shardsEnv(folder: string): NodeJS.ProcessEnv {
  const program = join(folder, 'land-lookup');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${cliArguments.join("' '")}' "$@"\n`);
  chmodSync(program, 0o755);
  const path = `${folder}:${process.env['PATH'] ?? ''}`;
  return { ...process.env, PATH: path, DATA_DIR: sampleDataDir(), WORKER_THREADS: '1' };
}

/** Runs the script. @throws Error with `stderr` when it fails. */
export function shards(env: NodeJS.ProcessEnv, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return run('bash', [shardsScript, ...args], { env, maxBuffer: 1 << 30 });
}

/** Rows as a file of places in CSV, with an id for each. */
export function placesCsv(addresses: readonly string[]): string {
  return `custom_id,address\n${addresses.map((row, i) => `c${i},"${row.replaceAll('"', '""')}"\n`).join('')}`;
}
