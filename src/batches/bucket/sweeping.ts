import type { BatchRecord } from './batch-record.ts';
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
    await this.#enqueueAgain(await records.toEnqueue());
    await ending.sweep();
    await this.#closeQueues();
  }

  async enqueue(record: BatchRecord): Promise<void> {
    const { queue, records } = this.#options;
    await queue.add(record);
    await records.enqueued(record.job.id);
  }

  /** Deletes the queues whose batches have all ended, some before all of their chunks came out of it. */
  async #closeQueues(): Promise<void> {
    const { queue, records } = this.#options;
    const names = await records.queues();
    const live = await records.liveSnapshots();
    for (const snapshot of names) {
      if (live.has(snapshot)) continue;
      await queue.delete(snapshot);
      if (await records.forgetQueue(snapshot)) continue;
      // Its entries may have gone with the queue.
      await this.#enqueueAgain(await records.unfinishedOf(snapshot));
    }
    await queue.closeOthers(names);
  }

  async #enqueueAgain(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const record = await this.#options.records.read(id);
      if (record) await this.enqueue(record);
    }
  }
}
