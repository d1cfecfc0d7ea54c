/**
 * For `node --import`, before a server's own program (JavaScript, because threads load it before the compiler): a lookup thread that
 * finds the file CRASH_FILE deletes it and dies in the middle of its lookup, as the file says: `exit`, or by an exception that nobody
 * catches.
 */
import { readFileSync, renameSync } from 'node:fs';
import process from 'node:process';
import { isMainThread, workerData } from 'node:worker_threads';

const file = process.env['CRASH_FILE'];
const isLookupThread = !isMainThread && typeof workerData === 'object' && 'answers' in (workerData ?? {});
if (isLookupThread && file !== undefined) {
  const stringify = JSON.stringify.bind(JSON);
  // Each answer is written by it, after its data were read.
  JSON.stringify = (...input) => {
    const way = take(file);
    if (way === 'exit') process.exit(3);
    if (way === 'throw') {
      void Promise.resolve().then(() => {
        throw new Error('a lookup thread crashes');
      });
    }
    return stringify(...input);
  };
}

/** The file's text for the one thread that took it away, null for the others. */
function take(file) {
  try {
    renameSync(file, `${file}.taken`);
    return readFileSync(`${file}.taken`, 'utf8');
  } catch {
    return null;
  }
}
