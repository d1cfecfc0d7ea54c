import { noRows, type OutcomeCounts } from '../rows/outcomes.ts';

/** Where the answers to a file go. */
export interface AnswerSink extends AsyncDisposable {
  /** Rows that an earlier run has answered. */
  readonly before: OutcomeCounts;
  /** Whether nothing was written yet, not even by an earlier run. */
  readonly isEmpty: boolean;
  /** Writes text that ends with a row; `counts` are of all rows up to there. */
  write(text: string, counts: OutcomeCounts): Promise<void>;
  /** Called in place of `finish` when the run is interrupted. */
  pause(): Promise<void>;
  finish(): Promise<void>;
}

/** Writes the answers to standard output. `onClosed` is called when its reader has left. */
export function standardOutput(onClosed: () => void): AnswerSink {
  const { stdout } = process;
  // Without a listener the error, which `write` gets too, would end the process.
  stdout.on('error', onClosed);
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    before: noRows,
    isEmpty: true,
    write: writeOut,
    pause: nothing,
    finish: nothing,
    [Symbol.asyncDispose]: nothing,
  };
}

/** Writes to standard output, and waits until it has taken it. A reader that has left is no failure. */
export function writeOut(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(data, (fault) => {
      if (fault && (fault as NodeJS.ErrnoException).code !== 'EPIPE') reject(fault);
      else resolve();
    });
  });
}
