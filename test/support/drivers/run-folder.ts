/**
 * A folder that the processes of one test run share. The process that starts the run makes it, names it to the processes it starts,
 * and removes it at its end. Mocha loads this file first, so that its parallel processes get the name.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';

const NAME = 'LAND_LOOKUP_TEST_RUN';
const WAIT_MS = 100;
const MOST_WAITS = 9000;

const runFolder = process.env[NAME] ?? startRun();

function startRun(): string {
  const { path } = temporaryFolder();
  process.env[NAME] = path;
  // Most of what a short command of Node.js computes is the compilation of its sources.
  process.env['NODE_COMPILE_CACHE'] ??= join(path, 'compiled');
  return path;
}

/**
 * Gives the path `name` in the run's folder, which the first process that asks for it makes with `make`, a folder, and the others
 * wait for. It is not to be changed. @throws Error of `make`.
 */
export function madeOnce(name: string, make: (path: string) => void): string {
  const path = join(runFolder, name);
  const unfinished = `${path}.unfinished`;
  for (let waits = 0; !existsSync(path); waits++) {
    if (waits === MOST_WAITS) throw new Error(`${unfinished} is never finished`);
    if (begins(unfinished)) finish(unfinished, path, make);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
  }
  return path;
}

/** Whether this process is the one that makes it. */
function begins(unfinished: string): boolean {
  try {
    mkdirSync(unfinished);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function finish(unfinished: string, path: string, make: (path: string) => void): void {
  try {
    make(unfinished);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}
