import { randomUUID } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { ClaimedDelivery } from './delivery.ts';
import { DUE, LEASED } from './delivery-table.ts';

/** Bounds of the attempts that are under way at once, for all processes of the machine. */
export const MOST_AT_ONCE = 16;
const MOST_PER_HOST = 2;
const MOST_PER_KEY = 4;

/**
 * Takes the delivery that waits longest, of a receiver and a key that have not too many attempts under way. Null when there is none. Call it in a
 * transaction.
 * @param leaseMs time that a process has a delivery to itself.
 */
export function claimNext(
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
