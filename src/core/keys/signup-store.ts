import type { Documents } from '../stores/documents.ts';
import { SIGNUPS, type SignupRecord } from './records.ts';

export type { SignupRecord, SignupState } from './records.ts';

/** What a change does with a record: write another one, leave it as it is (null), or remove it. */
type SignupChange = SignupRecord | 'remove' | null;

/** Sign-ups, where the keys are. */
export class SignupStore {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  find(id: string): Promise<SignupRecord | null> {
    return this.#documents.get(SIGNUPS, id);
  }

  /** Oldest first. */
  async list(which: 'all' | 'unfinished'): Promise<readonly SignupRecord[]> {
    return oldestFirst(await this.#documents.list(SIGNUPS, which === 'all' ? {} : { open: true }));
  }

  /**
   * Changes a record without another change in between.
   * @returns the record as it is then; null when there is none.
   */
  update(id: string, change: (before: SignupRecord | null) => SignupChange): Promise<SignupRecord | null> {
    return this.#documents.update(SIGNUPS, id, (before) => {
      const after = change(before);
      return after === null || after === 'remove' ? after : { record: after };
    });
  }
}

/** Sorts by time, and by id where the times are the same. */
export function oldestFirst<T extends { readonly id: string; readonly createdAt: string }>(records: T[]): readonly T[] {
  return records.sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
