/** The requests with an `Idempotency-Key` of somebody who asks what is kept, or to be forgotten. */
import { inflateRawSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import type { JournalReads, KeptRequest } from '../../src/messages/journal-reads.ts';

/** Requests that are read at once: an answer takes kilobytes. */
const READ_AT_ONCE = 200;

/** Returns some of the kept requests of keys. */
export function keptRequests(db: Database, { keyIds, afterPlace }: JournalReads['keptRequests'][0]): KeptRequest[] {
  return db
    .prepare<[string, number], Omit<KeptRequest, 'answer'> & { readonly body: Buffer | null }>(
      `SELECT rowid AS place, key_id AS keyId, idempotency_key AS idempotencyKey, lookup_id AS lookupId, at_ms AS atMs, code, body
       FROM answer WHERE key_id IN (SELECT value FROM json_each(?)) AND rowid > ? ORDER BY rowid LIMIT ${READ_AT_ONCE}`,
    )
    .all(JSON.stringify(keyIds), afterPlace)
    .map(({ body, ...request }) => ({ ...request, answer: body && inflateRawSync(body).toString() }));
}

const COLUMNS = 'key_id, idempotency_key, request_hash, lookup_id, attempt_id, at_ms, code, bytes, body, vintage';

/**
 * Removes the requests of keys, and returns how many. The table is made anew from what stays, also where none is removed, because SQLite leaves copies of
 * rows in gaps of pages, also of rows that were deleted long ago; its old pages are overwritten and given back. Belongs into a transaction.
 * @param makeTable makes the table, its indexes and its triggers.
 */
export function forgetRequests(db: Database, keyIds: readonly string[], makeTable: () => void): number {
  const ids = JSON.stringify(keyIds);
  const count = db
    .prepare<[string], number>('SELECT count(*) FROM answer WHERE key_id IN (SELECT value FROM json_each(?))')
    .pluck();
  const removed = count.get(ids)!;
  const overwrites = db.pragma('secure_delete', { simple: true });
  db.pragma('secure_delete = ON');
  db.exec('DROP TABLE IF EXISTS temp.kept_answer');
  db.prepare<[string]>(
    `CREATE TEMP TABLE kept_answer AS SELECT ${COLUMNS} FROM answer WHERE key_id NOT IN (SELECT value FROM json_each(?))`,
  ).run(ids);
  db.exec('DROP TABLE answer; DELETE FROM answer_bytes;');
  makeTable();
  db.exec(`INSERT INTO answer (${COLUMNS}) SELECT ${COLUMNS} FROM temp.kept_answer; DROP TABLE temp.kept_answer;`);
  db.pragma('incremental_vacuum');
  db.pragma(`secure_delete = ${String(overwrites)}`);
  return removed;
}
