import Database from 'better-sqlite3';
import type { JournalReadTask } from '../../src/messages/journal.ts';
import type { JournalReads } from '../../src/messages/journal-reads.ts';
import { failFor, type Outcome } from '../../src/messages/outcome.ts';
import { refuseLaterFormat } from '../../src/messages/store-format.ts';
import { JOURNAL_FORMAT } from './open.ts';
import { usageByDay, usageOfHolder } from './day-table.ts';
import { keptRequests } from './kept-requests.ts';
import { backlog, deliveredByDay, reasons, reconciliation, rejectedCustomers, report } from './reports.ts';
import { messageOf } from '../../src/words.ts';

const operations: {
  readonly [Name in keyof JournalReads]: (db: Database.Database, input: JournalReads[Name][0]) => JournalReads[Name][1];
} = {
  backlog,
  report,
  reasons,
  reconciliation,
  rejectedCustomers,
  deliveredByDay,
  usageByDay,
  usageOfHolder,
  keptRequests,
};

/** Runs one operation on a read-only connection, beside what writes (docs/decisions/0022). Never throws. */
export function readJournal(file: string, { name, input }: JournalReadTask): Outcome<unknown> {
  let db: Database.Database | null = null;
  try {
    // Opened for each operation: a disk that was mounted again has another file under the same name.
    db = new Database(file, { readonly: true, fileMustExist: true });
    refuseLaterFormat(db, { file, format: JOURNAL_FORMAT });
    return { ok: true, value: operations[name](db, input as never) };
  } catch (cause) {
    const reason = messageOf(cause);
    return failFor('STORAGE_UNREACHABLE', `usage journal ${file}: ${reason}`);
  } finally {
    db?.close();
  }
}
