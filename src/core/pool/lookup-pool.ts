import type { LookupAnswer, LookupTask, TimedLookup } from '../../messages/lookup.ts';
import { unwrap, type Outcome } from '../../messages/outcome.ts';
import { AppError, unavailable } from '../../messages/problems.ts';
import { before } from './before.ts';
import { hasNotStarted } from './run-worker.ts';
import { Threads, type ThreadsOptions } from './threads.ts';

/** The two kinds of lookups, which have threads, turns and limits of load of their own. */
export type LoadKind = 'plain' | 'costly';

export type ByKind<Value> = Readonly<Record<LoadKind, Value>>;

/** Says which kind a lookup is: an area, geometry beside the answer, or further answers take many times as long. */
export function kindOf(task: LookupTask): LoadKind {
  if (task.kind === 'area') return 'costly';
  if (task.kind === 'warm-up' || task.kind === 'suggest') return 'plain';
  return task.geometry !== undefined || task.further !== undefined ? 'costly' : 'plain';
}

export interface LookupPoolOptions extends ThreadsOptions {
  /** Threads for plain lookups. With 0 the pool answers rows of batches alone, in one thread. */
  readonly threads: number;
  /**
   * Refuse a snapshot whose file differs from the published one. A server checks this; a single lookup does not wait
   * for the check.
   */
  readonly verify?: boolean;
  /** A command has no people whom costly lookups would delay, and its first lookup need not be as fast as the next: no threads and no time for that. */
  readonly isCommand?: boolean;
  /** The threads for costly work start with the first of it, and no thread warms up: for tests, which start many services and ask little of each. */
  readonly startsLate?: boolean;
}

/** Time after which a start has failed: opening a snapshot only maps files and reads a few pages. */
const START_DEADLINE_MS = 60_000;

/** Time of the warm-up lookups of a thread for plain lookups before its first caller; after it the code is compiled. */
const WARM_UP_MS = 100;

/**
 * Plain lookups that wait in a thread or are under way there, per thread. With one, the thread sleeps until the main thread has taken its
 * answer and sent the next (docs/decisions/0006).
 */
export const LOOKUPS_PER_THREAD = 8;

const NS_PER_MS = 1e6;

/**
 * Worker threads that answer lookups from one snapshot. Fixed size: a recycled thread would load GDAL and open every table
 * again, unless a lookup hangs in it. The deadline is its own, because Piscina's `signal` kills threads. It takes every lookup: `Gate`
 * refuses for load.
 */
export class LookupPool implements AsyncDisposable {
  /** Always the same object, because each lookup asks several times. */
  readonly status: { readonly threads: number; readonly costlyThreads: number; readonly pending: ByKind<number> };
  /** Called when a lookup could not read the snapshot. */
  onUnreadable: () => void = () => undefined;
  readonly #options: LookupPoolOptions;
  /**
   * Those for costly lookups also answer rows of batches: a thread cannot leave a message in the middle, and those behind it would wait. The
   * operating system prefers the others (docs/decisions/0123).
   */
  readonly #threads: ByKind<Threads>;
  readonly #all: readonly Threads[];
  readonly #pending = { plain: 0, costly: 0 };
  /** Lookups, and messages with rows of batches, that keep a thread or wait for one. */
  #underWay = 0;
  /** Called when none is left. */
  readonly #whenIdle: (() => void)[] = [];
  #openings = 0;

