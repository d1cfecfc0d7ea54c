import { adviceFor } from '../../messages/stores.ts';

let isWatched = false;

/** Errors of standard output. Other connections may break with the same words. */
const faults = new WeakSet<object>();
let isTold = false;

/**
 * Lets a command go on with its work when nobody takes what it prints: without a listener, the first write that fails would end the process in the
 * middle, or be lost without a word. A reader that has left, as `head` does, wants no more. Any other failure is told on standard error, and the
 * command ends with an exit code other than 0.
 */
export function watchStandardOutput(): void {
  // A test runs commands in its own process.
  if (isWatched) return;
  isWatched = true;
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    faults.add(cause);
    if (isTold || cause.code === 'EPIPE') return;
    isTold = true;
    process.stderr.write(`land-lookup: ${outputFault(cause)}\n`);
  });
  // Nowhere is left to say it.
  process.stderr.on('error', () => undefined);
  process.on('exit', (code) => {
    if (isTold && code === 0) process.exitCode = 1;
  });
}

/** Says whether an error is one of standard output that needs no further word. */
export function isToldOfOutput(cause: unknown): boolean {
  return cause instanceof Error && faults.has(cause);
}

/** Says in one sentence why standard output cannot be written, and what to do. */
function outputFault(cause: Error): string {
  const advice = adviceFor(cause);
  return `standard output cannot be written: ${cause.message}${advice === null ? '' : `: ${advice}`}`;
}

/** Prints what exists nowhere else. @throws Error when it cannot be written, also when its reader has left. */
export function printed(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (fault) => {
      if (fault) reject(fault);
      else resolve();
    });
  });
}
