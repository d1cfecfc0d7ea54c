import type { ImportProgress } from '../../src/shared/contract/import.ts';
import type { DataSetInput } from './sources/data-set-input.ts';

type Overall = NonNullable<Extract<ImportProgress, { kind: 'rows' }>['overall']>;

/**
 * How far an import of several data sets is, in bytes of their sources: those are known before a source is opened, and say more about the
 * time than features do, of which some have ten vertices and others ten thousand.
 */
export class OverallProgress {
  readonly #total: number;
  #before = 0;
  #found = 0;

  constructor(inputs: readonly DataSetInput[]) {
    this.#total = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** With this share of an input read. */
  at({ bytes }: DataSetInput, share: number): Overall {
    return { done: Math.round(this.#before + bytes * share), total: this.#total, found: this.#found, unit: 'bytes' };
  }

  /** An input is done, or need not be read. */
  pass({ bytes }: DataSetInput, wasRead: boolean): void {
    this.#before += bytes;
    if (!wasRead) this.#found += bytes;
  }
}
