import { readBeginning } from '../../core/files/read-small-file.ts';
import { oncePerMinute } from '../../core/loop/loop.ts';
import { MINUTE_MS } from '../../messages/time.ts';
import { messageOf } from '../../words.ts';
import { readKept, type KeptChecks } from './kept-checks.ts';

export interface KeptFilesOptions {
  readonly dataDir: string;
  readonly statusNote: string | null;
  /** Is told of a file that cannot be read, at most once a minute. */
  readonly onFault: (why: string) => void;
  /** Ticks evenly. */
  readonly clockMs?: () => number;
}

/** Letters of the operator's note that are shown. */
const MOST_LETTERS = 2000;

/** What checks and the operator have left on the disk, read once a minute when somebody asks. The values are the same until they change. */
export class KeptFiles {
  readonly checks: () => KeptChecks | null;
  readonly note: () => string | null;

  constructor({ dataDir, statusNote, onFault, clockMs = () => performance.now() }: KeptFilesOptions) {
    const tell = (): ((why: string) => void) => oncePerMinute(onFault, clockMs);
    const [ofChecks, ofNote] = [tell(), tell()];
    this.checks = eachMinute(() => readKept(dataDir, ofChecks), clockMs);
    this.note = eachMinute(() => (statusNote === null ? null : readNote(statusNote, ofNote)), clockMs);
  }
}

function eachMinute<T>(read: () => T, clockMs: () => number): () => T {
  let last: { readonly atMs: number; readonly value: T; readonly text: string } | undefined;
  return () => {
    const atMs = clockMs();
    if (last !== undefined && atMs - last.atMs < MINUTE_MS) return last.value;
    const value = read();
    const text = JSON.stringify(value);
    last = last?.text === text ? { ...last, atMs } : { atMs, value, text };
    return last.value;
  };
}

/** Null without a note. */
function readNote(file: string, onFault: (why: string) => void): string | null {
  try {
    // Four bytes a letter.
    const letters = readBeginning(file, 4 * MOST_LETTERS)
      .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
      .trim();
    return letters === '' ? null : Array.from(letters).slice(0, MOST_LETTERS).join('');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') onFault(`STATUS_NOTE cannot be read: ${messageOf(cause)}`);
    return null;
  }
}
