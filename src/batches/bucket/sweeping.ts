import { randomUUID } from 'node:crypto';
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

/** Entries of batches that have ended which one look takes out of a queue. */
const MOST_DRAINED = 1000;

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
    for (const id of await records.toEnqueue()) {
      const record = await records.read(id);
      if (record) await this.enqueue(record);
    }
    await ending.sweep();
    await this.#closeQueues();
  }

  async enqueue(record: BatchRecord): Promise<void> {
    const { queue, records } = this.#options;
    await queue.add(record);
    await records.enqueued(record.job.id);
  }

  /** Empties the queues whose batches have all ended, some before all of their chunks came out of it. */
  async #closeQueues(): Promise<void> {
    const { queue, records } = this.#options;
    const names = await records.queues();
    const live = await records.liveSnapshots();
    for (const snapshot of names) {
      if (live.has(snapshot)) continue;
      await this.#drain(snapshot);
      await records.closeQueue(snapshot);
    }
    await queue.closeOthers(names);
  }

  async #drain(snapshot: string): Promise<void> {
    const { queue, records } = this.#options;
    for (let drained = 0; drained < MOST_DRAINED; drained++) {
      const token = randomUUID();
      const entry = await queue.take([snapshot], token);
      if (!entry) return;
      const isLive = (await records.liveSnapshots()).has(snapshot);
      await (isLive ? entry.moveToWait(token) : entry.moveToCompleted(0, token, false));
      if (isLive) return;
    }
  }
}
