import type { LookupAnswer, TimedLookup } from '../../messages/lookup.ts';
import type { Outcome } from '../../messages/outcome.ts';
import { kindOf } from './costly.ts';
import { HungThread } from './lost-thread.ts';

/** Most lookups of one message, where a caller asks for more at a time than threads of a server hold (docs/decisions/0082). */
export const LOOKUPS_PER_MESSAGE = 32;

export interface LookupMessagesOptions {
  /** Threads that take the messages. */
  readonly threads: number;
  /** Most lookups of one message; a costly one is alone in its message. */
  readonly atOnce: number;
  /** Sends a message to a thread, and returns the outcomes in the order of the lookups. Rejects when the thread is lost. */
  readonly send: (lookups: readonly TimedLookup[]) => Promise<readonly Outcome<LookupAnswer>[]>;
}

interface Asked {
  readonly lookup: TimedLookup;
  readonly resolve: (outcome: Outcome<LookupAnswer>) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Puts the lookups together that are asked for in one turn of the event loop, in a message for each thread that is idle, and at least one: a
 * message wakes the thread, and its answer the main thread, which costs as much as several lookups (docs/decisions/0006).
 */
export class LookupMessages {
  readonly #options: LookupMessagesOptions;
  #asked: Asked[] = [];
  /** Messages under way. */
  #underWay = 0;

  constructor(options: LookupMessagesOptions) {
    this.#options = options;
  }

  /**
   * Returns the outcome of a lookup. Rejects when its thread is lost, and a second one when it is asked for by itself.
   * @throws HungThread when it hung in its thread: it is not asked for again.
   */
  ask(lookup: TimedLookup): Promise<Outcome<LookupAnswer>> {
    return new Promise((resolve, reject) => {
      if (this.#asked.length === 0) {
        setImmediate(() => {
          this.#sendAll();
        });
      }
      this.#asked.push({ lookup, resolve, reject });
    });
  }

  #sendAll(): void {
    const all = this.#asked;
    this.#asked = [];
    const asked: Asked[] = [];
    for (const one of all) {
      if (kindOf(one.lookup.task) === 'costly') void this.#ask([one]);
      else asked.push(one);
    }
    const { threads, atOnce } = this.#options;
    const idle = Math.max(1, threads - this.#underWay);
    const size = Math.min(atOnce, Math.ceil(asked.length / idle));
    for (let from = 0; from < asked.length; from += size) void this.#ask(asked.slice(from, from + size));
  }

  async #ask(asked: readonly Asked[]): Promise<void> {
    this.#underWay++;
    try {
      const outcomes = await this.#options.send(asked.map(({ lookup }) => lookup));
      outcomes.forEach((outcome, i) => {
        asked[i]!.resolve(outcome);
      });
    } catch (cause) {
      const hung = cause instanceof HungThread ? asked[cause.index] : null;
      hung?.reject(cause);
      await this.#askAgain(asked.filter((one) => one !== hung));
    } finally {
      this.#underWay--;
    }
  }

  /** One after another, so that a lookup that ends its thread does not take the others of its message with it. */
  async #askAgain(asked: readonly Asked[]): Promise<void> {
    for (const { lookup, resolve, reject } of asked) {
      try {
        const [outcome] = await this.#options.send([lookup]);
        resolve(outcome!);
      } catch (cause) {
        reject(cause);
      }
    }
  }
}
