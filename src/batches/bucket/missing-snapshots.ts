import type { Stranded } from '../parts.ts';
import type { BucketParts } from './bucket-parts.ts';

/** Of the time between two reports only this part of the time after which a snapshot is gone counts. */
const COUNTED_PART = 1 / 20;

/** Finds the batches whose snapshot no machine has any more. */
export class MissingSnapshots {
  readonly #parts: BucketParts;
  /** For how long this machine has lacked a snapshot and has known of no other that has it, in ms. */
  #silentMs: ReadonlyMap<string, number> = new Map();
  #reportedMs = performance.now();

  constructor(parts: BucketParts) {
    this.#parts = parts;
  }

  /**
   * Tells the other machines which snapshots this one has. Returns the batches of those that none has had for the time, while this machine went on
   * looking: after all machines were off, or Redis was away, the first one to be back must not speak for the others.
   */
  async report(faults: ReadonlyMap<string, string | null>): Promise<readonly Stranded[]> {
    const { records, snapshotGoneMs } = this.#parts;
    const lacks = [...faults].flatMap(([snapshot, fault]) => (fault === null ? [] : [snapshot]));
    const has = [...faults.keys()].filter((snapshot) => !lacks.includes(snapshot));
    this.#note(lacks, faults.size === 0 ? [] : await records.presence(has, lacks));
    const stranded: Stranded[] = [];
    for (const [snapshot, silentMs] of this.#silentMs) {
      if (silentMs < snapshotGoneMs) continue;
      const error = `no machine has the snapshot ${snapshot}, which answers its rows`;
      for (const id of await records.unfinishedOf(snapshot)) stranded.push({ id, error });
    }
    return stranded;
  }

  /**
   * @param ages for how long Redis has heard of no machine with the snapshot, in ms. They grow also while nobody could ask, and jump with the clock of
   * Redis, so that they can only shorten what this machine has counted.
   */
  #note(lacks: readonly string[], ages: readonly number[]): void {
    const nowMs = performance.now();
    const passedMs = Math.min(nowMs - this.#reportedMs, this.#parts.snapshotGoneMs * COUNTED_PART);
    const before = this.#silentMs;
    this.#reportedMs = nowMs;
    this.#silentMs = new Map(
      lacks.map((snapshot, i) => {
        const counted = before.has(snapshot) ? before.get(snapshot)! + passedMs : 0;
        return [snapshot, Math.min(counted, Math.max(ages[i]!, 0))];
      }),
    );
  }
}
