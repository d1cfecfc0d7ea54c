/** What clients and operators see of the deliveries. */
import type Database from 'better-sqlite3';
import type { Delivery, DeliveryState } from './delivery.ts';
import { DELIVERY_COLUMNS, deliveryOf, type DeliveryRow } from './delivery-table.ts';

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
