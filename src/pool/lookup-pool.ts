import { Piscina } from 'piscina';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type {
  LookupAnswer,
  LookupTask,
  PoolSnapshot,
  PreparedSnapshot,
  ThreadTask,
} from '../shared/contract/lookup.ts';
import { unwrap, type Outcome } from '../shared/outcome.ts';
import { AppError } from '../shared/problems.ts';
import { before } from './before.ts';
import type { LookupWorkerData } from '../shared/contract/worker-data.ts';
import { loadLock } from './load-lock.ts';
import { workerFile } from './run-worker.ts';
import { threadLimits } from '../shared/thread-limits.ts';

export interface LookupPoolOptions {
  readonly threads: number;
  readonly deadlineMs: number;
  /**
   * Refuse a snapshot whose file differs from the published one. A server checks this; a single lookup does not wait
   * for the check.
   */
  readonly verify?: boolean;
  readonly catalogue: Catalogue;
  /** Called with faults that belong to no lookup, such as a thread that ended while idle. */
  readonly onFault?: (fault: Error) => void;
}

/** Time after which a start has failed: opening a snapshot only maps files and reads a few pages. */
const START_DEADLINE_MS = 60_000;

/**
 * Lookups that a thread gets at a time. With one, the thread sleeps until the main thread has taken its answer and sent
 * the next. This costs both threads as much as the lookup, and leaves the pool idle while the main thread is busy
 * (docs/decisions/0007).
 */
const LOOKUPS_PER_THREAD = 8;

/** How soon a client may come back after a 503 for a late or lost lookup, in seconds. */
const RETRY_AFTER_S = '1';

/**
 * Worker threads that answer lookups from one snapshot. Fixed size: a recycled thread would load GDAL and open every table
 * again. The deadline is its own, because Piscina's `signal` kills threads. It takes every lookup: `Admission` refuses for load.
 */
export class LookupPool implements AsyncDisposable {
  readonly #options: LookupPoolOptions;
  readonly #threads: Piscina<ThreadTask, Outcome<unknown>>;
  /** Under way or waiting. */
  readonly #pending = new Set<Promise<unknown>>();
  #snapshot: PoolSnapshot | null = null;
  #openings = 0;

  private constructor(options: LookupPoolOptions) {
    const { threads, catalogue } = options;
    const workerData: LookupWorkerData = { loadLock, answers: catalogue.answers };
    this.#options = options;
    this.#threads = new Piscina({
      filename: workerFile('lookup'),
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: LOOKUPS_PER_THREAD,
      stricterFIFO: true,
      resourceLimits: threadLimits,
      workerData,
    });
    // Without a listener a lost idle thread would end the process.
    this.#threads.on('error', (fault: Error) => options.onFault?.(fault));
  }

  /**
   * Starts the threads, then `open`.
   * @throws AppError DB_ERROR when the snapshot cannot be served.
   */
  static async start(options: LookupPoolOptions & { readonly snapshotDir: string }): Promise<LookupPool> {
    const pool = new LookupPool(options);
    try {
      await pool.open(options.snapshotDir);
      return pool;
    } catch (cause) {
      await pool.#threads.destroy();
      throw cause;
    }
  }

  /**
   * Opens a snapshot for all following lookups. Resolves once every thread has opened it and answered, so that a broken
   * snapshot fails here and not in a request.
   * @throws AppError DB_ERROR when the snapshot cannot be served; then the pool has none.
   */
  async open(snapshotDir: string): Promise<void> {
    const { threads, verify = false } = this.#options;
    try {
      const prepared = await this.#ask<PreparedSnapshot>({ kind: 'prepare', snapshotDir, verify });
      const snapshot = { ...prepared, opening: ++this.#openings };
      // The pool is idle, and Piscina chooses the least busy thread, so each thread gets one. A thread that starts
      // later opens the snapshot with its first lookup.
      const warmUp = Array.from({ length: threads }, () =>
        this.#ask({ kind: 'lookup', snapshot, task: { kind: 'warm-up' } }),
      );
      await before(Promise.all(warmUp), START_DEADLINE_MS, () => new Error('the threads did not start'));
      this.#snapshot = snapshot;
    } catch (cause) {
      // Not awaited, because a thread that hangs must not delay the refusal.
      void this.#closeFiles();
      throw cause instanceof AppError
        ? cause
        : new AppError('DB_ERROR', `no lookup thread: ${String(cause)}`, { cause });
    }
  }

  /**
   * Answers one lookup.
   * @throws AppError: ADDRESS_NOT_FOUND, OUTSIDE_ONTARIO, DB_ERROR (deadline passed, thread lost, unreadable data).
   */
  async lookup(task: LookupTask): Promise<LookupAnswer> {
    // The place becomes free when the thread is free, not at the deadline, because an abandoned lookup still occupies
    // its thread.
    const run = this.#runAgainIfLost<LookupAnswer>({ kind: 'lookup', snapshot: this.#snapshot!, task }).finally(() =>
      this.#pending.delete(run),
    );
    this.#pending.add(run);
    const { deadlineMs } = this.#options;
    const outcome = await before(
      run.catch((cause: unknown) => {
        throw unavailable('the lookup thread was lost', cause);
      }),
      deadlineMs,
      () => unavailable(`no answer in ${deadlineMs} ms`),
    );
    if (!outcome.ok && outcome.code === 'DB_ERROR') throw unavailable(outcome.detail);
    return unwrap(outcome);
  }

  /** Returns the number of threads, and of lookups under way or waiting. */
  status(): { readonly threads: number; readonly pending: number } {
    return { threads: this.#options.threads, pending: this.#pending.size };
  }

  /** Waits for lookups under way, then closes the snapshot. The threads stay for the next one. */
  async release(): Promise<void> {
    await this.#settle();
    await this.#closeFiles();
  }

  /** Waits for lookups under way, then ends the threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#settle();
    await this.#threads.close();
  }

  /**
   * Waits until no lookup is under way. Piscina must close with an empty queue: from then on it replaces no thread, and
   * if one is lost while tasks wait, it searches for a thread in an endless loop on the main thread.
   */
  async #settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  /** Closes the files of all threads, so that a deleted snapshot frees its disk space. Never fails. */
  async #closeFiles(): Promise<void> {
    this.#snapshot = null;
    await Promise.allSettled(Array.from({ length: this.#options.threads }, () => this.#run({ kind: 'close' })));
  }

  async #ask<Result>(task: ThreadTask): Promise<Result> {
    return unwrap(await this.#run<Result>(task));
  }

  /**
   * Runs a lost task once more: most lookups that are lost with a thread were waiting in it, and a lookup changes
   * nothing.
   */
  #runAgainIfLost<Result>(task: ThreadTask): Promise<Outcome<Result>> {
    return this.#run<Result>(task).catch(() => this.#run<Result>(task));
  }

  #run<Result>(task: ThreadTask): Promise<Outcome<Result>> {
    return this.#threads.run(task) as Promise<Outcome<Result>>;
  }
}

function unavailable(detail: string, cause?: unknown): AppError {
  return new AppError('DB_ERROR', detail, { cause, headers: { 'Retry-After': RETRY_AFTER_S } });
}
