/**
 * For `node --import`, before a server's own program: a lookup thread that finds the file CRASH_FILE deletes it and dies in the
 * middle of its lookup, as the file says: `exit`, or by an exception that nobody catches.
 */
import { existsSync, readFileSync, unlinkSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

const file = process.env['CRASH_FILE'];
const isLookupThread = !isMainThread && typeof workerData === 'object' && 'cellDirectory' in (workerData ?? {});
if (isLookupThread && file !== undefined) {
  const stringify = JSON.stringify.bind(JSON) as (...input: unknown[]) => string;
  // Each answer is written by it, after its data were read.
  JSON.stringify = (...input: unknown[]) => {
    if (existsSync(file)) crash(file);
    return stringify(...input);
  };
}

function crash(file: string): void {
  const way = readFileSync(file, 'utf8');
  unlinkSync(file);
  if (way === 'exit') process.exit(3);
  queueMicrotask(() => {
    throw new Error('a lookup thread crashes');
  });
}
