import { adviceFor } from '../../messages/stores.ts';

/** Where a command writes; another one in tests. */
type Streams = Pick<NodeJS.Process, 'stdout' | 'stderr'>;

/** What was told already. */
let told: Error | null = null;

/**
 * Lets a command go on with its work when nobody takes what it prints: without a listener, the first write that fails would end the process in the
 * middle, or be lost without a word. A reader that has left, as `head` does, wants no more. Any other failure is told on standard error, and the
 * command ends with an exit code other than 0.
 */
export function watchStandardOutput({ stdout, stderr }: Streams = process): void {
  stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (told !== null || hasReaderLeft(cause)) return;
    told = cause;
    stderr.write(`land-lookup: ${outputFault(cause)}\n`);
  });
  // Nowhere is left to say it.
  stderr.on('error', () => undefined);
  process.on('exit', (code) => {
    if (told !== null && code === 0) process.exitCode = 1;
  });
}

/** Says whether an error is one of standard output that needs no further word. */
export function isToldOfOutput(cause: unknown): boolean {
  return cause !== null && (cause === told || hasReaderLeft(cause));
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

function hasReaderLeft(cause: unknown): boolean {
  return (
    cause instanceof Error &&
    'syscall' in cause &&
    cause.syscall === 'write' &&
    'code' in cause &&
    cause.code === 'EPIPE'
  );
}
