import type { Logger } from 'winston';
import type { PinnedSnapshot } from '../pool/pinned-snapshot.ts';
import { noRows, outcomes, type OutcomeCounts } from '../rows/outcomes.ts';
import { Repeated } from '../repeated.ts';
import { writeNeeded } from '../snapshots/needed.ts';
import type { BatchStore } from './batch-store.ts';
import { workOn, type ChunkWorkOptions } from './chunk-work.ts';
import { EndedBatches, type OnEnded } from './ended-batches.ts';
import type { BatchChunk } from './job.ts';

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

/** What this process has done since its start, for the metrics. */
export interface RunnerStatus {
  readonly rows: OutcomeCounts;
  /** Attempts to answer or store a chunk that failed; the chunk is tried again. */
  readonly failures: number;
  /** Batches that have ended, by state. */
  readonly ended: Readonly<Record<string, number>>;
}

const POLL_MS = 1000;
const EXPIRE_EVERY_MS = 60_000;
/** Pauses after failures in a row grow up to this. */
const MOST_PAUSE_MS = 30_000;

/**
 * Works on batches: takes chunks from the store, answers their rows in the lane for costly lookups, bills and stores them. It polls, because
 * other processes of the machine accept batches too; `wake` saves the wait for those of this one.
 */
export class BatchRunner implements AsyncDisposable {
  readonly #options: BatchRunnerOptions;
  readonly #stop = new AbortController();
  readonly #ended: EndedBatches;
  readonly #repeated: readonly Repeated[];
  readonly #loops: readonly Promise<void>[];
  /** Snapshots of the chunks that are worked on, by chunk. */
  readonly #working = new Map<BatchChunk, string>();
  /** Ends pauses; true for those that also end when a batch is accepted. */
  readonly #pauses = new Map<() => void, boolean>();
  #wakes = 0;
  #rows: OutcomeCounts = noRows;
  #failures = 0;

  private constructor(options: BatchRunnerOptions) {
    const { store, onEnded, logger, keptMs, chunksAtOnce, pollMs = POLL_MS } = options;
    this.#options = options;
    this.#ended = new EndedBatches({ store, onEnded, logger, keptMs });
    const report = (what: string) => (cause: unknown) => {
      logger.warn(`batches: ${what} failed`, { detail: String(cause) });
    };
    this.#repeated = [
      new Repeated(pollMs, () => this.#ended.tell(), report('telling their ends')),
      new Repeated(pollMs, () => this.#keepSnapshots(), report('keeping snapshots')),
      new Repeated(EXPIRE_EVERY_MS, () => this.#expire(), report('deleting old results')),
    ];
    this.#loops = Array.from({ length: chunksAtOnce }, () => this.#loop());
  }

  /** Begins to work. */
  static start(options: BatchRunnerOptions): BatchRunner {
    return new BatchRunner(options);
  }

  /** Looks for chunks at once: a batch was accepted. */
  wake(): void {
    this.#wakes++;
    for (const [end, isWoken] of this.#pauses) if (isWoken) end();
  }

  status(): RunnerStatus {
    return { rows: this.#rows, failures: this.#failures, ended: this.#ended.byState };
  }

  /** Takes no more chunks, and gives those under way back. */
  stop(): void {
    this.#stop.abort();
    for (const end of this.#pauses.keys()) end();
  }

  /** Does the same as `stop`, and waits until nothing is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await Promise.all(this.#loops);
    for (const repeated of this.#repeated) await repeated[Symbol.asyncDispose]();
    await this.#options.snapshots[Symbol.asyncDispose]();
  }

  async #expire(): Promise<void> {
    const { store, isClockTrusted } = this.#options;
    if (isClockTrusted()) await store.expire(Date.now());
  }

  /** Works on one chunk after another until `stop`. Never fails. */
  async #loop(): Promise<void> {
    const { pollMs = POLL_MS, logger } = this.#options;
    let inARow = 0;
    while (!this.#stop.signal.aborted) {
      // Counted before the look, so that a batch that comes during it is not missed.
      const wakes = this.#wakes;
      try {
        const hadWork = await this.#workOnNext();
        inARow = 0;
        if (!hadWork && wakes === this.#wakes) await this.#pause(pollMs, true);
      } catch (cause) {
        this.#failures++;
        inARow++;
        logger.error('a part of a batch failed, it is tried again', { detail: String(cause) });
        await this.#pause(Math.min(MOST_PAUSE_MS, pollMs * 2 ** (inARow - 1)), false);
      }
    }
  }

  /** @returns false when there was nothing to do. */
  async #workOnNext(): Promise<boolean> {
    const { store, snapshots, missingKeys } = this.#options;
    const chunk = await store.take(
      (snapshot) => snapshots.canAnswer(snapshot),
      (keyId) => !missingKeys.isResting(keyId),
    );
    if (!chunk) return false;
    this.#working.set(chunk, chunk.job.snapshot);
    try {
      const { counts } = await workOn(chunk, this.#options, this.#stop.signal);
      if (counts) this.#rows = sum(this.#rows, counts);
    } finally {
      this.#working.delete(chunk);
    }
    return true;
  }

  /** Keeps the snapshots that are needed from being deleted, reports those that are gone, and closes the one that is not needed any more. */
  async #keepSnapshots(): Promise<void> {
    const { store, snapshots, dataDir } = this.#options;
    const needed = await store.neededSnapshots();
    writeNeeded(dataDir, needed);
    await store.reportSnapshots(new Map([...needed].map((id) => [id, snapshots.faultOf(id)])));
    await snapshots.closeUnless(new Set([...needed, ...this.#working.values()]));
  }

  /** Waits so long, or until `stop`; with `isWoken` also until `wake`. */
  async #pause(ms: number, isWoken: boolean): Promise<void> {
    if (this.#stop.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#pauses.set(end, isWoken);
    });
  }
}

function sum(a: OutcomeCounts, b: OutcomeCounts): OutcomeCounts {
  const added = outcomes.map((outcome) => [outcome, a[outcome] + b[outcome]] as const);
  return Object.fromEntries(added) as unknown as OutcomeCounts;
}
