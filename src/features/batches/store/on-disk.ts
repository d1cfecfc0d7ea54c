import Database from 'better-sqlite3';
import { unavailable } from '../../../messages/problems.ts';
import { messageOf } from '../../../words.ts';

/** Codes of a disk that is full, broken, or mounted for reading. */
const DISK_FAULTS: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

/** Does work on the disk. @throws AppError DB_ERROR with `Retry-After` when the disk fails; other errors as they are. */
export async function onDisk<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isDiskFault(cause)) throw cause;
    const isFull = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(codeOf(cause));
    const reason = isFull ? 'STORAGE_FULL' : 'STORAGE_UNREACHABLE';
    throw unavailable(reason, `batches cannot be stored: ${messageOf(cause)}`, { cause });
  }
}

function isDiskFault(cause: unknown): boolean {
  if (cause instanceof Database.SqliteError) return /^SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY)/.test(cause.code);
  return DISK_FAULTS.has(codeOf(cause));
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException | null)?.code ?? '';
}
