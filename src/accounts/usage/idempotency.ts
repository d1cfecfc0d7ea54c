import {
  ANSWER_KEPT_MS,
  type AnsweredRequest,
  type Attempted,
  type Claim,
  type ClaimOptions,
  type IdempotentRequest,
} from '../../shared/contract/journal.ts';
import type { RedisClient } from '../../stores/redis.ts';
import type { Journal } from './journal.ts';
import { sha256 } from '../../files/sha256.ts';

/** `ARGV` request hash, lookup id, attempt id, now, how long an attempt may take, how long to keep (milliseconds), 1: may begin. */
const CLAIM = `
local row = redis.call('hmget', KEYS[1], 'request', 'lookup', 'at', 'answered')
if not row[1] then
  if ARGV[7] ~= '1' then return {'not begun'} end
  redis.call('hset', KEYS[1], 'request', ARGV[1], 'lookup', ARGV[2], 'attempt', ARGV[3], 'at', ARGV[4])
  redis.call('pexpire', KEYS[1], ARGV[6])
  return {'new', ARGV[2]}
end
if row[1] ~= ARGV[1] then return {'other request'} end
if row[4] then return {'answered'} end
if math.abs(tonumber(ARGV[4]) - tonumber(row[3])) <= tonumber(ARGV[5]) then return {'under way'} end
redis.call('hset', KEYS[1], 'at', ARGV[4], 'attempt', ARGV[3])
return {'resumed', row[2]}`;

/** `ARGV` request hash, lookup id, time of the answer, how long to keep. */
const SHARE = `
redis.call('hset', KEYS[1], 'request', ARGV[1], 'lookup', ARGV[2], 'at', ARGV[3], 'answered', 1)
return redis.call('pexpire', KEYS[1], ARGV[4])`;

/** `ARGV` attempt id. Keeps the claim of another attempt, and one that has an answer. */
const ABANDON = `
local row = redis.call('hmget', KEYS[1], 'attempt', 'answered')
if row[1] == ARGV[1] and not row[2] then return redis.call('del', KEYS[1]) end`;

/**
 * Stores requests with an `Idempotency-Key`: on this machine's disk with their answers, and in Redis, where other
 * machines see that they are under way or answered. While Redis does not answer, the promise holds for each machine
 * alone (docs/decisions/0024).
 */
export class Idempotency {
  readonly #journal: Journal;
  readonly #redis: RedisClient | null;

  constructor(journal: Journal, redis: RedisClient | null) {
    this.#journal = journal;
    this.#redis = redis;
  }

  /** Claims the lookup of a request. @throws AppError DB_ERROR when the journal cannot be written. */
  async claim(attempted: Attempted, options: ClaimOptions): Promise<Claim> {
    const shared = await this.#claimShared(attempted, options);
    if (!shared) return this.#journal.do('claim', { ...attempted, ...options });
    switch (shared.kind) {
      case 'new':
      case 'resumed':
        return this.#claimOwn(attempted, { ...options, lookupId: shared.lookupId }, shared.kind);
      case 'answered':
      case 'not begun': {
        // This machine may have the answer, or have begun while Redis was away.
        const own = await this.#journal.do('claim', { ...attempted, ...options, mayBegin: false });
        return shared.kind === 'answered' && own.kind !== 'answered' ? shared : own;
      }
      default:
        return shared;
    }
  }

  /** Claims on this machine what was claimed in Redis. */
  async #claimOwn(attempted: Attempted, options: ClaimOptions, shared: 'new' | 'resumed'): Promise<Claim> {
    const own = await this.#journal.do('claim', { ...attempted, ...options });
    if ('lookupId' in own) return shared === 'resumed' ? { ...own, kind: 'resumed' } : own;
    // This machine began or answered it while Redis was away.
    if (shared === 'new') await this.#abandonShared(attempted);
    return own;
  }

  /** Stores an answer that is not billed. A billed one is already in the journal with its usage. */
  async store(answered: AnsweredRequest): Promise<void> {
    await this.#journal.do('storeAnswer', answered);
    await this.share(answered);
  }

  /** Tells other machines that there is an answer. Never fails. */
  async share(answered: AnsweredRequest): Promise<void> {
    const { requestHash, lookupId } = answered;
    await this.#redis
      ?.eval(SHARE, 1, nameOf(answered), requestHash, lookupId, Date.now(), ANSWER_KEPT_MS)
      .catch(() => undefined);
  }

  /**
   * Ends the claim of an attempt that the service could not answer, so that the next attempt is new. Never fails: a
   * claim that stays is taken over later.
   */
  async abandon(attempted: Attempted): Promise<void> {
    await this.#journal.do('abandon', attempted).catch(() => undefined);
    await this.#abandonShared(attempted);
  }

  /** Null: Redis does not answer, or there is none. */
  async #claimShared(attempted: Attempted, options: ClaimOptions): Promise<Claim | null> {
    const { requestHash, attemptId } = attempted;
    const { lookupId, nowMs = Date.now(), attemptMs, mayBegin } = options;
    const values = [requestHash, lookupId, attemptId, nowMs, attemptMs, ANSWER_KEPT_MS, mayBegin ? 1 : 0];
    const reply: unknown = await this.#redis?.eval(CLAIM, 1, nameOf(attempted), ...values).catch(() => null);
    if (!Array.isArray(reply)) return null;
    const [kind, first] = reply as [Claim['kind'], string];
    switch (kind) {
      case 'new':
      case 'resumed':
        return { kind, lookupId: first };
      case 'answered':
        return { kind, answer: null };
      default:
        return { kind };
    }
  }

  async #abandonShared(attempted: Attempted): Promise<void> {
    await this.#redis?.eval(ABANDON, 1, nameOf(attempted), attempted.attemptId).catch(() => undefined);
  }
}

/** Hashes the client's text, so that it is not part of a Redis name. */
function nameOf({ keyId, idempotencyKey }: IdempotentRequest): string {
  return `land-lookup:answer:${keyId}:${sha256(idempotencyKey)}`;
}
