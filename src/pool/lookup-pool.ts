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
export const LOOKUPS_PER_THREAD = 8;

const NS_PER_MS = 1e6;

/** How soon a client may come back after a 503 for a late or lost lookup, in seconds. */
const RETRY_AFTER_S = '1';

/**
 * Worker threads that answer lookups from one snapshot. Fixed size: a recycled thread would load GDAL and open every table
 * again. The deadline is its own, because Piscina's `signal` kills threads. It takes every lookup: `Admission` refuses for load.
 */
export class LookupPool implements AsyncDisposable {
  readonly #options: LookupPoolOptions;
  readonly #threads: Threads;
  /** For costly lookups alone: a thread cannot leave one in the middle, and those behind it would wait. */
  readonly #costlyThreads: Threads;
  /** Under way or waiting. */
  readonly #pending = new Set<Promise<unknown>>();
  #snapshot: PoolSnapshot | null = null;
  #openings = 0;

  private constructor(options: LookupPoolOptions) {
    this.#options = options;
    this.#threads = startThreads(options, options.threads, LOOKUPS_PER_THREAD);
    this.#costlyThreads = startThreads(options, costlyThreadsOf(options), 1);
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
      // A thread that ends while it loads the binding keeps the lock of loading; one that answers has loaded it.
      await before(pool.#closeFiles(), START_DEADLINE_MS, () => new Error('a thread hangs')).catch(() => undefined);
      for (const { threads } of pool.#lanes) await threads.destroy();
      throw cause;
    }
  }

  /**
   * Opens a snapshot for all following lookups. Resolves once every thread has opened it and answered, so that a broken
   * snapshot fails here and not in a request.
   * @throws AppError DB_ERROR when the snapshot cannot be served; then the pool has none.
   */
  async open(snapshotDir: string): Promise<void> {
    const { verify = false } = this.#options;
    try {
      const prepare = { kind: 'prepare', snapshotDir, verify } as const;
      const prepared = unwrap(await this.#run<PreparedSnapshot>(this.#threads, prepare));
      const snapshot = { ...prepared, opening: ++this.#openings };
      // The pool is idle, and Piscina chooses the least busy thread, so each thread gets one. A thread that starts
      // later opens the snapshot with its first lookup.
      const warm = { kind: 'lookup', snapshot, task: { kind: 'warm-up' }, deadline: null } as const;
      const warmUp = this.#lanes.flatMap(({ threads, count }) =>
        Array.from({ length: count }, async () => unwrap(await this.#run(threads, warm))),
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
   * Answers one lookup, within the deadline of the pool or what the caller has left of it.
   * @throws AppError: ADDRESS_NOT_FOUND, OUTSIDE_ONTARIO, DB_ERROR (deadline passed, thread lost, unreadable data).
   */
  async lookup(task: LookupTask, leftMs = this.#options.deadlineMs): Promise<LookupAnswer> {
    const deadline = process.hrtime.bigint() + BigInt(Math.ceil(leftMs * NS_PER_MS));
    // The place becomes free when the thread is free, not at the deadline, because an abandoned lookup still occupies
    // its thread.
    const asked: ThreadTask = { kind: 'lookup', snapshot: this.#snapshot!, task, deadline };
    const threads = isCostly(task) ? this.#costlyThreads : this.#threads;
    const run = this.#runAgainIfLost<LookupAnswer>(threads, asked).finally(() => this.#pending.delete(run));
    this.#pending.add(run);
    const outcome = await before(
      run.catch((cause: unknown) => {
        throw unavailable('the lookup thread was lost', cause);
      }),
      leftMs,
      () => unavailable(`no answer in ${this.#options.deadlineMs} ms`),
    );
    if (!outcome.ok && outcome.code === 'DB_ERROR') throw unavailable(outcome.detail);
    return unwrap(outcome);
  }

  /**
   * Answers several lookups in one message to one thread, in their order: for a caller who waits for all of them, and for none long.
   * Costly lookups have no place here.
   * @throws AppError DB_ERROR when the thread is lost or exceeds the deadline; then each may be asked again by itself.
   */
  async lookupAll(tasks: readonly LookupTask[]): Promise<readonly Outcome<LookupAnswer>[]> {
    const { deadlineMs } = this.#options;
    const asked: ThreadTask = { kind: 'lookups', snapshot: this.#snapshot!, tasks };
    const run = this.#run<readonly Outcome<LookupAnswer>[]>(this.#threads, asked).finally(() =>
      this.#pending.delete(run),
    );
    this.#pending.add(run);
    const answered = run.catch((cause: unknown) => {
      throw unavailable('the lookup thread was lost', cause);
    });
    return unwrap(await before(answered, deadlineMs, () => unavailable(`no answer in ${deadlineMs} ms`)));
  }

  /** Returns the numbers of threads for plain and for costly lookups, and of lookups under way or waiting. */
  status(): { readonly threads: number; readonly costlyThreads: number; readonly pending: number } {
    const { threads } = this.#options;
    return { threads, costlyThreads: costlyThreadsOf(this.#options), pending: this.#pending.size };
  }

  /** Waits for lookups under way, then closes the snapshot. The threads stay for the next one. */
  async release(): Promise<void> {
    await this.#settle();
    await this.#closeFiles();
  }

  /** Waits for lookups under way, then ends the threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#settle();
    for (const { threads } of this.#lanes) await threads.close();
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
    const closing = this.#lanes.flatMap(({ threads, count }) =>
      Array.from({ length: count }, () => this.#run(threads, { kind: 'close' })),
    );
    await Promise.allSettled(closing);
  }

  get #lanes(): readonly { readonly threads: Threads; readonly count: number }[] {
    return [
      { threads: this.#threads, count: this.#options.threads },
      { threads: this.#costlyThreads, count: costlyThreadsOf(this.#options) },
    ];
  }

  /**
   * Runs a lost task once more: most lookups that are lost with a thread were waiting in it, and a lookup changes
   * nothing.
   */
  #runAgainIfLost<Result>(threads: Threads, task: ThreadTask): Promise<Outcome<Result>> {
    return this.#run<Result>(threads, task).catch(() => this.#run<Result>(threads, task));
  }

  #run<Result>(threads: Threads, task: ThreadTask): Promise<Outcome<Result>> {
    return threads.run(task) as Promise<Outcome<Result>>;
  }
}

/** Says whether a lookup belongs to the threads for costly work: an area, or geometry beside the answer, takes many times as long. */
export function isCostly(task: LookupTask): boolean {
  if (task.kind === 'area') return true;
  return task.kind !== 'warm-up' && task.kind !== 'suggest' && task.geometry === 'near';
}

/** One for every four threads, and at least one. */
function costlyThreadsOf({ threads }: Pick<LookupPoolOptions, 'threads'>): number {
  return Math.ceil(threads / 4);
}

type Threads = Piscina<ThreadTask, Outcome<unknown>>;

function startThreads({ catalogue, onFault }: LookupPoolOptions, count: number, tasksPerThread: number): Threads {
  const workerData: LookupWorkerData = { loadLock, answers: catalogue.answers };
  const threads: Threads = new Piscina({
    filename: workerFile('lookup'),
    minThreads: count,
    maxThreads: count,
    concurrentTasksPerWorker: tasksPerThread,
    stricterFIFO: true,
    resourceLimits: threadLimits,
    workerData,
  });
  // Without a listener a lost idle thread would end the process.
  threads.on('error', (fault: Error) => onFault?.(fault));
  return threads;
}

function unavailable(detail: string, cause?: unknown): AppError {
  return new AppError('DB_ERROR', detail, { cause, headers: { 'Retry-After': RETRY_AFTER_S } });
}
