import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, type Backoff } from '../loop/loop.ts';
import { Transient } from './failures.ts';

export interface RetryPolicy extends Backoff {
  readonly attempts: number;
  /** How many attempts there are when one has failed so; `attempts` of them when absent. */
  readonly attemptsAfter?: (cause: Transient, attempts: number) => number;
  /** No try begins after this time of `performance.now()`; no limit when absent. */
  readonly endMs?: number;
  /** Ends a wait; the wait then throws an AbortError. */
  readonly stop?: AbortSignal;
  /** Called before each wait. */
  readonly onWait?: (
    cause: Transient,
    waitMs: number,
    attempt: { readonly number: number; readonly of: number },
  ) => void;
}

/** About four minutes in total, enough for a restart of the server. */
export const patient: RetryPolicy = { attempts: 10, firstMs: 1000, mostMs: 60_000 };

/** Longest wait that a server may ask for. */
export const LONGEST_RETRY_AFTER_MS = 10 * 60_000;

/** Tries of one piece of work: exponential backoff, or what the server asked for if longer. */
export class Retries {
  readonly #policy: RetryPolicy;
  #failures = 0;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
  }

  /** The work came on: the attempts are counted anew. */
  reset(): void {
    this.#failures = 0;
  }

  /** Waits until it is time for the next try. @throws the failure when it is not transient, or was the last that the policy allows. */
  async waitAfter(cause: unknown): Promise<void> {
    const { endMs = Infinity, stop, onWait } = this.#policy;
    if (!(cause instanceof Transient)) throw cause;
    const attempts = this.#policy.attemptsAfter?.(cause, this.#policy.attempts) ?? this.#policy.attempts;
    if (++this.#failures >= attempts) throw cause;
    const waitMs = Math.max(
      backoffMs(this.#policy, this.#failures),
      Math.min(cause.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS),
    );
    if (performance.now() + waitMs >= endMs) throw cause;
    onWait?.(cause, waitMs, { number: this.#failures, of: attempts });
    await sleep(waitMs, undefined, stop ? { signal: stop } : {});
  }
}

/**
 * Tries again while failures are transient. After a failure that `hasProgressed` says brought the work on, the attempts are counted anew.
 * @throws the last failure.
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  work: () => Promise<T>,
  hasProgressed: () => boolean = () => false,
): Promise<T> {
  const retries = new Retries(policy);
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      if (hasProgressed()) retries.reset();
      await retries.waitAfter(cause);
    }
  }
}
