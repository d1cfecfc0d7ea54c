import type { LookupAnswer, TimedLookup } from '../../messages/lookup.ts';
import type { Outcome } from '../../messages/outcome.ts';
import { AppError, unavailable } from '../../messages/problems.ts';
import { HungThread } from './hung-threads.ts';

/** Most lookups of one message, where a caller asks for more at a time than threads of a server hold (docs/decisions/0082). */
export const LOOKUPS_PER_MESSAGE = 32;

/** Sends lookups in one message to a thread, and returns the outcomes in their order. Rejects when the thread is lost. @throws HungThread. */
export type SendLookups = (lookups: readonly TimedLookup[]) => Promise<readonly Outcome<LookupAnswer>[]>;

/** The thread of a lookup ended, also when the lookup was asked for again by itself. */
export class LostThread extends AppError {
  constructor(cause: unknown) {
    const { code, message, extras, headers } = unavailable('INTERRUPTED', 'the lookup thread was lost');
    super(code, message, { cause, extras, headers });
  }
}

interface Asked {
  readonly lookup: TimedLookup;
  readonly isAlone: boolean;
  readonly resolve: (outcome: Outcome<LookupAnswer>) => void;
  readonly reject: (cause: AppError) => void;
}

/**
 * Puts the lookups together that are asked for in one turn of the event loop, in a message for each thread that is idle, and at least one: a
 * message wakes the thread, and its answer the main thread, which costs as much as several lookups (docs/decisions/0006).
 */
export class LookupMessages {
  readonly #threads: number;
  readonly #send: SendLookups;
  #asked: Asked[] = [];
  /** Messages under way. */
  #underWay = 0;

  /** @param threads those that take the messages. */
  constructor(threads: number, send: SendLookups) {
    this.#threads = threads;
    this.#send = send;
  }

  /**
   * Returns the outcome of a lookup. One that takes long is alone in its message.
   * @throws LostThread when its thread is lost, and a second one when it is asked for by itself; HungThread when it hung in its thread: it is not
   * asked for again; AppError when no thread takes it.
   */
  ask(lookup: TimedLookup, isAlone: boolean): Promise<Outcome<LookupAnswer>> {
    return new Promise((resolve, reject) => {
      if (this.#asked.push({ lookup, isAlone, resolve, reject }) > 1) return;
      setImmediate(this.#sendAll);
    });
  }

  readonly #sendAll = (): void => {
    const all = this.#asked;
    this.#asked = [];
    const asked: Asked[] = [];
    for (const one of all) {
      if (one.isAlone) void this.#sendTogether([one]);
      else asked.push(one);
    }
    const idle = Math.max(1, this.#threads - this.#underWay);
    const size = Math.min(LOOKUPS_PER_MESSAGE, Math.ceil(asked.length / idle));
    for (let from = 0; from < asked.length; from += size) void this.#sendTogether(asked.slice(from, from + size));
  };

  /** When the thread is lost, they are sent again one after another, so that one that ends its thread does not take the others with it. */
  async #sendTogether(asked: readonly Asked[]): Promise<void> {
    this.#underWay++;
    try {
      const outcomes = await this.#send(asked.map(({ lookup }) => lookup));
      for (const [i, { resolve }] of asked.entries()) resolve(outcomes[i]!);
    } catch (cause) {
      const hung = cause instanceof HungThread ? asked[cause.index] : null;
      hung?.reject(cause as HungThread);
      for (const one of asked) if (one !== hung) await this.#sendAgain(one);
    }
    this.#underWay--;
  }

  async #sendAgain({ lookup, resolve, reject }: Asked): Promise<void> {
    try {
      const [outcome] = await this.#send([lookup]);
      resolve(outcome!);
    } catch (cause) {
      reject(cause instanceof AppError ? cause : new LostThread(cause));
    }
  }
}
