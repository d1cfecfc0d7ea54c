import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'winston';
import { type LoopOptions, Loop } from '../../core/loop/loop.ts';
import type { PinnedSnapshot } from './pinned-snapshot.ts';
import { type OutcomeCounts, noRows, outcomes } from './rows/row.ts';
import { MINUTE_MS } from '../../messages/time.ts';
import { writeNeeded } from '../../core/snapshots/needed.ts';
import type { BatchStore } from './batch-store.ts';
import { type ChunkWorkOptions, workOn } from './chunk-work.ts';
import type { BatchChunk, BatchJob } from './job.ts';
import { partKey } from '../../core/parts/parts.ts';
import type { Slots } from '../../core/http/slots.ts';

export interface BatchRunnerOptions extends Omit<ChunkWorkOptions, 'snapshots' | 'logger'> {
  readonly store: BatchStore;
  readonly snapshots: PinnedSnapshot;
  readonly logger: Logger;
  readonly dataDir: string;
  /**
   * Gets every batch that has ended, again after a restart, and in each process of the machine: it must be repeatable. When it rejects, it is
   * called again.
   */
  readonly onEnded: OnEnded;
  /** How long results are kept, in ms. */
  readonly keptMs: number;
  /** False after the wall clock jumped: nothing is deleted. */
  readonly isClockTrusted: () => boolean;
  /** Chunks that are worked on at once. */
  readonly chunksAtOnce: number;
  readonly pollMs?: number;
}

const POLL_MS = 1000;
/** Pauses after failures in a row grow up to this. */
const MOST_PAUSE_MS = 30_000;
/** A stop waits no longer for the last ends to be told: the next start tells them too. */
const LAST_ENDS_MS = 2000;

/**
 * Works on batches: takes chunks from the store, answers their rows in the lane for costly lookups, bills and stores them. It polls, because
 * other processes of the machine accept batches too; `wake` saves the wait for those of this one.
 */
export class BatchRunner implements AsyncDisposable {
  readonly #options: BatchRunnerOptions;
  readonly #ended: EndedBatches;
  readonly #telling: Loop;
  readonly #watching: readonly Loop[];
  readonly #working: readonly Loop[];
  /** Snapshots of the chunks that are worked on, by chunk. */
  readonly #snapshots = new Map<BatchChunk, string>();
  #rows: OutcomeCounts = noRows;
  #failures = 0;

