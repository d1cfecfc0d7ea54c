import {
  ANSWER_KEPT_MS,
  type AnsweredRequest,
  type Attempted,
  type Claim,
  type ClaimOptions,
  type IdempotentRequest,
} from '../../shared/contract/journal.ts';
import type { RedisClient } from '../../stores/redis.ts';
import { redisScript } from '../../stores/redis-script.ts';
import type { Journal } from './journal.ts';
import { sha256 } from '../../files/sha256.ts';

/**
 * Claims a request, or says who has it. An attempt is under way for `attemptMs`; nobody holds the claim of the attempt ''. Redis tells the time, because
 * the clocks of machines differ. A process of version 0.2.0 writes the time of its machine.
 */
const CLAIM = redisScript(
  ['claim'],
  {
    requestHash: 'text',
    lookupId: 'text',
    attemptId: 'text',
    attemptMs: 'number',
    keptMs: 'number',
    mayBegin: 'flag',
  },
  `
local time = redis.call('time')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local request, lookup, attempt, at, answered =
  unpack(redis.call('hmget', claim, 'request', 'lookup', 'attempt', 'at', 'answered'))
if request and request ~= requestHash then return {'other request'} end
if answered then return {'answered'} end
if not request or attempt == '' then
  if not mayBegin then return {'not begun'} end
  lookup = lookup or lookupId
  redis.call('hset', claim, 'request', requestHash, 'lookup', lookup, 'attempt', attemptId, 'at', nowMs)
  redis.call('pexpire', claim, keptMs)
  return {'new', lookup}
end
if math.abs(nowMs - tonumber(at)) <= attemptMs then return {'under way'} end
redis.call('hset', claim, 'at', nowMs, 'attempt', attemptId)
return {'resumed', lookup}`,
);

const SHARE = redisScript(
  ['claim'],
  { requestHash: 'text', lookupId: 'text', keptMs: 'number' },
  `
redis.call('hset', claim, 'request', requestHash, 'lookup', lookupId, 'answered', 1)
return redis.call('pexpire', claim, keptMs)`,
);

/**
 * Keeps the claim of another attempt, and one that has an answer. Of a claim that the attempt had taken over it keeps the lookup id: the attempt that
 * began it may still be answered and billed. So it does if the lookup of the attempt itself may be recorded.
 */
const ABANDON = redisScript(
  ['claim'],
  { attemptId: 'text', mayBeRecorded: 'flag' },
  `
local lookup, attempt, answered = unpack(redis.call('hmget', claim, 'lookup', 'attempt', 'answered'))
if attempt ~= attemptId or answered then return end
if lookup == attemptId and not mayBeRecorded then return redis.call('del', claim) end
return redis.call('hset', claim, 'attempt', '')`,
);

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
    // This machine began or answered it while Redis was away, or Redis forgot it.
    if (own.kind === 'answered') await this.share({ ...attempted, lookupId: options.lookupId });
    else if (shared === 'new') await this.#abandonShared(attempted, false);
    return own;
  }

  /** Stores an answer that is not billed. A billed one is already in the journal with its usage. */
  async store(answered: AnsweredRequest): Promise<void> {
    await this.#journal.do('storeAnswer', answered);
    await this.share(answered);
  }

  /** Tells other machines that there is an answer. Never fails. */
  async share(answered: Omit<AnsweredRequest, 'answer'>): Promise<void> {
    const { requestHash, lookupId } = answered;
    if (!this.#redis) return;
    const values = { requestHash, lookupId, keptMs: ANSWER_KEPT_MS };
    await SHARE.run(this.#redis, { claim: nameOf(answered) }, values).catch(() => undefined);
  }

  /**
   * Ends the claim of an attempt that the service could not answer, so that the next attempt is new; under the same lookup id if this one had
   * taken it over, and at other machines if its lookup may be recorded here all the same. Never fails: a claim that stays is taken over later.
   */
  async abandon(attempted: Attempted, mayBeRecorded = false): Promise<void> {
    await this.#journal.do('abandon', attempted).catch(() => undefined);
    await this.#abandonShared(attempted, mayBeRecorded);
  }

  /** Null: Redis does not answer, or there is none. */
  async #claimShared(attempted: Attempted, options: ClaimOptions): Promise<Claim | null> {
    if (!this.#redis) return null;
    const { requestHash, attemptId } = attempted;
    const { lookupId, attemptMs, mayBegin } = options;
    const values = { requestHash, lookupId, attemptId, attemptMs, keptMs: ANSWER_KEPT_MS, mayBegin };
    const reply = await CLAIM.run(this.#redis, { claim: nameOf(attempted) }, values).catch(() => null);
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

  async #abandonShared(attempted: Attempted, mayBeRecorded: boolean): Promise<void> {
    if (!this.#redis) return;
    const { attemptId } = attempted;
    await ABANDON.run(this.#redis, { claim: nameOf(attempted) }, { attemptId, mayBeRecorded }).catch(() => undefined);
  }
}

/** Hashes the client's text, so that it is not part of a Redis name. */
function nameOf({ keyId, idempotencyKey }: IdempotentRequest): string {
  return `land-lookup:answer:${keyId}:${sha256(idempotencyKey)}`;
}
