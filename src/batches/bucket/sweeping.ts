import type { BucketParts } from './bucket-parts.ts';
import type { Ending } from './ending.ts';

/** Pause between two looks for what others left undone. */
const SWEEP_MS = 2000;

/** Does what machines left undone when they stopped. */
export class Sweeping {
  readonly #parts: BucketParts;
  readonly #ending: Ending;
  #sweptMs = -Infinity;

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

  /** Deletes the queues whose batches have all ended, some before all of their chunks came out of it. */
  async #closeQueues(): Promise<void> {
    const { queue, records } = this.#parts;
    const names = await records.queues();
    const live = await records.neededSnapshots();
    for (const snapshot of names) {
      if (live.has(snapshot)) continue;
      await queue.delete(snapshot);
      if (await records.forgetQueue(snapshot)) continue;
      // Its entries may have gone with the queue.
      for (const id of await records.unfinishedOf(snapshot)) await this.enqueue(id);
    }
    await queue.closeOthers(names);
  }
}
