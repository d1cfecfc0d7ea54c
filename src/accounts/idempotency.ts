import { createHash } from 'node:crypto';
import {
  ANSWER_KEPT_MS,
  type AnsweredRequest,
  type Claim,
  type ClaimOptions,
  type IdempotentRequest,
  type StoredAnswer,
} from '../shared/contract/journal.ts';
import type { RedisClient } from './redis.ts';
import type { Journal } from './usage/journal.ts';

/** `ARGV` request hash, lookup id, now, how long an attempt may take, how long to keep; milliseconds. */
const CLAIM = `
local row = redis.call('hmget', KEYS[1], 'request', 'lookup', 'at', 'code', 'json')
if not row[1] then
  redis.call('hset', KEYS[1], 'request', ARGV[1], 'lookup', ARGV[2], 'at', ARGV[3])
  redis.call('pexpire', KEYS[1], ARGV[5])
  return {'new', ARGV[2]}
end
if row[1] ~= ARGV[1] then return {'other request'} end
if row[5] then return {'answered', row[4], row[5]} end
if math.abs(tonumber(ARGV[3]) - tonumber(row[3])) <= tonumber(ARGV[4]) then return {'under way'} end
redis.call('hset', KEYS[1], 'at', ARGV[3])
return {'resumed', row[2]}`;

/** `ARGV` request hash, lookup id, time of the answer, code or nothing, JSON, how long to keep. */
const STORE = `
redis.call('hset', KEYS[1], 'request', ARGV[1], 'lookup', ARGV[2], 'at', ARGV[3], 'code', ARGV[4], 'json', ARGV[5])
return redis.call('pexpire', KEYS[1], ARGV[6])`;

/** Keeps a claim that has an answer: another attempt may have stored one meanwhile. */
const ABANDON = `if redis.call('hexists', KEYS[1], 'json') == 0 then return redis.call('del', KEYS[1]) end`;

/**
 * Stores requests with an `Idempotency-Key`: on this machine's disk together with their usage, and in Redis for other
 * machines. While Redis does not answer, the promise holds for each machine alone (docs/decisions/0024).
 */
export class Idempotency {
  readonly #journal: Journal;
  readonly #redis: RedisClient | null;

  constructor(journal: Journal, redis: RedisClient | null) {
    this.#journal = journal;
    this.#redis = redis;
  }

  /** Claims the lookup of a request. @throws AppError DB_ERROR when the journal cannot be written. */
  async claim(request: IdempotentRequest, options: ClaimOptions): Promise<Claim> {
    const shared = await this.#claimShared(request, options);
    if (shared && !('lookupId' in shared)) return shared;
    const lookupId = shared?.lookupId ?? options.lookupId;
    const own = await this.#journal.do('claim', { ...request, ...options, lookupId });
    if ('lookupId' in own) return shared?.kind === 'resumed' ? { ...own, kind: 'resumed' } : own;
    // This machine began or answered it while Redis was away.
    if (shared?.kind === 'new') await this.#abandonShared(request);
    return own;
  }

  /** Stores an answer that is not billed. A billed one is already in the journal with its usage. */
  async store(answered: AnsweredRequest): Promise<void> {
    await this.#journal.do('storeAnswer', answered);
    await this.share(answered);
  }

  /** Tells other machines of an answer. Never fails. */
  async share(answered: AnsweredRequest): Promise<void> {
    const { requestHash, lookupId, atMs, answer } = answered;
    await this.#redis
      ?.eval(STORE, 1, nameOf(answered), requestHash, lookupId, atMs, answer.code ?? '', answer.json, ANSWER_KEPT_MS)
      .catch(() => undefined);
  }

  /**
   * Ends the claim of an attempt that the service could not answer, so that the next attempt is new. Never fails: a
   * claim that stays is taken over later.
   */
  async abandon(request: IdempotentRequest): Promise<void> {
    await this.#journal.do('abandon', request).catch(() => undefined);
    await this.#abandonShared(request);
  }

  async #claimShared(request: IdempotentRequest, options: ClaimOptions): Promise<Claim | null> {
    const { lookupId, nowMs, attemptMs } = options;
    const reply: unknown = await this.#redis
      ?.eval(CLAIM, 1, nameOf(request), request.requestHash, lookupId, nowMs, attemptMs, ANSWER_KEPT_MS)
      .catch(() => null);
    if (!Array.isArray(reply)) return null;
    const [kind, first, second] = reply as [Claim['kind'], string, string];
    switch (kind) {
      case 'new':
      case 'resumed':
        return { kind, lookupId: first };
      case 'answered':
        return { kind, answer: { code: (first || null) as StoredAnswer['code'], json: second } };
      default:
        return { kind };
    }
  }

  async #abandonShared(request: IdempotentRequest): Promise<void> {
    await this.#redis?.eval(ABANDON, 1, nameOf(request)).catch(() => undefined);
  }
}

/** Hashes the client's text, so that it is not part of a Redis name. */
function nameOf({ keyId, idempotencyKey }: IdempotentRequest): string {
  return `land-lookup:answer:${keyId}:${createHash('sha256').update(idempotencyKey).digest('hex')}`;
}
