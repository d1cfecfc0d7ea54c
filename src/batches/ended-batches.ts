import type { Logger } from 'winston';
import type { BatchStore } from './batch-store.ts';
import type { BatchJob } from './job.ts';

/** Is told of a batch that has ended. */
export type OnEnded = (job: BatchJob) => void | Promise<void>;

export interface EndedBatchesOptions {
  readonly store: Pick<BatchStore, 'ended'>;
  readonly onEnded: OnEnded;
  readonly logger: Pick<Logger, 'info'>;
  /** Batches that have ended longer ago are not told any more. */
  readonly keptMs: number;
}

/** An end that another process writes may become visible so much later than its time. */
const OVERLAP_MS = 60_000;

/** Tells each end of a batch once for each process, also of those that ended while no process ran. */
export class EndedBatches {
  readonly #options: EndedBatchesOptions;
  readonly #startedAt = new Date().toISOString();
  /** Times of the ends that were told, by batch and state: a batch that ended expires later. */
  readonly #told = new Map<string, string>();
  readonly #byState: Record<string, number> = {};
  #after: string;

  constructor(options: EndedBatchesOptions) {
    this.#options = options;
    this.#after = new Date(Date.now() - options.keptMs).toISOString();
  }

  /** Batches that ended since the start, by state. */
  get byState(): Readonly<Record<string, number>> {
    return this.#byState;
  }

  /** Tells what was not told yet. @throws what `onEnded` throws; the next call tells it again. */
  async tell(): Promise<void> {
    const { store, onEnded } = this.#options;
    for (const job of await store.ended(this.#after)) {
      const endedAt = job.endedAt!;
      const end = `${job.id} ${job.state}`;
      if (this.#told.has(end)) continue;
      await onEnded(job);
      this.#told.set(end, endedAt);
      if (endedAt >= this.#startedAt) this.#note(job);
      this.#forgetBefore(endedAt);
    }
  }

  /** Only what may come again has to be remembered. */
  #forgetBefore(endedAt: string): void {
    this.#after = new Date(Date.parse(endedAt) - OVERLAP_MS).toISOString();
    for (const [end, at] of this.#told) {
      if (at >= this.#after) return;
      this.#told.delete(end);
    }
  }

  #note({ id, state, rows, counts, createdAt, endedAt, error }: BatchJob): void {
    this.#byState[state] = (this.#byState[state] ?? 0) + 1;
    const seconds = (Date.parse(endedAt!) - Date.parse(createdAt)) / 1000;
    this.#options.logger.info('batch ended', {
      ...{ batch: id, state, rows, ...counts, seconds },
      ...(error === null ? {} : { detail: error }),
    });
  }
}
