import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { LookupAnswer, LookupTask, PoolSnapshot, TimedLookup } from '../../messages/lookup.ts';
import { unwrap, type Outcome } from '../../messages/outcome.ts';
import { AppError, unavailable } from '../../messages/problems.ts';
import { before } from './before.ts';
import { kindOf, type ByKind } from './costly.ts';
import { LostThread } from './lost-thread.ts';
import { ThreadGroup } from './thread-group.ts';

export interface LookupPoolOptions {
  /** Threads for plain lookups. With 0 the pool answers rows of batches alone, in one thread. */
  readonly threads: number;
  readonly deadlineMs: number;
  /**
   * Refuse a snapshot whose file differs from the published one. A server checks this; a single lookup does not wait
   * for the check.
   */
  readonly verify?: boolean;
  /** A command has no people whom costly lookups would delay, and its first lookup need not be as fast as the next: no threads and no time for that. */
  readonly isCommand?: boolean;
  /** The threads for costly work start with the first of it, and no thread warms up: for tests, which start many services and ask little of each. */
  readonly startsLate?: boolean;
  readonly catalogue: Catalogue;
  /** Names of features of which the threads are to open nothing; without it they have all. */
  readonly leftOut?: readonly string[];
  /** Called with faults that belong to no lookup, such as a thread that ended while idle. */
  readonly onFault?: (fault: Error) => void;
  /** Called when a thread is replaced because a lookup hangs in it. */
  readonly onHung?: () => void;
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

/** Numbers of threads for plain and for costly lookups, and of lookups under way or waiting, without rows of batches. */
export interface PoolStatus {
  readonly threads: number;
  readonly costlyThreads: number;
  readonly pending: ByKind<number>;
}

/**
 * Worker threads that answer lookups from one snapshot. Fixed size: a recycled thread would load GDAL and open every table
 * again, unless a lookup hangs in it. The deadline is its own, because Piscina's `signal` kills threads. It takes every lookup: `Admission`
 * refuses for load.
 */
export class LookupPool implements AsyncDisposable {
  readonly #options: LookupPoolOptions;
  readonly #plain: ThreadGroup;
  /**
   * For costly lookups and for rows of batches: a thread cannot leave a message in the middle, and those behind it would wait. The operating
   * system prefers the other threads (docs/decisions/0123).
   */
  readonly #costly: ThreadGroup;
  /** Under way or waiting. */
  readonly #pending: ByKind<Set<Promise<unknown>>> = { plain: new Set(), costly: new Set() };
  /** Messages with rows of batches that are under way. */
  readonly #rows = new Set<Promise<unknown>>();
  readonly #status: PoolStatus;
  #snapshot: PoolSnapshot | null = null;
  #openings = 0;

