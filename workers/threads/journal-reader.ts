/**
 * Piscina's entry for reading the usage journal: runs one operation on a read-only connection, beside the thread that
 * writes (docs/decisions/0022).
 */
import { workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { JournalReadTask } from '../../src/shared/contract/journal.ts';
import type { JournalReads } from '../../src/shared/contract/journal-reads.ts';
import { failFor, type Outcome } from '../../src/shared/outcome.ts';
import { refuseLaterFormat } from '../../src/shared/store-format.ts';
import { JOURNAL_FORMAT } from '../journal/open.ts';
import { usageByDay } from '../journal/day-table.ts';
import { backlog, deliveredByDay, reasons, reconciliation, rejectedCustomers, report } from '../journal/reports.ts';
import { messageOf } from '../../src/shared/words.ts';

const { file } = workerData as { readonly file: string };

const operations: {
  readonly [Name in keyof JournalReads]: (db: Database.Database, input: JournalReads[Name][0]) => JournalReads[Name][1];
} = { backlog, report, reasons, reconciliation, rejectedCustomers, deliveredByDay, usageByDay };

export default function readJournal({ name, input }: JournalReadTask): Outcome<unknown> {
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
