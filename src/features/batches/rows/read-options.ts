import type { ReadArea } from '../../../messages/lookup.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Gets each name of a column or a member that is not used, once. */
export type OnIgnored = (name: string) => void;

/** How a file of places is read. */
export interface ReadOptions {
  readonly onIgnored?: OnIgnored;
  /** Columns that make the address together; without them the column `address` does. */
  readonly addressColumns?: readonly string[] | undefined;
  /** Is told of each line, and of each record of CSV, that says nothing. What it throws ends the reading. */
  readonly onBlank?: () => void;
  readonly turns?: Turns;
  /** Reads rows of NDJSON that are areas; absent or null: such rows are refused. */
  readonly readArea?: ReadArea | null | undefined;
}

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
