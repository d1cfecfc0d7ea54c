/**
 * A folder that the processes of one test run share. The process that starts the run makes it, names it to the processes it starts,
 * and removes it at its end. Mocha loads this file first, so that its parallel processes get the name.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';

const NAME = 'LAND_LOOKUP_TEST_RUN';
const WAIT_MS = 100;
const MOST_WAITS = 9000;

/** Where Linux has a file system in memory. */
const IN_MEMORY = '/dev/shm';

/** Many times what the files of a run take at one time. */
const ENOUGH_BYTES = 8 * 1024 ** 3;

const runFolder = process.env[NAME] ?? startRun();

function startRun(): string {
  const { path } = temporaryFolder(hasMemory() ? IN_MEMORY : tmpdir());
  process.env[NAME] = path;
  // Everything of the run is in it, as in /tmp of machines that have that in memory. Some of its programs run as other users.
  chmodSync(path, 0o1777);
  process.env['TMPDIR'] = path;
  // Most of what a short command of Node.js computes is the compilation of its sources.
  process.env['NODE_COMPILE_CACHE'] ??= join(path, 'compiled');
  return path;
}

/**
 * Whether the files of a run can be in memory: the tests wait for the disk each time that a database is made or written, which is half of what they
 * wait for. Containers often permit no programs there, or little space.
 */
function hasMemory(): boolean {
  if (process.env['TMPDIR'] !== undefined || freemem() < ENOUGH_BYTES) return false;
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`tmpfs ${IN_MEMORY} `));
  if (mount === undefined || mount.includes('noexec')) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
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
