import type { Logger } from 'winston';
import { MINUTE_MS } from '../../messages/time.ts';
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
const OVERLAP_MS = 10 * MINUTE_MS;

/**
 * Tells each end of a batch once for each process, also of those that ended while no process ran. After the clock was set back, it may tell those of
 * the time that comes again a second time.
 */
export class EndedBatches {
  readonly #options: EndedBatchesOptions;
  readonly #startedAt = new Date().toISOString();
  /** What was told and may come again: batches with their states, because a batch that ended expires later. */
  #told = new Set<string>();
  readonly #byState: Record<string, number> = {};
  /** Ends before this time were told. */
  #afterMs: number;

  constructor(options: EndedBatchesOptions) {
    this.#options = options;
    this.#afterMs = Date.now() - options.keptMs;
  }

  /** Batches that ended since the start, by state. */
  get byState(): Readonly<Record<string, number>> {
    return this.#byState;
  }

  /** Tells what was not told yet. @throws what `onEnded` throws; the next call tells it again. */
  async tell(): Promise<void> {
    const { store, onEnded } = this.#options;
    const latestMs = Date.now() - OVERLAP_MS;
    // Otherwise nothing that ends after the clock was set back would be told until it shows the same time again.
    this.#afterMs = Math.min(this.#afterMs, latestMs);
    const ends = await store.ended(new Date(this.#afterMs).toISOString());
    for (const job of ends) {
      if (this.#told.has(nameOf(job))) continue;
      await onEnded(job);
      this.#told.add(nameOf(job));
      if (job.endedAt! >= this.#startedAt) this.#note(job);
    }
    this.#told = new Set(ends.map(nameOf));
    this.#afterMs = latestMs;
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

function nameOf({ id, state }: BatchJob): string {
  return `${id} ${state}`;
}
