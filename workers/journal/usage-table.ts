import type { Database, Statement } from 'better-sqlite3';
import type {
  MonthUse,
  RecordedLookup,
  RecordedRows,
  RowsUse,
  TakePending,
  UsageRecord,
  UsageState,
} from '../../src/messages/journal.ts';
import type { PendingEvent, Settlement } from '../../src/messages/meter-events.ts';
import { DAY_MS, HOUR_MS, dayOf, monthOf } from '../../src/messages/time.ts';
import type { DayTable, MonthTable } from './day-table.ts';
import type { WallClock } from './wall-clock.ts';

/**
 * The processor accepts events of the past 35 days (meter event API, `timestamp`); one hour is left for the transfer.
 */
const OLDEST_EVENT_MS = 35 * DAY_MS - HOUR_MS;

/**
 * The processor recognises a repeated identifier for at least 24 hours; one hour is left for the transfer. Later a
 * repetition might count twice.
 */
const REPEATABLE_MS = DAY_MS - HOUR_MS;

const PRUNED_AT_ONCE = 5000;

/** An id that no lookup has. */
const PROBE_ID = 'probe';

/** The processor refuses events further ahead than 5 minutes; later ones wait until their time. */
const MAX_AHEAD_MS = 4 * 60_000;

interface PendingRow {
  readonly id: string;
  readonly resends: number;
  readonly atMs: number;
  readonly sentMs: number | null;
}

/** The lookups of the journal. */
export class UsageTable {
  readonly #db: Database;
  readonly #clock: Pick<WallClock, 'isTrusted' | 'timeOf'>;
  readonly #months: MonthTable;
  readonly #days: DayTable;
  readonly #insert: Statement<[UsageRecord & { readonly state: UsageState }]>;
  readonly #nextCustomer: Statement<[after: string, latestMs: number], string>;
  readonly #pendingOf: Statement<[customer: string, latestMs: number, limit: number], PendingRow>;
  readonly #markSent: Statement<[number, string]>;
  readonly #settle: Statement<
    [UsageState, nowMs: number, reason: string | null, isCustomerFault: 0 | 1, id: string, resends: number]
  >;
  readonly #sendAgain: Statement<[id: string, resends: number]>;
  readonly #unsend: Statement<[id: string, resends: number]>;
  readonly #has: Statement<[string], number>;
  readonly #deleteProbe: Statement<[string]>;