  private constructor(options: BatchRunnerOptions) {
    const { store, onEnded, logger, keptMs, chunksAtOnce, pollMs = POLL_MS } = options;
    this.#options = options;
    this.#ended = new EndedBatches({ store, onEnded, logger, keptMs });
    const watch = (what: string, loop: Omit<LoopOptions, 'onFailure'>): Loop =>
      new Loop({
        ...loop,
        onFailure: (cause) => logger.warn(`batches: ${what} failed`, { detail: String(cause) }),
      });
    this.#telling = watch('telling their ends', { everyMs: pollMs, turn: () => this.#ended.tell() });
    this.#watching = [
      watch('keeping snapshots', { everyMs: pollMs, turn: () => this.#keepSnapshots() }),
      watch('deleting old results', {
        everyMs: MINUTE_MS,
        turn: () => store.expire(Date.now()),
        isClockTrusted: options.isClockTrusted,
      }),
    ];
    this.#working = Array.from({ length: chunksAtOnce }, () => this.#work(pollMs));
  }

  /** Begins to work. */
  static start(options: BatchRunnerOptions): BatchRunner {
    return new BatchRunner(options);
  }

  /** Looks for chunks at once: a batch was accepted. */
  wake(): void {
    for (const loop of this.#working) loop.wake();
  }

  status(): {
    readonly rows: OutcomeCounts;
    /** Attempts to answer or store a chunk that failed; the chunk is tried again. */
    readonly failures: number;
    /** Batches that have ended, by state. */
    readonly ended: Readonly<Record<string, number>>;
  } {
    return { rows: this.#rows, failures: this.#failures, ended: this.#ended.byState };
  }

  /** Takes no more chunks, and gives those under way back. */
  stop(): void {
    for (const loop of this.#working) loop.stop();
  }

  /** Does the same as `stop`, waits until nothing is under way, and tells the ends that came with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    for (const loop of [...this.#working, ...this.#watching]) await loop[Symbol.asyncDispose]();
    await Promise.race([this.#telling.finish(), sleep(LAST_ENDS_MS, undefined, { ref: false })]);
    await this.#options.snapshots[Symbol.asyncDispose]();
  }

  /** Works on one chunk after another. */
  #work(pollMs: number): Loop {
    return new Loop({
      everyMs: pollMs,
      turn: async (stop) => {
        const hadWork = await this.#workOnNext(stop);
        return hadWork ? 0 : pollMs;
      },
      onFailure: (cause) => {
        this.#options.logger.error('a part of a batch failed, it is tried again', { detail: String(cause) });
      },
      backoff: { firstMs: pollMs, mostMs: MOST_PAUSE_MS },
    });
  }

  /** @returns false when there was nothing to do. */
  async #workOnNext(stop: AbortSignal): Promise<boolean> {
    const { store, snapshots, missingKeys } = this.#options;
    const chunk = await store.take(
      (snapshot) => snapshots.canAnswer(snapshot),
      (keyId) => !missingKeys.isResting(keyId),
    );
    if (!chunk) return false;
    this.#snapshots.set(chunk, chunk.job.snapshot);
    try {
      const { counts } = await workOn(chunk, this.#options, stop);
      if (counts) this.#rows = sum(this.#rows, counts);
    } catch (cause) {
      this.#failures++;
      throw cause;
    } finally {
      this.#snapshots.delete(chunk);
    }
    return true;
  }

  /** Keeps the snapshots that are needed from being deleted, reports those that are gone, and closes the one that is not needed any more. */
  async #keepSnapshots(): Promise<void> {
    const { store, snapshots, dataDir } = this.#options;
    const needed = await store.neededSnapshots();
    writeNeeded(dataDir, needed);
    await store.reportSnapshots(new Map([...needed].map((id) => [id, snapshots.faultOf(id)])));
    await snapshots.closeUnless(new Set([...needed, ...this.#snapshots.values()]));
  }
}

function sum(a: OutcomeCounts, b: OutcomeCounts): OutcomeCounts {
  const added = outcomes.map((outcome) => [outcome, a[outcome] + b[outcome]] as const);
  return Object.fromEntries(added) as unknown as OutcomeCounts;
}

/** Is told of a batch that has ended. */
type OnEnded = (job: BatchJob) => void | Promise<void>;

/** An end that another process writes may become visible so much later than its time. */
const OVERLAP_MS = 10 * MINUTE_MS;

/**
 * Tells each end of a batch once for each process, also of those that ended while no process ran. After the clock was set back, it may tell those of
 * the time that comes again a second time.
 */
export class EndedBatches {
  readonly #options;
  readonly #startedAt = new Date().toISOString();
  /** What was told and may come again: batches with their states, because a batch that ended expires later. */
  #told = new Set<string>();
  readonly #byState: Record<string, number> = {};
  /** Ends before this time were told. */
  #afterMs: number;

  constructor(options: {
    readonly store: Pick<BatchStore, 'ended'>;
    readonly onEnded: OnEnded;
    readonly logger: Pick<Logger, 'info'>;
    /** Batches that have ended longer ago are not told any more. */
    readonly keptMs: number;
  }) {
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
      batch: id,
      state,
      rows,
      ...counts,
      seconds,
      ...(error === null ? {} : { detail: error }),
    });
  }
}

function nameOf({ id, state }: BatchJob): string {
  return `${id} ${state}`;
}

/** What batches have open. */
export interface Batches {
  readonly store: BatchStore;
  readonly runner: Pick<BatchRunner, 'wake' | 'stop' | 'status'>;
  /** Uploads that are under way. */
  readonly uploads: Slots;
}

export const batchesPart = partKey<Batches>('batches');
