import { AppError } from '../../messages/problems.ts';
import { adviceFor, StoreFault } from '../../messages/stores.ts';

/** Says in one sentence why a command failed, and what to do about it where that is known. */
export function failureSentence(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause instanceof AppError && cause.cause instanceof Error && !cause.message.includes(cause.cause.message))
    return `${cause.message}: ${failureSentence(cause.cause)}`;
  const advice = cause instanceof StoreFault ? null : adviceFor(cause);
  if (advice === null) return cause.message || cause.name;
  // SQLite does not say which file it is about.
  const where = cause.name === 'SqliteError' ? 'a file of the data folder (DATA_DIR) cannot be used: ' : '';
  return `${where}${cause.message}: ${advice}`;
}
