import type { Stranded } from '../parts.ts';
import type { BucketParts } from './bucket-parts.ts';

/** Finds the batches whose snapshot no machine has any more. */
export class MissingSnapshots {
  readonly #parts: BucketParts;
  /** Since when this machine lacks a snapshot. */
  readonly #sinceMs = new Map<string, number>();

  constructor(parts: BucketParts) {
    this.#parts = parts;
  }

  /**
   * Tells the other machines which snapshots this one has. Returns the batches of those that none has had for the time, also not while this machine
   * was looking: after all machines were off, the first one to start must not speak for the others.
   */
  async report(faults: ReadonlyMap<string, string | null>): Promise<readonly Stranded[]> {
    const { records, snapshotGoneMs } = this.#parts;
    const lacks = this.#noted(faults);
    const has = [...faults.keys()].filter((snapshot) => !lacks.includes(snapshot));
    if (faults.size === 0) return [];
    const ages = await records.presence(has, lacks);
    const gone = lacks.filter((snapshot, i) => Math.min(ages[i]!, this.#ageMs(snapshot)) >= snapshotGoneMs);
    const stranded: Stranded[] = [];
    for (const snapshot of gone) {
      const error = `no machine has the snapshot ${snapshot}, which answers its rows`;
      for (const id of await records.unfinishedOf(snapshot)) stranded.push({ id, error });
    }
    return stranded;
  }

  /** Notes since when snapshots are lacking, and returns these. */
  #noted(faults: ReadonlyMap<string, string | null>): readonly string[] {
    const lacks = [...faults].flatMap(([snapshot, fault]) => (fault === null ? [] : [snapshot]));
    for (const snapshot of this.#sinceMs.keys()) if (!lacks.includes(snapshot)) this.#sinceMs.delete(snapshot);
    for (const snapshot of lacks) if (!this.#sinceMs.has(snapshot)) this.#sinceMs.set(snapshot, performance.now());
    return lacks;
  }

  #ageMs(snapshot: string): number {
    return performance.now() - (this.#sinceMs.get(snapshot) ?? Infinity);
  }
}
