import { setTimeout as sleep } from 'node:timers/promises';
import { Stalled, Transient } from './http.ts';

export interface RetryPolicy {
  readonly attempts: number;
  /** Number of silences after which there is no further attempt; without it, silences have no separate limit. */
  readonly silences?: number;
  /** Longest wait before the second attempt; it doubles with each further one. */
  readonly baseMs: number;
  readonly longestMs: number;
}

/** About four minutes in total, enough for a restart of the server. */
export const patient: RetryPolicy = { attempts: 8, baseMs: 1000, longestMs: 60_000 };

/** Longest wait that a server may ask for. */
const LONGEST_RETRY_AFTER_MS = 10 * 60_000;

/**
 * Tries again while failures are transient: exponential backoff with full jitter, or what the server asked for if
 * longer. When `hasProgressed` says that the failed attempt brought progress, counting of attempts starts again.
 * @throws the last failure.
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  work: () => Promise<T>,
  hasProgressed: () => boolean = () => false,
): Promise<T> {
  let silences = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof Transient)) throw cause;
      if (hasProgressed()) attempt = 1;
      if (attempt >= policy.attempts) throw cause;
      if (cause instanceof Stalled && ++silences >= (policy.silences ?? Infinity)) throw cause;
      const backoffMs = Math.random() * Math.min(policy.longestMs, policy.baseMs * 2 ** (attempt - 1));
      const askedMs = Math.min(cause.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS);
      await sleep(Math.max(backoffMs, askedMs));
    }
  }
}

/** Runs the work for every item, at most `limit` at a time; the first failure stops the rest and is thrown. */
export async function forEachLimited<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failed = false;
  const lane = async () => {
    for (let next = iterator.next(); next.done !== true && !failed; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (cause) {
        failed = true;
        throw cause;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: limit }, lane));
  const failure = lanes.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}
