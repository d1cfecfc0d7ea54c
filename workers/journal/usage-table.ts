import type { Database, Statement } from 'better-sqlite3';
import type {
  PendingEvent,
  Settlement,
  TakePending,
  UsageRecord,
  UsageState,
} from '../../src/shared/contract/journal.ts';
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts';

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

interface PendingRow {
  readonly id: string;
  readonly atMs: number;
  readonly sentMs: number | null;
}

/** The lookups of the journal. */
export class UsageTable {
  readonly #db: Database;
  readonly #insert: Statement<[UsageRecord & { readonly state: UsageState }]>;
  readonly #nextCustomer: Statement<[string], { readonly customer: string | null }>;
  readonly #pendingOf: Statement<[string, number], PendingRow>;
  readonly #markSent: Statement<[number, string]>;
  readonly #settle: Statement<[UsageState, number, string | null, string]>;
  readonly #unsend: Statement<[string]>;
  readonly #deleteProbe: Statement<[string]>;

  constructor(db: Database) {
    this.#db = db;
    // A resumed request has the id of the lost attempt.
    this.#insert = db.prepare(
      `INSERT INTO usage (id, key_id, customer, at_ms, state) VALUES (@id, @keyId, @customer, @atMs, @state)
       ON CONFLICT (id) DO NOTHING`,
    );
    this.#nextCustomer = db.prepare(
      `SELECT min(customer) AS customer FROM usage WHERE state = 'pending' AND customer > ?`,
    );
    this.#pendingOf = db.prepare(
      `SELECT id, at_ms AS atMs, sent_ms AS sentMs FROM usage WHERE state = 'pending' AND customer = ? ORDER BY seq LIMIT ?`,
    );
    this.#markSent = db.prepare('UPDATE usage SET sent_ms = ? WHERE id = ?');
    this.#settle = db.prepare(
      `UPDATE usage SET state = ?, settled_ms = ?, reason = ? WHERE id = ? AND state IN ('pending', 'delivered')`,
    );
    this.#unsend = db.prepare(`UPDATE usage SET sent_ms = NULL WHERE id = ? AND state = 'pending'`);
    this.#deleteProbe = db.prepare('DELETE FROM usage WHERE id = ?');
  }

  record(usage: UsageRecord): void {
    this.#insert.run({ ...usage, state: usage.customer === null ? 'unbilled' : 'pending' });
  }

  /** Writes to the disk as `record` does, and leaves nothing behind. */
  probe(): void {
    this.#insert.run({ id: PROBE_ID, keyId: '', customer: null, atMs: 0, state: 'unbilled' });
    this.#deleteProbe.run(PROBE_ID);
  }

  takePending({ nowMs, after, customers, perCustomer }: TakePending): PendingEvent[] {
    const taken: PendingEvent[] = [];
    let customer: string | null = after;
    for (let i = 0; i < customers; i++) {
      customer = this.#nextCustomer.get(customer)!.customer;
      if (customer === null) break;
      for (const row of this.#pendingOf.all(customer, perCustomer)) {
        if (this.#isSendable(row, nowMs)) taken.push(this.#take(row, customer, nowMs));
      }
    }
    return taken;
  }

  /** Says whether a lookup may still be sent; settles it with the reason when it may not. */
  #isSendable({ id, atMs, sentMs }: PendingRow, nowMs: number): boolean {
    if (sentMs !== null && nowMs - sentMs > REPEATABLE_MS) {
      this.#settle.run('uncertain', nowMs, 'sent, but no answer came within the time for repetitions', id);
      return false;
    }
    if (nowMs - atMs <= OLDEST_EVENT_MS) return true;
    // The processor may have accepted an event that was sent.
    this.#settle.run(sentMs === null ? 'too_old' : 'uncertain', nowMs, 'older than the processor takes', id);
    return false;
  }

  #take({ id, atMs, sentMs }: PendingRow, customer: string, nowMs: number): PendingEvent {
    if (sentMs === null) this.#markSent.run(nowMs, id);
    return { id, customer, atMs, isFirstAttempt: sentMs === null };
  }

  settle(settlements: readonly Settlement[], nowMs: number): void {
    for (const { id, outcome, reason = null } of settlements) {
      if (outcome === 'unsent') this.#unsend.run(id);
      else this.#settle.run(outcome, nowMs, reason, id);
    }
  }

  resend(states: readonly UsageState[]): number {
    const marks = states.map(() => '?').join(', ');
    return this.#db
      .prepare(
        `UPDATE usage SET state = 'pending', sent_ms = NULL, settled_ms = NULL, reason = NULL
         WHERE customer IS NOT NULL AND state IN (${marks})`,
      )
      .run(...states).changes;
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
