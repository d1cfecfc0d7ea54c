import type Database from 'better-sqlite3';
import { DAY_MS } from '../../messages/time.ts';
import {
  type Attempt,
  type ClaimedDelivery,
  type Consequence,
  type Delivery,
  type NewDelivery,
  MOST_ATTEMPTS_KEPT,
} from './delivery.ts';
import {
  type DeliveryCounts,
  type DeliveryPage,
  countDeliveries,
  findDelivery,
  listDeliveries,
  DUE,
  LEASED,
  openDeliveries,
} from './delivery-table.ts';
import { randomUUID } from 'node:crypto';

/** Records of deliveries that have ended, and of receivers that are disabled, are kept this long. */
export const KEPT_MS = 30 * DAY_MS;

/** Beyond this number the records that ended first go, although they are younger. */
const MOST_KEPT = 100_000;

/** Records deleted at once, so that nothing waits long for it. */
const EXPIRED_AT_ONCE = 500;

/** Result of asking for a delivery once more. */
export type Resend = 'queued' | 'under way' | 'unknown';

/**
 * The deliveries of this machine, in an SQLite file that its processes share. What is stored is on the disk: after a power failure a delivery is
 * not lost, and one that was delivered is not sent again.
 */
export class DeliveryStore implements Disposable {
  readonly #db: Database.Database;
  readonly #leaseMs: number;

  /** Opens the file, and makes it when it is missing. `leaseMs`: time that a process has a delivery to itself. */
  constructor(file: string, leaseMs: number) {
    this.#leaseMs = leaseMs;
    this.#db = openDeliveries(file);
  }