  private constructor(options: LookupPoolOptions) {
    this.#options = options;
    const snapshot = (): PoolSnapshot => this.#snapshot!;
    const { threads: count, startsLate = false } = options;
    const costly = { count: costlyThreadsOf(options), tasks: 1, isLow: true };
    this.#plain = new ThreadGroup({
      ...options,
      snapshot,
      count,
      tasks: LOOKUPS_PER_THREAD,
      isLow: false,
      startsLate: false,
    });
    // Without threads for plain lookups it is the group that opens the snapshot.
    this.#costly = new ThreadGroup({ ...options, ...costly, snapshot, startsLate: startsLate && count > 0 });
    this.#status = statusOf(options, this.#pending);
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
      for (const group of [pool.#plain, pool.#costly]) await group.destroy();
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
      const prepared = await this.#groups[0]!.prepare(snapshotDir, verify);
      const snapshot = { ...prepared, opening: ++this.#openings };
      // A thread that starts later opens the snapshot with its first lookup.
      const warmUp = this.#groups.map((group) => group.warmUp(snapshot, this.#warmUpMs(group)));
      await before(Promise.all(warmUp), START_DEADLINE_MS, () => new Error('the threads did not start'));
      this.#snapshot = snapshot;
    } catch (cause) {
      // Not awaited, because a thread that hangs must not delay the refusal.
      void this.#closeFiles();
      throw cause instanceof AppError
        ? cause
        : unavailable('DATA_UNREADABLE', `no lookup thread: ${String(cause)}`, { cause });
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
    const kind = kindOf(task);
    const group = kind === 'costly' && this.#costly.count > 0 ? this.#costly : this.#plain;
    const pending = this.#pending[kind];
    const asked = group.ask({ task, deadline }).then(
      (outcome) => {
        pending.delete(asked);
        return outcome;
      },
      (cause: unknown) => {
        pending.delete(asked);
        throw cause instanceof AppError ? cause : new LostThread(cause);
      },
    );
    pending.add(asked);
    const outcome = await before(asked, leftMs, () =>
      unavailable('TOO_LATE', `no answer in ${this.#options.deadlineMs} ms`),
    );
    return unwrap(outcome);
  }

  /**
   * Answers rows of a batch as bytes, in one message to a thread for costly work and without a deadline. The caller sees to it that they take turns with
   * costly lookups. Rejects when the thread is lost. @throws HungThread; AppError DB_ERROR when the pool has no snapshot.
   */
  async lookupRows(lookups: readonly TimedLookup[]): Promise<readonly Outcome<LookupAnswer>[]> {
    const snapshot = this.#snapshot;
    if (!snapshot) throw unavailable('DATA_UNREADABLE', 'no snapshot is open');
    const asked = this.#costly.send({ snapshot, lookups, asBytes: true }).finally(() => this.#rows.delete(asked));
    this.#rows.add(asked);
    return asked;
  }

  /** Always the same object, because each lookup asks several times. */
  status(): PoolStatus {
    return this.#status;
  }

  /** Waits for lookups under way, then closes the snapshot. The threads stay for the next one. */
  async release(): Promise<void> {
    await this.#settle();
    await this.#closeFiles();
  }

  /** Waits for lookups under way, then ends the threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#settle();
    for (const group of [this.#plain, this.#costly]) await group.close();
  }

  /**
   * Waits until no lookup is under way. Piscina must close with an empty queue: from then on it replaces no thread, and
   * if one is lost while tasks wait, it searches for a thread in an endless loop on the main thread.
   */
  async #settle(): Promise<void> {
    const underWay = (): Promise<unknown>[] => [...this.#pending.plain, ...this.#pending.costly, ...this.#rows];
    while (underWay().length > 0) await Promise.allSettled(underWay());
  }

  /** Closes the files of all threads, so that a deleted snapshot frees its disk space. Never fails. */
  async #closeFiles(): Promise<void> {
    this.#snapshot = null;
    await Promise.all(this.#groups.map((group) => group.closeFiles()));
  }

  /** Costly lookups take far longer than what the first ones lose: their threads need not delay the start. */
  #warmUpMs(group: ThreadGroup): number {
    const { isCommand = false, startsLate = false } = this.#options;
    return group === this.#plain && !isCommand && !startsLate ? WARM_UP_MS : 0;
  }

  /** Those that have started threads. */
  get #groups(): readonly ThreadGroup[] {
    return [this.#plain, this.#costly].filter(({ started }) => started > 0);
  }
}

/** One for every four threads of a service, and at least one. */
function costlyThreadsOf({ threads, isCommand = false }: LookupPoolOptions): number {
  return isCommand ? 0 : Math.max(1, Math.ceil(threads / 4));
}

function statusOf(options: LookupPoolOptions, { plain, costly }: ByKind<ReadonlySet<unknown>>): PoolStatus {
  const pending = {
    get plain() {
      return plain.size;
    },
    get costly() {
      return costly.size;
    },
  };
  return { threads: options.threads, costlyThreads: costlyThreadsOf(options), pending };
}
