/** The table of deliveries, as SQL, and what clients and operators see of it. */
import type Database from 'better-sqlite3';
import { dirname } from 'node:path';
import { openStore } from '../../core/files/open-store.ts';
import { makePrivateFolder } from '../../core/files/make-folder.ts';
import { onStore } from '../../messages/stores.ts';
import { LONGEST_WAIT_MS, type Attempt, type Delivery, type DeliveryState } from './delivery.ts';

const FORMAT = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS delivery (
    -- In the order in which they were stored; never used again.
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, key_id TEXT NOT NULL, batch TEXT NOT NULL, type TEXT NOT NULL, url TEXT NOT NULL, host TEXT NOT NULL,
    body TEXT NOT NULL, created_ms INTEGER NOT NULL, state TEXT NOT NULL,
    -- Attempts since it was stored or sent again by hand.
    tries INTEGER NOT NULL DEFAULT 0,
    -- JSON.
    attempts TEXT NOT NULL DEFAULT '[]',
    next_ms INTEGER, ended_ms INTEGER, lease TEXT, leased_until_ms INTEGER) STRICT;
  CREATE INDEX IF NOT EXISTS delivery_due ON delivery (next_ms) WHERE state = 'pending';
  CREATE INDEX IF NOT EXISTS delivery_leased ON delivery (leased_until_ms) WHERE lease IS NOT NULL;
  CREATE INDEX IF NOT EXISTS delivery_key ON delivery (key_id, seq);
  CREATE INDEX IF NOT EXISTS delivery_ended ON delivery (ended_ms) WHERE ended_ms IS NOT NULL;
  CREATE INDEX IF NOT EXISTS delivery_state ON delivery (state, created_ms);
  CREATE TABLE IF NOT EXISTS disabled_receiver (
    key_id TEXT NOT NULL, url TEXT NOT NULL, disabled_ms INTEGER NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (key_id, url)) STRICT, WITHOUT ROWID;
`;

/** Time that another process may hold the file before a statement fails. It blocks the main thread, so it is short. */
const BUSY_TIMEOUT_MS = 500;

/** Opens the file, and makes it and its folder when they are missing. @throws Error when a later version wrote it. */
export function openDeliveries(file: string): Database.Database {
  // URLs of receivers may have secrets in them.
  onStore(file, () => {
    makePrivateFolder(dirname(file));
  });
  return openStore({
    file,
    format: FORMAT,
    schema: SCHEMA,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    synchronous: 'FULL',
  });
}

/** A lease in force. One that lasts longer than a lease can was given before the clock was set back. Needs @nowMs and @leaseMs. */
export const LEASED = 'lease IS NOT NULL AND leased_until_ms > @nowMs AND leased_until_ms <= @nowMs + @leaseMs';

/** A delivery whose time has come and that no process has. A time beyond the longest wait was set before the clock was set back. */
export const DUE = `state = 'pending' AND (next_ms <= @nowMs OR next_ms > @nowMs + ${LONGEST_WAIT_MS * 1.2}) AND NOT (${LEASED})`;

const DELIVERY_COLUMNS = `id, type, batch, url, state, attempts, created_ms AS createdMs, next_ms AS nextMs,
  (SELECT reason FROM disabled_receiver d WHERE d.key_id = delivery.key_id AND d.url = delivery.url) AS reason`;

interface DeliveryRow extends Pick<Delivery, 'id' | 'type' | 'batch' | 'url' | 'state' | 'reason'> {
  /** JSON. */
  readonly attempts: string;
  readonly createdMs: number;
  readonly nextMs: number | null;
}

function deliveryOf({ attempts, createdMs, nextMs, reason, ...row }: DeliveryRow): Delivery {
  return {
    ...row,
    reason: row.state === 'disabled' ? (reason ?? 'the receiver had answered 410') : null,
    createdAt: new Date(createdMs).toISOString(),
    nextAttemptAt: nextMs === null ? null : new Date(nextMs).toISOString(),
    attempts: JSON.parse(attempts) as Attempt[],
  };
}

export interface DeliveryPage {
  readonly limit: number;
  /** Id of a delivery; only older ones are wanted. */
  readonly after: string | null;
}

export interface DeliveryCounts extends Readonly<Record<DeliveryState, number>> {
  /** When the pending delivery that waits longest was stored; null without any. */
  readonly oldestPendingMs: number | null;
}

/** Returns deliveries of a key, newest first. Null when the key has no delivery `after`. */
export function listDeliveries(
  db: Database.Database,
  keyId: string,
  { limit, after }: DeliveryPage,
): readonly Delivery[] | null {
  const before = after === null ? Number.MAX_SAFE_INTEGER : seqOf(db, keyId, after);
  if (before === undefined) return null;
  return db
    .prepare<[string, number, number], DeliveryRow>(
      `SELECT ${DELIVERY_COLUMNS} FROM delivery WHERE key_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    )
    .all(keyId, before, limit)
    .map(deliveryOf);
}

export function findDelivery(db: Database.Database, keyId: string, id: string): Delivery | null {
  const row = db
    .prepare<[string, string], DeliveryRow>(`SELECT ${DELIVERY_COLUMNS} FROM delivery WHERE key_id = ? AND id = ?`)
    .get(keyId, id);
  return row ? deliveryOf(row) : null;
}

export function countDeliveries(db: Database.Database): DeliveryCounts {
  const rows = db
    .prepare<[], [DeliveryState, number, number]>(
      'SELECT state, count(*), min(created_ms) FROM delivery GROUP BY state',
    )
    .raw()
    .all();
  const counts = Object.fromEntries(rows.map(([state, count]) => [state, count]));
  const oldestPendingMs = rows.find(([state]) => state === 'pending')?.[2] ?? null;
  return { pending: 0, delivered: 0, failed: 0, disabled: 0, ...counts, oldestPendingMs };
}

function seqOf(db: Database.Database, keyId: string, id: string): number | undefined {
  return db
    .prepare<[string, string], number>('SELECT seq FROM delivery WHERE key_id = ? AND id = ?')
    .pluck()
    .get(keyId, id);
}
