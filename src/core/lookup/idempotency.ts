import {
  ANSWER_KEPT_MS,
  type AnsweredRequest,
  type Attempted,
  type Claim,
  type ClaimOptions,
  type IdempotentRequest,
  type StoredAnswer,
} from '../../messages/journal.ts';
import type { RedisClient } from '../stores/redis.ts';
import { redisScript } from '../stores/redis-script.ts';
import type { Journal } from '../usage/journal.ts';
import { sha256 } from '../files/sha256.ts';

/**
 * Claims a request, or says who has it. An attempt is under way for `attemptMs`; nobody holds the claim of the attempt ''. Redis tells the time, because
 * the clocks of machines differ. A process of version 0.2.0 writes the time of its machine. A request that was refused has the `code` of that; a machine that cannot
 * repeat the refusal takes the request over (`takesRefused`), because it may be answered there, and is then billed.
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
    takesRefused: 'flag',
  },
  `
local time = redis.call('time')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local request, lookup, attempt, at, answered, code =
  unpack(redis.call('hmget', claim, 'request', 'lookup', 'attempt', 'at', 'answered', 'code'))
if request and request ~= requestHash then return {'other request'} end
local isRefused = answered and code and code ~= ''
if answered and not isRefused then return {'answered'} end
if isRefused and not takesRefused then return {'refused'} end
local isFree = not request or attempt == ''
if isFree and not isRefused then
  if not mayBegin then return {'not begun'} end
  lookup = lookup or lookupId
  redis.call('hset', claim, 'request', requestHash, 'lookup', lookup, 'attempt', attemptId, 'at', nowMs)
  redis.call('pexpire', claim, keptMs)
  return {'new', lookup}
end
if not isFree and math.abs(nowMs - tonumber(at)) <= attemptMs then return {'under way'} end
redis.call('hset', claim, 'at', nowMs, 'attempt', attemptId)
return {'resumed', lookup}`,
);

/** A 200 stays one: the machine that was the first to answer may tell of its refusal again. */
const SHARE = redisScript(
  ['claim'],
  { requestHash: 'text', lookupId: 'text', code: 'text', keptMs: 'number' },
  `
local answered, before = unpack(redis.call('hmget', claim, 'answered', 'code'))
if answered and (not before or before == '') then code = '' end
redis.call('hset', claim, 'request', requestHash, 'lookup', lookupId, 'attempt', '', 'answered', 1, 'code', code)
return redis.call('pexpire', claim, keptMs)`,
);

/**
 * Keeps the claim of another attempt, and one that has an answer, here or at another machine. Of a claim that the attempt had taken over it keeps the lookup id: the attempt that
 * began it may still be answered and billed. So it does if the lookup of the attempt itself may be recorded.
 */
const ABANDON = redisScript(
  ['claim'],
  { attemptId: 'text', mayBeRecorded: 'flag' },
  `
local lookup, attempt, answered = unpack(redis.call('hmget', claim, 'lookup', 'attempt', 'answered'))
if attempt ~= attemptId then return end
if not answered and lookup == attemptId and not mayBeRecorded then return redis.call('del', claim) end
return redis.call('hset', claim, 'attempt', '')`,
);

type SharedClaim = Claim | { readonly kind: 'refused' };

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
      case 'refused':
      case 'not begun': {
        // This machine may have the answer, or have begun while Redis was away.
        const own = await this.#journal.do('claim', { ...attempted, ...options, mayBegin: false });
        if (shared.kind === 'not begun' || own.kind === 'answered') return own;
        return shared.kind === 'answered' ? shared : this.#takeRefused(attempted, options);
      }
      default:
        return shared;
    }
  }

  /** Takes over a request that another machine refused. Its unit is spent; it is billed under its id if it is answered now. */
  async #takeRefused(attempted: Attempted, options: ClaimOptions): Promise<Claim> {
    const shared = await this.#claimShared(attempted, { ...options, takesRefused: true });
    if (!shared || shared.kind === 'refused') return { kind: 'under way' };
    return 'lookupId' in shared
      ? this.#claimOwn(attempted, { ...options, lookupId: shared.lookupId }, shared.kind)
      : shared;
  }

  /** Claims on this machine what was claimed in Redis. */
  async #claimOwn(attempted: Attempted, options: ClaimOptions, shared: 'new' | 'resumed'): Promise<Claim> {
    const mayBegin = options.mayBegin || shared === 'resumed';
    const own = await this.#journal.do('claim', { ...attempted, ...options, mayBegin });
    if ('lookupId' in own) return shared === 'resumed' ? { ...own, kind: 'resumed' } : own;
    // This machine began or answered it while Redis was away, or Redis forgot it.
    if (own.kind === 'answered')
      await this.share({ ...attempted, lookupId: options.lookupId, code: own.answer?.code ?? null });
    else if (shared === 'new') await this.#abandonShared(attempted, false);
    return own;
  }

  /** Stores an answer that is not billed. A billed one is already in the journal with its usage. */
  async store(answered: AnsweredRequest): Promise<void> {
    await this.#journal.do('storeAnswer', answered);
    await this.share({ ...answered, code: answered.answer.code });
  }

  /** Tells other machines that there is an answer: a 200 (null) or a refusal. Never fails. */
  async share(answered: Omit<AnsweredRequest, 'answer'> & Pick<StoredAnswer, 'code'>): Promise<void> {
    const { requestHash, lookupId, code } = answered;
    if (!this.#redis) return;
    const values = { requestHash, lookupId, code: code ?? '', keptMs: ANSWER_KEPT_MS };
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
  async #claimShared(
    attempted: Attempted,
    { lookupId, attemptMs, mayBegin, takesRefused = false }: ClaimOptions & { readonly takesRefused?: boolean },
  ): Promise<SharedClaim | null> {
    if (!this.#redis) return null;
    const { requestHash, attemptId } = attempted;
    const values = { requestHash, lookupId, attemptId, attemptMs, keptMs: ANSWER_KEPT_MS, mayBegin, takesRefused };
    const reply = await CLAIM.run(this.#redis, { claim: nameOf(attempted) }, values).catch(() => null);
    if (!Array.isArray(reply)) return null;
    const [kind, first] = reply as [SharedClaim['kind'], string];
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
