/**
 * For `node --import`, before a server's own program (JavaScript, because threads load it before the compiler): a lookup thread that
 * finds the file CRASH_FILE takes its first word away and fails in the middle of its lookup, as the word says: `exit`; `throw`, an exception
 * that nobody catches; `defect`, one that the thread reports; or `hang`, a native call that does not end, and that nothing in the process interrupts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { isMainThread, threadId, workerData } from 'node:worker_threads';

const file = process.env['CRASH_FILE'];
const isLookupThread = !isMainThread && typeof workerData === 'object' && 'answers' in (workerData ?? {});
if (isLookupThread && file !== undefined) {
  const stringify = JSON.stringify.bind(JSON);
  // Both ways to write an answer (workers/engine/answers/lookup-writer.ts) call it, after the data were read.
  const isAnswer = () => /\bwithLayers\b/.test(new Error().stack);
  JSON.stringify = (...input) => {
    const way = existsSync(file) && isAnswer() ? take(file) : null;
    if (way === 'exit') process.exit(3);
    if (way === 'hang') hang();
    if (way === 'defect') throw new TypeError('a defect');
    if (way === 'throw') {
      void Promise.resolve().then(() => {
        throw new Error('a lookup thread crashes');
      });
    }
    return stringify(...input);
  };
}

/** Opens a pipe that nobody writes to. It waits in the kernel: a call that computes for ever would take a core from the tests beside this one. */
function hang() {
  const pipe = `${file}.pipe-${threadId}`;
  execFileSync('mkfifo', [pipe]);
  openSync(pipe);
}

/** The file's first word; null when none is left. */
function take(file) {
  const lock = `${file}.lock`;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      // Another thread takes a word.
    }
  }
  try {
    if (!existsSync(file)) return null;
    const [word, ...others] = readFileSync(file, 'utf8').split(' ');
    if (others.length > 0) writeFileSync(file, others.join(' '));
    else rmSync(file);
    return word;
  } finally {
    rmdirSync(lock);
  }
}
