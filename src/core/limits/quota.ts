import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { LRUCache } from 'lru-cache';
import { rateLimited, type AppError } from '../../messages/problems.ts';
import { HOUR_S, lookupLimit, refusalOf, type Limited, quotaHeaders, type QuotaState } from './limit-words.ts';
import type { RedisClient } from '../stores/redis.ts';
import { mostEntries } from '../stores/most-entries.ts';

/** Units that also a key with a smaller limit may get back in an hour. */
const LEAST_GIVEN_BACK = 100;

/** Keys whose units given back are counted. */
const MOST_KEYS = 20_000;

export interface QuotaOptions {
  /** Shared by all processes; without it each process counts by itself. */
  readonly redis?: RedisClient;
  /** Lookups unless set. */
  readonly counts?: Limited;
  /** Length of an hour in seconds; less where a test needs less. */
  readonly hourS?: number;
  /** Called each time that Redis does not answer and the process counts by itself. */
  readonly onInsurance?: (cause: Error) => void;
}

/**
 * The counter in use: this process alone (no Redis is configured), Redis for all, or the insurance while Redis does not
 * answer.
 */
export type QuotaMode = 'process' | 'shared' | 'insurance';

/** One unit that was spent. */
export interface Spending {
  readonly state: QuotaState;
  /**
   * Gives the unit back after a failure of the service, unless its window has ended or the key has got back as many as its limit in
   * this hour (at least 100). Never fails.
   */
  giveBack(): Promise<QuotaState>;
}

/**
 * Takes a unit only when one is left, so that refused requests do not count and the next request can use a unit that
 * was given back. A window that has longer to go than it lasts began while Redis' clock was ahead; it is over. `KEYS[1]` the counter; `ARGV` points
 * (negative: give back), window in seconds, limit. Returns the count (above the limit: refused) and the milliseconds left.
 */
const TAKE_IF_LEFT = `
local points, window, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local used = tonumber(redis.call('get', KEYS[1]) or 0)
local left_ms = redis.call('pttl', KEYS[1])
if points < 0 then
  if used > 0 then used = redis.call('decrby', KEYS[1], -points) end
elseif left_ms <= 0 or left_ms > window * 1000 then
  redis.call('set', KEYS[1], points, 'EX', window)
  used, left_ms = points, window * 1000
elseif used + points <= limit then
  used = redis.call('incrby', KEYS[1], points)
else
  used = limit + points
end
return {used, left_ms}`;

/** Limiters of one limit; the library fixes the limit of each limiter. */
interface Limiters {
  readonly shared: RateLimiterAbstract;
  /** Counts while Redis does not answer. */
  readonly insurance: RateLimiterAbstract;
}

/**
 * The hourly limit of a key: a fixed window that begins with the key's first lookup. Redis counts when there is one.
 * While it does not answer, memory counts, so that a lost limiter never stops the service (docs/decisions/0021).
 */
export class Quota {
  readonly #options: QuotaOptions;
  readonly #windowS: number;
  readonly #counts: Limited;
  /** By limit: one entry per different limit. */
  readonly #limiters = new Map<number, Limiters>();
  /** Units given back in an hour, by key: failures must not make costly lookups free without end. */
  readonly #givenBack: LRUCache<string, number>;
  /** A Redis that is connected may still refuse to count, for example when its memory is full. */
  #hasSharedFailed = false;

  constructor(options: QuotaOptions = {}) {
    this.#options = options;
    this.#counts = options.counts ?? lookupLimit;
    this.#windowS = this.#counts.windowS ?? options.hourS ?? HOUR_S;
    this.#givenBack = new LRUCache({ ...mostEntries(MOST_KEYS), ttl: this.#windowS * 1000, noUpdateTTL: true });
  }

  /** Counter in use, for health and metrics. */
  get mode(): QuotaMode {
    const { redis } = this.#options;
    if (!redis) return 'process';
    return redis.status === 'ready' && !this.#hasSharedFailed ? 'shared' : 'insurance';
  }

