import type { BucketParts } from './bucket-parts.ts';
import type { Ending } from './ending.ts';

/** Pause between two looks for what others left undone. */
const SWEEP_MS = 2000;

/** Does what machines left undone when they stopped. */
export class Sweeping {
  readonly #parts: BucketParts;
  readonly #ending: Ending;
  #sweptMs = -Infinity;
  /** Since when this machine has seen no batch of a snapshot that has a queue. */
  #idleSinceMs: ReadonlyMap<string, number> = new Map();

  constructor(parts: BucketParts, ending: Ending) {
    this.#parts = parts;
    this.#ending = ending;
  }

  async sweep(): Promise<void> {
    if (performance.now() - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = performance.now();
    const { records } = this.#parts;
    for (const id of await records.toEnqueue()) await this.enqueue(id);
    await this.#ending.sweep();
    await this.#closeQueues();
  }

  /** Puts a batch into the queue, or what is left of it again. */
  async enqueue(id: string): Promise<void> {
    const { queue, records } = this.#parts;
    const record = await records.read(id);
    if (!record) return;
    await queue.add(record);
    await records.enqueued(id);
  }

  /**
   * Closes the queues whose batches have all ended, some before all of their chunks came out of it, and deletes them when the other machines have had
   * the time to close theirs.
   */
  async #closeQueues(): Promise<void> {
    const { queue, records, lockMs } = this.#parts;
    const names = await records.queues();
    const live = await records.neededSnapshots();
    await queue.closeOthers(live);
    const nowMs = performance.now();
    const idle = [...names].filter((name) => !live.has(name));
    this.#idleSinceMs = new Map(idle.map((name) => [name, this.#idleSinceMs.get(name) ?? nowMs]));
    for (const [snapshot, sinceMs] of this.#idleSinceMs) {
      if (nowMs - sinceMs < lockMs) continue;
      await queue.delete(snapshot);
      if (await records.forgetQueue(snapshot)) continue;
      // Its entries may have gone with the queue.
      for (const id of await records.unfinishedOf(snapshot)) await this.enqueue(id);
    }
  }
}
