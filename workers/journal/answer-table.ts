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
} from '../../src/messages/journal.ts';
import { KeptBytes } from './kept-bytes.ts';
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
