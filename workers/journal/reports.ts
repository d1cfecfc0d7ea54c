import {
  UNSETTLED,
  type Backlog,
  type DeliveredRow,
  type JournalReads,
  type ReasonRow,
  type UsageFilter,
  type UsageRow,
  type UsageState,
  type JournalReadTask,
} from '../../src/messages/journal.ts';
import type { Reconciliation, RejectedCustomer } from '../../src/messages/meter-events.ts';
import Database from 'better-sqlite3';
import { failFor, type Outcome } from '../../src/messages/outcome.ts';
import { refuseLaterFormat } from '../../src/messages/stores.ts';
import { JOURNAL_FORMAT } from './open.ts';
import { usageByDay, usageOfHolder } from './day-table.ts';
import { keptRequests } from './answer-table.ts';
import { messageOf } from '../../src/words.ts';

const STATES = ['unbilled', 'pending', 'delivered', 'rejected', 'too_old', 'uncertain'] as const satisfies UsageState[];

const WHERE = 'at_ms >= @fromMs AND at_ms < @toMs AND (@keyId IS NULL OR key_id = @keyId)';

/** Time of a lookup's event. */
const BILLED = 'coalesce(billed_ms, at_ms)';

const PER_STATE = STATES.map((state) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`).join(', ');

/** Returns lookups by key and customer. */
function report(db: Database.Database, filter: UsageFilter): UsageRow[] {
  return db
    .prepare<[object], UsageRow>(
      `SELECT key_id AS keyId, customer, count(*) AS lookups, ${PER_STATE} FROM usage WHERE ${WHERE}
       GROUP BY key_id, customer ORDER BY key_id, customer`,
    )
    .all(parametersOf(filter));
}

/** Returns the reasons why lookups were not delivered. */
function reasons(db: Database.Database, filter: UsageFilter): ReasonRow[] {
  return db
    .prepare<[object], ReasonRow>(
      `SELECT state, reason, count(*) AS lookups, min(at_ms) AS oldestMs FROM usage
       WHERE ${WHERE} AND reason IS NOT NULL GROUP BY state, reason ORDER BY lookups DESC`,
    )
    .all(parametersOf(filter));
}

/** Returns delivered lookups by customer and day of their events, also 0 where a customer has others only. */
function deliveredByDay(db: Database.Database, filter: UsageFilter): DeliveredRow[] {
  return db
    .prepare<[object], DeliveredRow>(
      `SELECT customer, ${BILLED} - ${BILLED} % 86400000 AS dayMs, count(*) FILTER (WHERE state = 'delivered') AS delivered
       FROM usage WHERE customer IS NOT NULL AND ${BILLED} >= @fromMs AND ${BILLED} < @toMs
       GROUP BY customer, dayMs ORDER BY customer, dayMs`,
    )
    .all(parametersOf(filter));
}

/** As in the index `usage_unsettled`. */
const IS_UNSETTLED = `state IN ('rejected', 'too_old', 'uncertain')`;

function backlog(db: Database.Database): Backlog {
  return db
    .prepare<[], Backlog>(
      `SELECT count(*) AS pending, min(at_ms) AS oldestMs, ${UNSETTLED.map(countOf).join(', ')}
       FROM usage WHERE state = 'pending'`,
    )
    .get()!;
}

/** Each count uses the partial index, which holds only these states. */
function countOf(state: UsageState): string {
  return `(SELECT count(*) FROM usage WHERE ${IS_UNSETTLED} AND state = '${state}') AS ${state}`;
}

const REJECTED = `${IS_UNSETTLED} AND state = 'rejected' AND customer_fault = 1`;

function rejectedCustomers(
  db: Database.Database,
  { atLeast, sinceMs }: JournalReads['rejectedCustomers'][0],
): RejectedCustomer[] {
  const count = db
    .prepare<[string, number], number>(`SELECT count(*) FROM usage WHERE ${REJECTED} AND customer = ? AND at_ms >= ?`)
    .pluck();
  return db
    .prepare<[number], RejectedCustomer>(
      `SELECT customer, count(*) AS rejected, max(reason) AS reason FROM usage WHERE ${REJECTED}
       GROUP BY customer HAVING count(*) >= ?`,
    )
    .all(atLeast)
    .map((row) => ({ ...row, rejected: count.get(row.customer, sinceMs[row.customer] ?? 0)! }))
    .filter(({ rejected }) => rejected >= atLeast);
}

export function noteReconciliation(db: Database.Database, { atMs, days, differing }: Reconciliation): void {
  db.prepare(`INSERT OR REPLACE INTO reconciliation VALUES ('last', ?, ?, ?)`).run(atMs, days, differing);
}

function reconciliation(db: Database.Database): Reconciliation | null {
  const last = db.prepare<[], Reconciliation>('SELECT at_ms AS atMs, days, differing FROM reconciliation').get();
  return last ?? null;
}

function parametersOf({ fromMs, toMs, keyId }: UsageFilter): object {
  return { fromMs, toMs, keyId: keyId ?? null };
}

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
