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
  /** Refuse a snapshot whose file is not the one that was published; a server does, a single lookup does not wait for it. */
  readonly verify?: boolean;
  readonly catalogue: Catalogue;
  /** Told of faults that belong to no lookup, such as a thread that ended while idle. */
  readonly onFault?: (fault: Error) => void;
}

/** Opening a snapshot maps files and reads a few pages; a start that takes longer than this has failed. */
const START_DEADLINE_MS = 60_000;

/**
 * Lookups that a thread is given at a time. With one it sleeps until the main thread has taken its answer and sent the next: that hand-over costs
 * both as much as the lookup, and a main thread that is busy starves the pool (docs/decisions/0007).
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
   * Takes a snapshot for all lookups that follow. Resolves once every thread has opened it and answered, so that a broken snapshot
   * fails here and not a request.
   * @throws AppError DB_ERROR when the snapshot cannot be served; then the pool has none.
   */
  async open(snapshotDir: string): Promise<void> {
    const { threads, verify = false } = this.#options;
    try {
      const prepared = await this.#ask<PreparedSnapshot>({ kind: 'prepare', snapshotDir, verify });
      const snapshot = { ...prepared, opening: ++this.#openings };
      // The pool is idle and the least busy thread comes first, so each takes one; a thread that starts later opens the snapshot with its first lookup.
      const warmUp = Array.from({ length: threads }, () =>
        this.#ask({ kind: 'lookup', snapshot, task: { kind: 'warm-up' } }),
      );
      await before(Promise.all(warmUp), START_DEADLINE_MS, () => new Error('the threads did not start'));
      this.#snapshot = snapshot;
    } catch (cause) {
      // Not waited for: a thread that hangs must not hold the refusal.
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
    // The slot is freed by the thread, not by the deadline: an abandoned lookup still occupies its thread.
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

  /** Threads of the pool, and lookups that are under way or waiting. */
  status(): { readonly threads: number; readonly pending: number } {
    return { threads: this.#options.threads, pending: this.#pending.size };
  }

  /** Waits for lookups under way, then lets go of the snapshot; the threads stay for the next one. */
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
   * Also before Piscina closes, which must be with an empty queue: it replaces no thread from then on, and when one is lost while tasks
   * wait, it looks for a place for them in a loop without end, on the main thread.
   */
  async #settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  /** So that a snapshot which is deleted gives its disk space back. Never fails. */
  async #closeFiles(): Promise<void> {
    this.#snapshot = null;
    await Promise.allSettled(Array.from({ length: this.#options.threads }, () => this.#run({ kind: 'close' })));
  }

  async #ask<Result>(task: ThreadTask): Promise<Result> {
    return unwrap(await this.#run<Result>(task));
  }

  /** Once more, because most lookups that are lost with a thread were waiting in it, and a lookup changes nothing. */
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
