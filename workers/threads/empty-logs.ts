/** Piscina's entry for emptying the write-ahead logs of SQLite files. */
import Database from 'better-sqlite3';
import { failFor, type Outcome } from '../../src/messages/outcome.ts';
import { messageOf } from '../../src/words.ts';

/** Goes on with the other files when one cannot be emptied. */
export default function emptyLogs({ files }: { readonly files: readonly string[] }): Outcome<null> {
  const failures = files.flatMap((file) => {
    try {
      empty(file);
      return [];
    } catch (cause) {
      return [`${file}: ${messageOf(cause)}`];
    }
  });
  return failures.length === 0 ? { ok: true, value: null } : failFor('STORAGE_UNREACHABLE', failures.join('; '));
}

/** Waits for nobody: while somebody reads or writes, the log stays until the next time. */
function empty(file: string): void {
  const db = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    // Holds up no commit. What the second one then copies, while commits wait, is next to nothing.
    db.pragma('wal_checkpoint(PASSIVE)');
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}
