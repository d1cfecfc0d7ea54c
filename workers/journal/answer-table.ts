import type { Database, Statement } from 'better-sqlite3';
import {
  ANSWER_KEPT_MS,
  type AnsweredRequest,
  type Claim,
  type ClaimOptions,
  type IdempotentRequest,
  type StoredAnswer,
} from '../../src/shared/contract/journal.ts';
import type { WallClock } from './wall-clock.ts';

interface AnswerRow {
  readonly requestHash: string;
  readonly lookupId: string;
  readonly atMs: number;
  readonly code: StoredAnswer['code'];
  readonly json: string | null;
}

/** Requests with an `Idempotency-Key`: first a claim, then the answer. */
export class AnswerTable {
  readonly #find: Statement<[IdempotentRequest], AnswerRow>;
  readonly #put: Statement<[IdempotentRequest & { lookupId: string; atMs: number } & NullableAnswer]>;
  readonly #drop: Statement<[IdempotentRequest]>;
  readonly #prune: Statement<[number]>;

  readonly #clock: Pick<WallClock, 'isTrusted' | 'correctionMs'>;

  /** Compares times that the clock corrected, so that a jump ends no claim and no answer. */
  constructor(db: Database, clock: Pick<WallClock, 'isTrusted' | 'correctionMs'>) {
    this.#clock = clock;
    this.#find = db.prepare(
      `SELECT request_hash AS requestHash, lookup_id AS lookupId, at_ms AS atMs, code, json FROM answer
       WHERE key_id = @keyId AND idempotency_key = @idempotencyKey`,
    );
    this.#put = db.prepare(
      `INSERT OR REPLACE INTO answer (key_id, idempotency_key, request_hash, lookup_id, at_ms, code, json)
       VALUES (@keyId, @idempotencyKey, @requestHash, @lookupId, @atMs, @code, @json)`,
    );
    this.#drop = db.prepare(
      'DELETE FROM answer WHERE key_id = @keyId AND idempotency_key = @idempotencyKey AND json IS NULL',
    );
    this.#prune = db.prepare('DELETE FROM answer WHERE at_ms < ?');
  }

  claim(claim: IdempotentRequest & ClaimOptions): Claim {
    const { lookupId, attemptMs } = claim;
    const nowMs = claim.nowMs + this.#clock.correctionMs;
    const row = this.#find.get(claim);
    if (!row || (this.#clock.isTrusted && nowMs - row.atMs > ANSWER_KEPT_MS)) {
      this.#put.run({ ...claim, atMs: nowMs, code: null, json: null });
      return { kind: 'new', lookupId };
    }
    if (row.requestHash !== claim.requestHash) return { kind: 'other request' };
    if (row.json !== null) return { kind: 'answered', answer: { code: row.code, json: row.json } };
    if (nowMs - row.atMs <= attemptMs) return { kind: 'under way' };
    this.#put.run({ ...claim, lookupId: row.lookupId, atMs: nowMs, code: null, json: null });
    return { kind: 'resumed', lookupId: row.lookupId };
  }

  store({ answer, ...request }: AnsweredRequest): void {
    this.#put.run({ ...request, ...answer, atMs: request.atMs + this.#clock.correctionMs });
  }

  abandon(request: IdempotentRequest): void {
    this.#drop.run(request);
  }

  prune(beforeMs: number): void {
    this.#prune.run(beforeMs);
  }
}

interface NullableAnswer {
  readonly code: StoredAnswer['code'];
  readonly json: string | null;
}
