import type { ImportProgress } from '../../src/messages/import.ts';
import type { DataSetInput } from './sources/data-set-input.ts';

type Overall = NonNullable<Extract<ImportProgress, { kind: 'rows' }>['overall']>;

/**
 * Measures the progress of an import of several data sets in bytes of their sources. The bytes are known before a
 * source is opened, and predict the time better than the number of features: some features have ten vertices, others
 * ten thousand.
 */
export class OverallProgress {
  readonly #total: number;
  #before = 0;
  #found = 0;

  constructor(inputs: readonly DataSetInput[]) {
    this.#total = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Returns the progress when this share of an input is read. */
  at({ bytes }: DataSetInput, share: number): Overall {
    return { done: Math.round(this.#before + bytes * share), total: this.#total, found: this.#found, unit: 'bytes' };
  }

  /** Notes that an input is done, or need not be read. */
  pass({ bytes }: DataSetInput, wasRead: boolean): void {
    this.#before += bytes;
    if (!wasRead) this.#found += bytes;
  }
}
