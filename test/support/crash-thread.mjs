/**
 * For `node --import`, before a server's own program (JavaScript, because threads load it before the compiler): a lookup thread that
 * finds the file CRASH_FILE takes its first word away and dies in the middle of its lookup, as the word says: `exit`, or `throw`, an
 * exception that nobody catches.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { isMainThread, workerData } from 'node:worker_threads';

const file = process.env['CRASH_FILE'];
const isLookupThread = !isMainThread && typeof workerData === 'object' && 'answers' in (workerData ?? {});
if (isLookupThread && file !== undefined) {
  const stringify = JSON.stringify.bind(JSON);
  // Each answer is written by it, after its data were read.
  JSON.stringify = (...input) => {
    const way = input[0]?.layers ? take(file) : null;
    if (way === 'exit') process.exit(3);
    if (way === 'throw') {
      void Promise.resolve().then(() => {
        throw new Error('a lookup thread crashes');
      });
    }
    return stringify(...input);
  };
}

/** The file's first word for the one thread that took it away, null for the others. */
function take(file) {
  try {
    renameSync(file, `${file}.taken`);
    const [word, ...others] = readFileSync(`${file}.taken`, 'utf8').split(' ');
    if (others.length > 0) writeFileSync(file, others.join(' '));
    return word;
  } catch {
    return null;
  }
}