  /** Stores a delivery; a second one of the same event changes nothing. */
  add({ keyId, url, type, eventId, at, data }: NewDelivery, nowMs: number): void {
    const row = {
      id: eventId,
      keyId,
      url,
      type,
      nowMs,
      batch: data.id,
      host: URL.canParse(url) ? new URL(url).hostname : '',
      body: JSON.stringify({ type, timestamp: at, data }),
    };
    this.#immediately(() => {
      const isDisabled = this.#isDisabled(keyId, url);
      this.#db
        .prepare(
          `INSERT INTO delivery (id, key_id, batch, type, url, host, body, created_ms, state, next_ms, ended_ms)
           VALUES (@id, @keyId, @batch, @type, @url, @host, @body, @nowMs, @state, @nextMs, @endedMs)
           ON CONFLICT (id) DO NOTHING`,
        )
        .run(
          isDisabled
            ? { ...row, state: 'disabled', nextMs: null, endedMs: nowMs }
            : { ...row, state: 'pending', nextMs: nowMs, endedMs: null },
        );
    });
  }

  /** Takes a delivery whose time has come, the one that waits longest. Null when there is none, or when enough are under way. */
  claim(nowMs: number): ClaimedDelivery | null {
    const bounds = { nowMs, leaseMs: this.#leaseMs };
    // Asked first, because it is asked every second, and a transaction that writes excludes those of other processes.
    if (!this.#db.prepare(`SELECT 1 FROM delivery WHERE ${DUE} LIMIT 1`).get(bounds)) return null;
    return this.#immediately(() => claimNext(this.#db, bounds));
  }

  /** Gives a delivery back without an attempt, to be tried at `nextMs`. */
  giveBack({ id, lease }: ClaimedDelivery, nextMs: number): void {
    this.#db
      .prepare(
        'UPDATE delivery SET lease = NULL, leased_until_ms = NULL, next_ms = @nextMs WHERE id = @id AND lease = @lease',
      )
      .run({ id, lease, nextMs });
  }

  /**
   * Stores an attempt with what comes of it. A success is stored also when the lease has ended meanwhile; a failure is not: another process may have
   * succeeded.
   */
  finish({ id, keyId, url, lease }: ClaimedDelivery, attempt: Attempt, consequence: Consequence, nowMs: number): void {
    this.#immediately(() => {
      const row = this.#db
        .prepare<[string], { attempts: string; lease: string | null }>(
          'SELECT attempts, lease FROM delivery WHERE id = ?',
        )
        .get(id);
      if (!row || (row.lease !== lease && consequence.state !== 'delivered')) return;
      // Another delivery to this receiver may have got 410 meanwhile.
      const isOver = consequence.state === 'pending' && this.#isDisabled(keyId, url);
      const state = isOver ? 'disabled' : consequence.state;
      const attempts = [...(JSON.parse(row.attempts) as Attempt[]), attempt].slice(-MOST_ATTEMPTS_KEPT);
      this.#db
        .prepare(
          `UPDATE delivery SET state = @state, attempts = @attempts, tries = tries + 1, next_ms = @nextMs,
             ended_ms = @endedMs, lease = NULL, leased_until_ms = NULL WHERE id = @id`,
        )
        .run({
          id,
          state,
          attempts: JSON.stringify(attempts),
          nextMs: consequence.state === 'pending' && !isOver ? consequence.nextMs : null,
          endedMs: state === 'pending' ? null : nowMs,
        });
      if (consequence.state === 'disabled') this.#disable({ keyId, url, reason: consequence.reason, nowMs });
    });
  }

  /** Deliveries of a key, newest first; those older than the delivery `after`. Null when the key has no such delivery. */
  list(keyId: string, page: DeliveryPage): readonly Delivery[] | null {
    return listDeliveries(this.#db, keyId, page);
  }

  find(keyId: string, id: string): Delivery | null {
    return findDelivery(this.#db, keyId, id);
  }

  /** Begins all attempts of a delivery anew, whatever its state. Its receiver is enabled again if it was disabled. */
  resend(keyId: string, id: string, nowMs: number): Resend {
    return this.#immediately(() => {
      const row = this.#db
        .prepare<[object], { url: string; isUnderWay: number }>(
          `SELECT url, (${LEASED}) AS isUnderWay FROM delivery WHERE key_id = @keyId AND id = @id`,
        )
        .get({ keyId, id, nowMs, leaseMs: this.#leaseMs });
      if (!row) return 'unknown';
      if (row.isUnderWay === 1) return 'under way';
      this.#db.prepare('DELETE FROM disabled_receiver WHERE key_id = ? AND url = ?').run(keyId, row.url);
      this.#db
        .prepare(
          `UPDATE delivery SET state = 'pending', tries = 0, next_ms = ?, ended_ms = NULL, lease = NULL, leased_until_ms = NULL
           WHERE id = ?`,
        )
        .run(nowMs, id);
      return 'queued';
    });
  }

  counts(): DeliveryCounts {
    return countDeliveries(this.#db);
  }

  /** Deletes records whose time is over, and those beyond the most that are kept. Does a bounded amount at once; returns how many. */
  expire(nowMs: number): number {
    const oldest = 'SELECT seq FROM delivery WHERE ended_ms IS NOT NULL';
    const remove = (condition: string): number =>
      this.#db
        .prepare(`DELETE FROM delivery WHERE seq IN (${oldest} ${condition} ORDER BY ended_ms LIMIT @most)`)
        .run({ endedBefore: nowMs - KEPT_MS, most: EXPIRED_AT_ONCE }).changes;
    this.#db.prepare('DELETE FROM disabled_receiver WHERE disabled_ms < ?').run(nowMs - KEPT_MS);
    const removed = remove('AND ended_ms < @endedBefore');
    const count = this.#db.prepare<[], number>('SELECT count(*) FROM delivery').pluck().get() ?? 0;
    return count > MOST_KEPT ? removed + remove('AND @endedBefore IS NOT NULL') : removed;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #isDisabled(keyId: string, url: string): boolean {
    const find = this.#db.prepare('SELECT 1 FROM disabled_receiver WHERE key_id = ? AND url = ?');
    return find.get(keyId, url) !== undefined;
  }

  /** Nothing more goes to the receiver; attempts under way end as they end. */
  #disable(receiver: {
    readonly keyId: string;
    readonly url: string;
    readonly reason: string;
    readonly nowMs: number;
  }): void {
    this.#db.prepare('INSERT OR REPLACE INTO disabled_receiver VALUES (@keyId, @url, @nowMs, @reason)').run(receiver);
    this.#db
      .prepare(
        `UPDATE delivery SET state = 'disabled', next_ms = NULL, ended_ms = @nowMs
         WHERE key_id = @keyId AND url = @url AND state = 'pending' AND NOT (${LEASED})`,
      )
      .run({ ...receiver, leaseMs: this.#leaseMs });
  }

  /** Immediate, because a transaction that reads first and writes later fails when another process writes in between. */
  #immediately<T>(work: () => T): T {
    return this.#db.transaction(work).immediate();
  }
}

/** Bounds of the attempts that are under way at once, for all processes of the machine. */
export const MOST_AT_ONCE = 16;
const MOST_PER_HOST = 2;
const MOST_PER_KEY = 4;

/**
 * Takes the delivery that waits longest, of a receiver and a key that have not too many attempts under way. Null when there is none. Call it in a
 * transaction.
 * @param leaseMs time that a process has a delivery to itself.
 */
function claimNext(
  db: Database.Database,
  bounds: { readonly nowMs: number; readonly leaseMs: number },
): ClaimedDelivery | null {
  const underWay = db
    .prepare<[object], { host: string; keyId: string }>(`SELECT host, key_id AS keyId FROM delivery WHERE ${LEASED}`)
    .all(bounds);
  if (underWay.length >= MOST_AT_ONCE) return null;
  const hosts = underWay.map(({ host }) => host);
  const keys = underWay.map(({ keyId }) => keyId);
  const found = db
    .prepare<[object], Pick<ClaimedDelivery, 'id' | 'keyId' | 'url' | 'body' | 'tries'>>(
      `SELECT id, key_id AS keyId, url, body, tries FROM delivery WHERE ${DUE}
         AND host NOT IN (SELECT value FROM json_each(@hosts)) AND key_id NOT IN (SELECT value FROM json_each(@keys))
       ORDER BY next_ms LIMIT 1`,
    )
    .get({ ...bounds, hosts: manyOf(hosts, MOST_PER_HOST), keys: manyOf(keys, MOST_PER_KEY) });
  if (!found) return null;
  const lease = { id: found.id, lease: randomUUID(), untilMs: bounds.nowMs + bounds.leaseMs };
  db.prepare('UPDATE delivery SET lease = @lease, leased_until_ms = @untilMs WHERE id = @id').run(lease);
  return { ...found, ...lease };
}

/** Returns the texts that occur at least `most` times, as JSON. */
function manyOf(texts: readonly string[], most: number): string {
  const many = [...new Set(texts)].filter((text) => texts.filter((other) => other === text).length >= most);
  return JSON.stringify(many);
}
