import type { ChunkQueue } from './chunk-queue.ts';
import type { Ending } from './ending.ts';
import type { Records } from './records.ts';

export interface SweepingOptions {
  readonly records: Records;
  readonly queue: ChunkQueue;
  readonly ending: Ending;
}

/** Pause between two looks for what others left undone. */
const SWEEP_MS = 2000;

/** Does what machines left undone when they stopped. */
export class Sweeping {
  readonly #options: SweepingOptions;
  #sweptMs = -Infinity;

  constructor(options: SweepingOptions) {
    this.#options = options;
  }

  async sweep(): Promise<void> {
    if (performance.now() - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = performance.now();
    const { records, ending } = this.#options;
    for (const id of await records.toEnqueue()) await this.enqueue(id);
    await ending.sweep();
    await this.#closeQueues();
  }

  /** Puts a batch into the queue, or what is left of it again. */
  async enqueue(id: string): Promise<void> {
    const { queue, records } = this.#options;
    const record = await records.read(id);
    if (!record) return;
    await queue.add(record);
    await records.enqueued(id);
  }

  /** Deletes the queues whose batches have all ended, some before all of their chunks came out of it. */
  async #closeQueues(): Promise<void> {
    const { queue, records } = this.#options;
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