  /** Spends a unit of a key, or all of several. @throws AppError RATE_LIMITED with `Retry-After`, when they are not left. */
  async spend(keyId: string, limit: number, units = 1): Promise<Spending> {
    const { shared, insurance } = this.#limitersOf(limit);
    try {
      const taken = await take(shared, keyId, units);
      this.#hasSharedFailed = false;
      return this.#spending(taken, { keyId, limit, limiter: shared });
    } catch (reason) {
      this.#hasSharedFailed = this.#isRefusal(reason);
      if (reason instanceof RateLimiterRes) throw this.refusal(this.#state(limit, reason));
      this.#options.onInsurance?.(asError(reason));
    }
    try {
      return this.#spending(await take(insurance, keyId, units), { keyId, limit, limiter: insurance });
    } catch (reason) {
      throw reason instanceof RateLimiterRes ? this.refusal(this.#state(limit, reason)) : reason;
    }
  }

  /**
   * Says whether Redis is there and counts nothing. One that answers with an error is; a replica even ends the connection with it, which is made again at
   * once. While there is no connection, that stays as it was.
   */
  #isRefusal(reason: unknown): boolean {
    if (reason instanceof RateLimiterRes) return false;
    const isReply = reason instanceof Error && reason.name === 'ReplyError';
    return isReply || this.#hasSharedFailed || this.#options.redis?.status === 'ready';
  }

  /**
   * Returns what a key has left, for an answer that costs nothing. Never fails: without the counter it returns the
   * whole limit.
   */
  async peek(keyId: string, limit: number): Promise<QuotaState> {
    const { shared, insurance } = this.#limitersOf(limit);
    const used = await shared.get(keyId).catch(() => insurance.get(keyId));
    return used && used.msBeforeNext <= this.#windowS * 1000 ? this.#state(limit, used) : this.#fresh(limit);
  }

  #limitersOf(points: number): Limiters {
    let limiters = this.#limiters.get(points);
    if (!limiters) {
      const options = { keyPrefix: `land-lookup:${this.#counts.name}`, points, duration: this.#windowS };
      const insurance = new RateLimiterMemory(options);
      const { redis: storeClient } = this.#options;
      const shared = storeClient
        ? new RateLimiterRedis({
            ...options,
            storeClient,
            rejectIfRedisNotReady: true,
            customIncrTtlLuaScript: TAKE_IF_LEFT,
          })
        : insurance;
      this.#limiters.set(points, (limiters = { shared, insurance }));
    }
    return limiters;
  }

  #spending(
    taken: RateLimiterRes,
    { keyId, limit, limiter }: { keyId: string; limit: number; limiter: RateLimiterAbstract },
  ): Spending {
    const state = this.#state(limit, taken);
    const endsAtMs = performance.now() + taken.msBeforeNext;
    return {
      state,
      giveBack: async () => {
        // The next window has its own units.
        if (performance.now() >= endsAtMs) return this.#fresh(limit);
        const given = this.#givenBack.get(keyId) ?? 0;
        if (given >= Math.max(limit, LEAST_GIVEN_BACK)) return state;
        this.#givenBack.set(keyId, given + 1);
        return limiter.reward(keyId, 1).then(
          (left) => this.#state(limit, left),
          () => state,
        );
      },
    };
  }

  /** The refusal of a key that has nothing left. */
  refusal(state: QuotaState): AppError {
    const { limit, windowS, resetS } = state;
    const { policy, reason = 'PER_HOUR' } = this.#counts;
    const fields = policy === undefined ? {} : quotaHeaders({ ...state, remaining: 0 }, policy);
    return rateLimited(reason, refusalOf(this.#counts, limit, windowS), { retryAfterS: resetS, headers: fields });
  }

  #state(limit: number, { remainingPoints, msBeforeNext }: RateLimiterRes): QuotaState {
    const resetS = Math.min(this.#windowS, Math.max(1, Math.ceil(msBeforeNext / 1000)));
    return { limit, windowS: this.#windowS, remaining: remainingPoints, resetS };
  }

  #fresh(limit: number): QuotaState {
    return { limit, windowS: this.#windowS, remaining: limit, resetS: this.#windowS };
  }
}

/** @throws RateLimiterRes when nothing is left; Error when the store fails. */
async function take(limiter: RateLimiterAbstract, keyId: string, units: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(keyId, units);
  } catch (reason) {
    // The memory limiter counts refusals too; the script for Redis does not.
    if (limiter instanceof RateLimiterMemory) await limiter.reward(keyId, units);
    throw reason;
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** The counters of a service by what they limit. Each is made when it is first asked for. */
export class Quotas {
  readonly #options: Omit<QuotaOptions, 'counts'>;
  readonly #made = new Map<Limited, Quota>();

  constructor(options: Omit<QuotaOptions, 'counts'> = {}) {
    this.#options = options;
  }

  of(counts: Limited): Quota {
    let quota = this.#made.get(counts);
    if (!quota) this.#made.set(counts, (quota = new Quota({ ...this.#options, counts })));
    return quota;
  }
}
