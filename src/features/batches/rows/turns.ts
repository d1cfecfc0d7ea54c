import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time in ms for which rows are read before others get the main thread. */
const MOST_MS = 3;

/** Gives others their turn by time: one row may take the time of a thousand others, and what is no row takes time too. */
export class Turns {
  readonly #nowMs: () => number;
  #endMs: number;

  constructor(nowMs = (): number => performance.now()) {
    this.#nowMs = nowMs;
    this.#endMs = nowMs() + MOST_MS;
  }

  /** Null while there is time left; otherwise it is others' turn until this resolves. */
  next(): Promise<void> | null {
    return this.#nowMs() < this.#endMs ? null : this.#give();
  }

  async #give(): Promise<void> {
    await nextTurn();
    this.#endMs = this.#nowMs() + MOST_MS;
  }
}
