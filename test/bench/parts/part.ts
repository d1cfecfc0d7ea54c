/** Programs of this folder, which run as processes of their own, so that their memory is theirs alone. */
import { spawnSync } from 'node:child_process';
import { extname } from 'node:path';

/** Path of a program of this folder, compiled or not as this one is. */
export function partFile(name: string): string {
  return new URL(`./${name}${extname(import.meta.url)}`, import.meta.url).pathname;
}

/** Runs a program of this folder. @returns what it prints. @throws Error what it says when it fails. */
export function runPart(name: string, ...args: string[]): string {
  const run = spawnSync(process.execPath, [...process.execArgv, partFile(name), ...args], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`${name}: ${run.stderr}`);
  return run.stdout;
}