  private constructor(options: LookupPoolOptions) {
    const { threads, isCommand = false, startsLate = false } = options;
    // One for every four threads of a service, and at least one.
    const costlyThreads = isCommand ? 0 : Math.max(1, Math.ceil(threads / 4));
    const plain = { count: threads, tasks: LOOKUPS_PER_THREAD, isLow: false, startsLate: false };
    // Without threads for plain lookups they are those that open the snapshot.
    const costly = { count: costlyThreads, tasks: 1, isLow: true, startsLate: startsLate && threads > 0 };
    this.#options = options;
    this.#all = [plain, costly].filter(({ count }) => count > 0).map((kind) => new Threads(kind, options));
    this.#threads = { plain: this.#all[0]!, costly: this.#all.at(-1)! };
    this.status = { threads, costlyThreads, pending: this.#pending };
  }

  /**
   * Starts the threads, then `open`.
   * @throws AppError DB_ERROR when the snapshot cannot be served; Error when no thread can start.
   */
  static async start(options: LookupPoolOptions & { readonly snapshotDir: string }): Promise<LookupPool> {
    const pool = new LookupPool(options);
    try {
      await pool.open(options.snapshotDir);
      return pool;
    } catch (cause) {
      // A thread that ends while it loads the binding keeps the lock of loading; one that answers has loaded it.
      if (!hasNotStarted(cause))
        await before(pool.#closeFiles(), START_DEADLINE_MS, () => new Error('a thread hangs')).catch(() => undefined);
      await pool.#end('destroy');
      throw cause;
    }
  }

  /**
   * Opens a snapshot for all following lookups. Resolves once every thread has opened it and answered, so that a broken
   * snapshot fails here and not in a request.
   * @throws AppError DB_ERROR when the snapshot cannot be served, Error when no thread can start; then the pool has none.
   */
  async open(snapshotDir: string): Promise<void> {
    const { verify = false, isCommand = false, startsLate = false } = this.#options;
    const { plain } = this.#threads;
    // Costly lookups take far longer than what the first ones lose: their threads need not delay the start.
    const plainMs = isCommand || startsLate || this.status.threads === 0 ? 0 : WARM_UP_MS;
    try {
      const snapshot = { ...(await plain.prepare(snapshotDir, verify)), opening: ++this.#openings };
      // A thread that starts later opens the snapshot with its first lookup.
      const warmUp = this.#all.map((threads) => threads.warmUp(snapshot, threads === plain ? plainMs : 0));
      await before(Promise.all(warmUp), START_DEADLINE_MS, () => new Error('the threads did not start'));
      for (const threads of this.#all) threads.snapshot = snapshot;
    } catch (cause) {
      // Not awaited, because a thread that hangs must not delay the refusal.
      void this.#closeFiles();
      throw cause instanceof AppError || hasNotStarted(cause)
        ? cause
        : unavailable('DATA_UNREADABLE', `no lookup thread: ${String(cause)}`, { cause });
    }
  }

  /**
   * Answers one lookup of a kind, within the deadline of the pool or what the caller has left of it.
   * @throws AppError: ADDRESS_NOT_FOUND, OUTSIDE_ONTARIO, DB_ERROR (deadline passed, thread lost, unreadable data).
   */
  async lookup(task: LookupTask, kind = kindOf(task), leftMs = this.#options.deadlineMs): Promise<LookupAnswer> {
    const deadline = process.hrtime.bigint() + BigInt(Math.ceil(leftMs * NS_PER_MS));
    const asked = this.#threads[kind].messages.ask({ task, deadline }, kind === 'costly');
    const tooLate = (): AppError => unavailable('TOO_LATE', `no answer in ${this.#options.deadlineMs} ms`);
    try {
      return unwrap(await before(this.#counted(asked, kind), leftMs, tooLate));
    } catch (cause) {
      if (cause instanceof AppError && cause.reason === 'DATA_UNREADABLE') this.onUnreadable();
      throw cause;
    }
  }

  /**
   * Answers rows of a batch as bytes, in one message to a thread for costly work and without a deadline. The caller sees to it that they take turns with
   * costly lookups. Rejects when the thread is lost. @throws HungThread; AppError DB_ERROR when the pool has no snapshot.
   */
  async lookupRows(lookups: readonly TimedLookup[]): Promise<readonly Outcome<LookupAnswer>[]> {
    const outcomes = await this.#counted(this.#threads.costly.send(lookups, true));
    if (outcomes.some((outcome) => !outcome.ok && outcome.extras?.['reason'] === 'DATA_UNREADABLE'))
      this.onUnreadable();
    return outcomes;
  }

  /** Waits for lookups under way, then closes the snapshot. The threads stay for the next one. */
  async release(): Promise<void> {
    await this.#settle();
    await this.#closeFiles();
  }

  /** Waits for lookups under way, then ends the threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#settle();
    await this.#end('close');
  }

  /** Counts what was asked for until its thread is free, which may be after the deadline: an abandoned lookup still keeps it. */
  async #counted<Answer>(asked: Promise<Answer>, kind: LoadKind | null = null): Promise<Answer> {
    this.#underWay++;
    if (kind) this.#pending[kind]++;
    try {
      return await asked;
    } finally {
      if (kind) this.#pending[kind]--;
      if (--this.#underWay === 0) for (const tell of this.#whenIdle.splice(0)) tell();
    }
  }

  /**
   * Waits until no lookup is under way. Piscina must close with an empty queue: from then on it replaces no thread, and
   * if one is lost while tasks wait, it searches for a thread in an endless loop on the main thread.
   */
  async #settle(): Promise<void> {
    while (this.#underWay > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Closes the files of all threads, so that a deleted snapshot frees its disk space. Never fails. */
  async #closeFiles(): Promise<void> {
    await Promise.all(this.#all.map((threads) => threads.closeFiles()));
  }

  async #end(how: 'close' | 'destroy'): Promise<void> {
    for (const threads of this.#all) await threads.end(how);
  }
}