  constructor(
    db: Database,
    clock: Pick<WallClock, 'isTrusted' | 'timeOf'>,
    { months, days }: { months: MonthTable; days: DayTable },
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#months = months;
    this.#days = days;
    // A resumed request has the id of the lost attempt.
    this.#insert = db.prepare(
      `INSERT INTO usage (id, key_id, customer, at_ms, state) VALUES (@id, @keyId, @customer, @atMs, @state)
       ON CONFLICT (id) DO NOTHING`,
    );
    this.#nextCustomer = db
      .prepare<[string, number], string>(
        `SELECT customer FROM usage WHERE state = 'pending' AND customer > ? AND at_ms <= ? ORDER BY customer LIMIT 1`,
      )
      .pluck();
    this.#pendingOf = db.prepare(
      `SELECT id, resends, coalesce(billed_ms, at_ms) AS atMs, sent_ms AS sentMs FROM usage
       WHERE state = 'pending' AND customer = ? AND at_ms <= ? ORDER BY seq LIMIT ?`,
    );
    this.#markSent = db.prepare('UPDATE usage SET sent_ms = ? WHERE id = ?');
    this.#settle = db.prepare(
      `UPDATE usage SET state = ?, settled_ms = ?, reason = ?, customer_fault = ?
       WHERE id = ? AND resends = ? AND state IN ('pending', 'delivered', 'uncertain')`,
    );
    this.#sendAgain = db.prepare(
      `UPDATE usage SET state = 'pending', sent_ms = NULL, settled_ms = NULL, reason = NULL, resends = resends + 1
       WHERE id = ? AND resends = ? AND state IN ('pending', 'delivered', 'uncertain')`,
    );
    this.#unsend = db.prepare(`UPDATE usage SET sent_ms = NULL WHERE id = ? AND resends = ? AND state = 'pending'`);
    this.#has = db.prepare<[string], number>('SELECT 1 FROM usage WHERE id = ?').pluck();
    this.#deleteProbe = db.prepare('DELETE FROM usage WHERE id = ?');
  }

  /** Records a lookup unless its key has so many in its month. A lookup that is recorded already stays as it is. */
  record({ id, atMs, ...of }: RecordedLookup['usage'], mostOfMonth: number | null): MonthUse {
    const { month, lookups, refused } = this.#record(
      { ...of, ids: [id], mostOfMonth },
      { givenMs: atMs, areRows: false },
    );
    return { month, lookups, isRecorded: refused.length === 0 };
  }

  /** Records rows of a batch, each as `record` does. */
  recordRows(rows: RecordedRows): RowsUse {
    return this.#record(rows, { givenMs: undefined, areRows: true });
  }

  /** @param givenMs missing: now. @param areRows true: rows of a batch. */
  #record(
    { ids, keyId, customer, mostOfMonth }: RecordedRows,
    { givenMs, areRows }: { givenMs: number | undefined; areRows: boolean },
  ): RowsUse {
    const atMs = this.#clock.timeOf(givenMs);
    const month = monthOf(atMs);
    const before = this.#months.lookups(keyId, month);
    const state = customer === null ? 'unbilled' : 'pending';
    const refused: string[] = [];
    let lookups = before;
    for (const id of ids) {
      if (mostOfMonth === null || lookups < mostOfMonth) {
        lookups += this.#insert.run({ id, keyId, customer, atMs, state }).changes;
      } else if (!this.has(id)) {
        refused.push(id);
      }
    }
    const added = lookups - before;
    this.#months.add(keyId, month, added);
    const counts = areRows ? { lookups: 0, batchRows: added } : { lookups: added, batchRows: 0 };
    this.#days.add({ keyId, customer, day: dayOf(atMs), ...counts });
    return { month, lookups, refused };
  }

  /** Returns the ids of rows that `recordRows` would refuse. */
  rowsBeyond({ ids, keyId, mostOfMonth }: RecordedRows): string[] {
    if (mostOfMonth === null) return [];
    let room = mostOfMonth - this.#months.lookups(keyId, monthOf(this.#clock.timeOf(undefined)));
    return ids.filter((id) => !this.has(id) && room-- <= 0);
  }

  /** Makes all that is pending `uncertain`. Returns the number of lookups. */
  doubtPending(reason: string, nowMs: number): number {
    const update = `UPDATE usage SET state = 'uncertain', settled_ms = ?, reason = ? WHERE state = 'pending'`;
    return this.#db.prepare<[number, string]>(update).run(nowMs, reason).changes;
  }

  /** Writes to the disk as `record` does, and leaves nothing behind. */
  probe(): void {
    this.#insert.run({ id: PROBE_ID, keyId: '', customer: null, atMs: 0, state: 'unbilled' });
    this.#deleteProbe.run(PROBE_ID);
  }

  takePending({ nowMs: givenMs, after, customers, perCustomer }: TakePending): PendingEvent[] {
    const taken: PendingEvent[] = [];
    // A repetition by a clock that was set back might be billed twice, and one that is ahead makes every event too old.
    if (!this.#clock.isTrusted) return taken;
    const nowMs = this.#clock.timeOf(givenMs);
    const latestMs = nowMs + MAX_AHEAD_MS;
    let customer: string | undefined = after;
    for (let i = 0; i < customers; i++) {
      customer = this.#nextCustomer.get(customer, latestMs);
      if (customer === undefined) break;
      for (const row of this.#pendingOf.all(customer, latestMs, perCustomer)) {
        if (this.#isSendable(row, nowMs)) taken.push(this.#take(row, customer, nowMs));
      }
    }
    return taken;
  }

  /** Says whether a lookup may still be sent; settles it with the reason when it may not. */
  #isSendable({ id, resends, atMs, sentMs }: PendingRow, nowMs: number): boolean {
    const settle = (state: UsageState, reason: string): false => {
      this.#settle.run(state, nowMs, reason, 0, id, resends);
      return false;
    };
    if (sentMs !== null && nowMs - sentMs > REPEATABLE_MS) {
      return settle('uncertain', 'sent, but no answer came within the time for repetitions');
    }
    if (nowMs - atMs <= OLDEST_EVENT_MS) return true;
    // The processor may have accepted an event that was sent.
    return settle(sentMs === null ? 'too_old' : 'uncertain', 'older than the processor takes');
  }

  #take({ id, resends, atMs, sentMs }: PendingRow, customer: string, nowMs: number): PendingEvent {
    if (sentMs === null) this.#markSent.run(nowMs, id);
    return { id, resends, customer, atMs, isFirstAttempt: sentMs === null };
  }

  settle(settlements: readonly Settlement[], nowMs: number): void {
    for (const { id, resends, outcome, reason = null, isCustomerFault = false } of settlements) {
      if (outcome === 'unsent') this.#unsend.run(id, resends);
      else if (outcome === 'again') this.#sendAgain.run(id, resends);
      else this.#settle.run(outcome, nowMs, reason, isCustomerFault ? 1 : 0, id, resends);
    }
  }

  has(id: string): boolean {
    return this.#has.get(id) !== undefined;
  }

  /** An event that is older than the processor takes is sent with the present time. */
  resend(states: readonly UsageState[], nowMs: number): number {
    const marks = states.map(() => '?').join(', ');
    return this.#db
      .prepare(
        `UPDATE usage SET state = 'pending', sent_ms = NULL, settled_ms = NULL, reason = NULL,
           customer_fault = 0, resends = resends + (state <> 'uncertain'),
           billed_ms = CASE WHEN coalesce(billed_ms, at_ms) < ? THEN ? ELSE billed_ms END
         WHERE customer IS NOT NULL AND state IN (${marks})`,
      )
      .run(nowMs - OLDEST_EVENT_MS + DAY_MS, nowMs, ...states).changes;
  }

  /**
   * Deletes settled lookups before a time, only so many at once that other operations do not wait. Returns their
   * number.
   */
  prune(beforeMs: number): number {
    return this.#db
      .prepare(
        `DELETE FROM usage WHERE seq IN
           (SELECT seq FROM usage WHERE at_ms < ? AND state <> 'pending' ORDER BY at_ms LIMIT ${PRUNED_AT_ONCE})`,
      )
      .run(beforeMs).changes;
  }
}
