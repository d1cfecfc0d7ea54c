/** What commands share: how they read numbers, show tables, say why they failed, and run as jobs. */
import { beginJob, type Job } from '../snapshots/jobs.ts';
import { AppError } from '../../messages/problems.ts';
import { adviceFor, StoreFault } from '../../messages/stores.ts';
import { InvalidArgumentError } from 'commander';

/** Does the work of a job, and notes its begin, and how it ended. @throws what the work throws. */
export async function asJob<T>(dataDir: string, job: Job, work: () => T | Promise<T>): Promise<T> {
  const run = beginJob(dataDir, job);
  try {
    const result = await work();
    run.succeeded();
    return result;
  } catch (cause) {
    run.failed(failureSentence(cause));
    throw cause;
  }
}

/** Says in one sentence why a command failed, and what to do about it where that is known. */
export function failureSentence(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause instanceof AppError && cause.cause instanceof Error && !cause.message.includes(cause.cause.message))
    return `${cause.message}: ${failureSentence(cause.cause)}`;
  if (cause.name === 'ReplyError') return redisRefusal(cause.message);
  if (cause.name === 'MaxRetriesPerRequestError')
    return 'the Redis of REDIS_URL did not answer in time, or the connection to it was lost: look whether the change was made before you try again';
  const advice = cause instanceof StoreFault ? null : adviceFor(cause);
  if (advice === null) return cause.message || cause.name;
  // SQLite does not say which file it is about.
  const where = cause.name === 'SqliteError' ? 'a file of the data folder (DATA_DIR) cannot be used: ' : '';
  return `${where}${cause.message}: ${advice}`;
}

/** What an operator does about the answers with which Redis refuses to change anything, by their first word. */
const redisAdvices: Readonly<Record<string, string>> = {
  READONLY: 'it is a replica: name its master in REDIS_URL, or the sentinels',
  NOPERM: 'give its user in REDIS_URL the rights, also to scripts (EVAL, EVALSHA)',
  OOM: 'raise maxmemory, and let maxmemory-policy be noeviction',
  MISCONF: 'it cannot write to its disk: see its log, and free some space',
};

function redisRefusal(answer: string): string {
  const advice = redisAdvices[/^[A-Z]+/.exec(answer)?.[0] ?? ''];
  return `the Redis of REDIS_URL refuses this: ${answer}${advice === undefined ? '' : `: ${advice}`}`;
}

/** Makes what reads an option that takes a whole number from 1 to `most`. It throws InvalidArgumentError, which says so. */
export function wholeNumber(most: number): (text: string) => number {
  return (text) => {
    if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`a whole number from 1 to ${most}`);
  };
}

/** Of snapshots or backups to keep: more than any disk holds. */
export const parseKept = wholeNumber(999_999);

/** Formats rows as text columns; columns of numbers and blanks are aligned right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const isNumeric = head.map((_, i) => rows.every((row) => /^[+-]?[\d.,]*( %)?$/.test(row[i] ?? '')));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (isNumeric[i] === true ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}
