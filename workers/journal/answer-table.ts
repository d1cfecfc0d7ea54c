import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Database, Statement } from 'better-sqlite3';
import {
  ANSWER_KEPT_MS,
  type AnsweredRequest,
  type Attempted,
  type Claim,
  type ClaimOptions,
  type IdempotentRequest,
  type StoredAnswer,
  type JournalReads,
  type KeptRequest,
} from '../../src/messages/journal.ts';
import type { WallClock } from './wall-clock.ts';

interface AnswerRow {
  readonly requestHash: string;
  readonly lookupId: string;
  readonly attemptId: string | null;
  readonly atMs: number;
  readonly code: StoredAnswer['code'];
  /** Size of the compressed answer; 0: it is not kept any more; null: there is none yet. */
  readonly bytes: number | null;
  readonly body: Buffer | null;
  readonly vintage: string | null;
}

type WrittenRow = IdempotentRequest & AnswerRow;

/** Rows that one call of `prune` deletes: it holds up lookups for milliseconds only. */
const PRUNED_AT_ONCE = 500;

/** Holds the claim of an attempt that had taken it over, and failed. Version 0.2.0 waits until such a claim is old. */
const NOBODY = '';

/** Half the time of the default level, for a tenth more bytes. */
const COMPRESSION = { level: 1 } as const;

/** Requests with an `Idempotency-Key`: first a claim, then the answer, compressed. */
export class AnswerTable {
  readonly #find: Statement<[IdempotentRequest], AnswerRow>;
  readonly #put: Statement<[WrittenRow]>;
  readonly #drop: Statement<[Attempted]>;
  readonly #release: Statement<[Attempted]>;
  readonly #prune: Statement<[number, number]>;
  readonly #kept: KeptBytes;
  readonly #clock: Pick<WallClock, 'isTrusted' | 'timeOf'>;

  /** Compares times that the clock corrected, so that a jump ends no claim and no answer. */
  constructor(db: Database, clock: Pick<WallClock, 'isTrusted' | 'timeOf'>, kept = new KeptBytes(db)) {
    this.#clock = clock;
    this.#kept = kept;
    this.#find = db.prepare(
      `SELECT request_hash AS requestHash, lookup_id AS lookupId, attempt_id AS attemptId, at_ms AS atMs, code, bytes, body, vintage
       FROM answer
       WHERE key_id = @keyId AND idempotency_key = @idempotencyKey`,
    );
    this.#put = db.prepare(
      `INSERT INTO answer (key_id, idempotency_key, request_hash, lookup_id, attempt_id, at_ms, code, bytes, body, vintage)
       VALUES (@keyId, @idempotencyKey, @requestHash, @lookupId, @attemptId, @atMs, @code, @bytes, @body, @vintage)
       ON CONFLICT DO UPDATE SET request_hash = excluded.request_hash, lookup_id = excluded.lookup_id,
         attempt_id = excluded.attempt_id, at_ms = excluded.at_ms, code = excluded.code, bytes = excluded.bytes,
         body = excluded.body, vintage = excluded.vintage`,
    );
    const held = `key_id = @keyId AND idempotency_key = @idempotencyKey AND attempt_id = @attemptId AND bytes IS NULL`;
    this.#drop = db.prepare(`DELETE FROM answer WHERE ${held} AND lookup_id = @attemptId`);
    this.#release = db.prepare(`UPDATE answer SET attempt_id = '${NOBODY}' WHERE ${held}`);
    this.#prune = db.prepare('DELETE FROM answer WHERE rowid IN (SELECT rowid FROM answer WHERE at_ms < ? LIMIT ?)');
  }

  claim(claim: Attempted & ClaimOptions): Claim {
    const nowMs = this.#clock.timeOf(claim.nowMs);
    const row = this.#find.get(claim);
    if (!row || (this.#clock.isTrusted && nowMs - row.atMs > ANSWER_KEPT_MS)) {
      return this.#beginNew(claim, claim.lookupId, nowMs);
    }
    if (row.requestHash !== claim.requestHash) return { kind: 'other request' };
    if (row.bytes !== null) return this.#claimAnswered(claim, row, nowMs);
    if (row.attemptId === NOBODY) return this.#beginNew(claim, row.lookupId, nowMs);
    if (nowMs - row.atMs <= claim.attemptMs) return { kind: 'under way' };
    return this.#resume(claim, row, nowMs);
  }

  store({ answer, ...request }: AnsweredRequest): void {
    const body = deflateRawSync(answer.json, COMPRESSION);
    const atMs = this.#clock.timeOf(request.atMs);
    const { code, vintage = null } = answer;
    this.#put.run({ ...request, attemptId: null, atMs, code, bytes: body.length, body, vintage });
    this.#kept.keepBounds(request.keyId);
  }

  /**
   * Ends a claim, unless another attempt has taken it over or an answer is there. The lookup id stays when the attempt had it from another one, which
   * may still be answered and billed.
   */
  abandon(attempted: Attempted): void {
    this.#drop.run(attempted);
    this.#release.run(attempted);
  }

  /** Deletes some of the answers before a time, and returns their number. */
  prune(beforeMs: number): number {
    return this.#prune.run(beforeMs, PRUNED_AT_ONCE).changes;
  }

  /** A refusal that is not kept any more may be answered now, and is billed then. */
  #claimAnswered(claim: Attempted & ClaimOptions, row: AnswerRow, nowMs: number): Claim {
    const isForgottenRefusal = row.bytes === 0 && row.code !== null;
    if (!isForgottenRefusal) return { kind: 'answered', answer: answerOf(row) };
    return claim.mayBegin ? this.#resume(claim, row, nowMs) : { kind: 'not begun' };
  }

  #resume(claim: Attempted, { lookupId }: AnswerRow, nowMs: number): Claim {
    this.#begin(claim, lookupId, nowMs);
    return { kind: 'resumed', lookupId };
  }

  #beginNew(claim: Attempted & ClaimOptions, lookupId: string, nowMs: number): Claim {
    if (!claim.mayBegin) return { kind: 'not begun' };
    this.#begin(claim, lookupId, nowMs);
    return { kind: 'new', lookupId };
  }

  #begin(claim: Attempted, lookupId: string, atMs: number): void {
    this.#put.run({ ...claim, lookupId, atMs, code: null, bytes: null, body: null, vintage: null });
  }
}

