import type { KeptData } from '../../feature.ts';
import { join } from 'node:path';
import { readStore, removeFromStore } from '../../core/files/scrub.ts';

/** Deliveries to the receivers of a customer, and receivers that get nothing more. */
export const keptDeliveries: KeptData = {
  noun: 'deliveries',
  *read(dataDir, { keyIds }) {
    const { deliveries, disabledReceivers } = readDeliveries(dataDir, keyIds);
    for (const delivery of deliveries) yield { delivery };
    for (const disabledReceiver of disabledReceivers) yield { disabledReceiver };
  },
  forget: (dataDir, { keyIds }) => forgetDeliveries(dataDir, keyIds),
};

// Deliveries to the receivers of somebody who asks what is kept, or to be forgotten.

const OF_KEYS = 'key_id IN (SELECT value FROM json_each(?))';

/** Reads the deliveries of keys, oldest first. */
export function readDeliveries(
  dataDir: string,
  keyIds: readonly string[],
): {
  readonly deliveries: readonly object[];
  /** Receivers to which nothing is sent any more. */
  readonly disabledReceivers: readonly object[];
} {
  const ids = JSON.stringify(keyIds);
  const found = readStore(fileIn(dataDir), (db) => ({
    deliveries: db
      .prepare<[string], object>(
        `SELECT id, key_id AS keyId, batch, type, url, state, attempts, created_ms AS createdMs, ended_ms AS endedMs, body
         FROM delivery WHERE ${OF_KEYS} ORDER BY seq`,
      )
      .all(ids),
    disabledReceivers: db
      .prepare<[string], object>(
        `SELECT key_id AS keyId, url, disabled_ms AS disabledMs, reason FROM disabled_receiver WHERE ${OF_KEYS}`,
      )
      .all(ids),
  }));
  return found ?? { deliveries: [], disabledReceivers: [] };
}

/** Removes the deliveries of keys, also those that were not sent yet, and returns how many. */
async function forgetDeliveries(dataDir: string, keyIds: readonly string[]): Promise<number> {
  const ids = JSON.stringify(keyIds);
  const removed = await removeFromStore(fileIn(dataDir), (db) => {
    db.prepare<[string]>(`DELETE FROM disabled_receiver WHERE ${OF_KEYS}`).run(ids);
    return db.prepare<[string]>(`DELETE FROM delivery WHERE ${OF_KEYS}`).run(ids).changes;
  });
  return removed ?? 0;
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'batches', 'webhooks.sqlite');
}
