import type { LookupAnswer, LookupTask } from '../shared/contract/lookup.ts';
import { errorOf } from '../shared/outcome.ts';
import type { Lookups } from './caller.ts';
import type { LookupPool } from './lookup-pool.ts';

/**
 * Most lookups of one message. A message wakes the thread, and its answer the main thread, which costs as much as several lookups
 * (docs/decisions/0082).
 */
export const LOOKUPS_PER_MESSAGE = 32;

interface Asked {
  readonly task: LookupTask;
  readonly resolve: (answer: LookupAnswer | PromiseLike<LookupAnswer>) => void;
  readonly reject: (cause: unknown) => void;
}

/** Looks up for a caller who asks for many places at once: sends to the threads together what is asked in one turn of the event loop. */
export class BulkLookups implements Lookups {
  readonly #pool: Pick<LookupPool, 'lookup' | 'lookupAll'>;
  #asked: Asked[] = [];

  constructor(pool: Pick<LookupPool, 'lookup' | 'lookupAll'>) {
    this.#pool = pool;
  }

  /** Does the same as `LookupPool.lookup`, for a lookup that is not costly. */
  lookup(task: LookupTask): Promise<LookupAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#asked.length === 0) setImmediate(() => void this.#send());
      this.#asked.push({ task, resolve, reject });
      if (this.#asked.length === LOOKUPS_PER_MESSAGE) void this.#send();
    });
  }

  async #send(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    if (asked.length === 0) return;
    try {
      const outcomes = await this.#pool.lookupAll(asked.map(({ task }) => task));
      outcomes.forEach((outcome, i) => {
        if (outcome.ok) asked[i]!.resolve(outcome.value);
        else asked[i]!.reject(errorOf(outcome));
      });
    } catch {
      // One lookup that ends its thread must not fail the others of its message.
      for (const { task, resolve } of asked) resolve(this.#pool.lookup(task));
    }
  }
}