function answerOf({ code, body, vintage }: AnswerRow): StoredAnswer | null {
  return body && { code, vintage, json: inflateRawSync(body).toString() };
}

/** The plain answers of a day at the usual hourly limit fit into the bytes of one key. */
const BOUNDS = { keyBytes: 64 * 2 ** 20, allBytes: 2 ** 30 };

/** Answers that are given up at once, so that the next ones need not look again. */
const GIVEN_UP_AT_ONCE = 20;

/**
 * The bytes of stored answers, which triggers count by key and in total. Beyond the bounds the oldest answers are given
 * up. Their rows stay: the request is still known as counted and billed (docs/decisions/0024).
 */
export const KEPT_BYTES_SCHEMA = `
  -- By key, and for all keys under ''.
  CREATE TABLE IF NOT EXISTS answer_bytes (
    key_id TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS answer_kept ON answer (key_id, at_ms) WHERE bytes > 0;
  CREATE TRIGGER IF NOT EXISTS answer_added AFTER INSERT ON answer BEGIN
    INSERT OR IGNORE INTO answer_bytes VALUES (new.key_id, 0), ('', 0);
    UPDATE answer_bytes SET bytes = bytes + coalesce(new.bytes, 0) WHERE key_id IN (new.key_id, '');
  END;
  CREATE TRIGGER IF NOT EXISTS answer_changed AFTER UPDATE OF bytes ON answer BEGIN
    UPDATE answer_bytes SET bytes = bytes + coalesce(new.bytes, 0) - coalesce(old.bytes, 0)
    WHERE key_id IN (new.key_id, '');
  END;
  CREATE TRIGGER IF NOT EXISTS answer_removed AFTER DELETE ON answer BEGIN
    UPDATE answer_bytes SET bytes = bytes - coalesce(old.bytes, 0) WHERE key_id IN (old.key_id, '');
  END;
`;

/** Keeps the stored answers within their bounds. */
export class KeptBytes {
  readonly #bytesOf: Statement<[string], number>;
  readonly #largest: Statement<[], string>;
  readonly #giveUp: Statement<[string, number]>;
  readonly #bounds: typeof BOUNDS;

  constructor(db: Database, bounds = BOUNDS) {
    this.#bounds = bounds;
    this.#bytesOf = db.prepare<[string], number>('SELECT bytes FROM answer_bytes WHERE key_id = ?').pluck();
    this.#largest = db
      .prepare<[], string>(`SELECT key_id FROM answer_bytes WHERE key_id <> '' ORDER BY bytes DESC LIMIT 1`)
      .pluck();
    this.#giveUp = db.prepare(
      `UPDATE answer SET bytes = 0, body = NULL
       WHERE rowid IN (SELECT rowid FROM answer WHERE key_id = ? AND bytes > 0 ORDER BY at_ms LIMIT ?)`,
    );
  }

  /** Gives up the oldest answers of a key that has too many bytes, then those of the key with most, while all are too many. */
  keepBounds(keyId: string): void {
    while (this.#bytes(keyId) > this.#bounds.keyBytes && this.#giveUpOldest(keyId));
    while (this.#bytes('') > this.#bounds.allBytes && this.#giveUpOldest(this.#largest.get() ?? ''));
  }

  /** False: the key has none. */
  #giveUpOldest(keyId: string): boolean {
    return this.#giveUp.run(keyId, GIVEN_UP_AT_ONCE).changes > 0;
  }

  #bytes(keyId: string): number {
    return this.#bytesOf.get(keyId) ?? 0;
  }
}

// The requests with an `Idempotency-Key` of somebody who asks what is kept, or to be forgotten.

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
