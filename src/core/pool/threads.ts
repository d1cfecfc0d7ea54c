import { Piscina } from 'piscina';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import {
  type LookupAnswer,
  type PoolSnapshot,
  type PreparedSnapshot,
  type ThreadTask,
  type TimedLookup,
  newProgress,
} from '../../messages/lookup.ts';
import { type Outcome, unwrap } from '../../messages/outcome.ts';
import { unavailable } from '../../messages/problems.ts';
import { type LookupWorkerData, threadLimits } from '../../messages/worker-data.ts';
import { ThreadWatch } from './hung-threads.ts';
import { LookupMessages } from './lookup-messages.ts';
import { loadLock, workerFile } from './run-worker.ts';

/** What all threads of a pool have in common. */
export interface ThreadsOptions {
  readonly catalogue: Catalogue;
  /** Longest time of a lookup; one that keeps its thread for ten of them hangs. */
  readonly deadlineMs: number;
  /** Names of features of which the threads are to open nothing; without it they have all. */
  readonly leftOut?: readonly string[];
  /** Called with faults that belong to no lookup, such as a thread that ended while idle. */
  readonly onFault?: (fault: Error) => void;
  /** Called when a thread is replaced because a lookup hangs in it. */
  readonly onHung?: () => void;
}

/** Threads of one kind, and the messages to them. */
export class Threads {
  /** Answers what is asked; null: nothing is answered. */
  snapshot: PoolSnapshot | null = null;
  readonly messages: LookupMessages;
  readonly #threads: Piscina<ThreadTask, Outcome<unknown>>;
  readonly #watch: ThreadWatch;

  constructor(
    kind: {
      readonly count: number;
      /** Messages that a thread holds. */
      readonly tasks: number;
      /** The operating system prefers other threads. */
      readonly isLow: boolean;
      /** The threads start with the first message. */
      readonly startsLate: boolean;
    },
    options: ThreadsOptions,
  ) {
    const { deadlineMs, onHung } = options;
    this.#threads = startThreads(kind, options);
    this.#watch = new ThreadWatch(deadlineMs, (threadId) => this.#replace(threadId) && onHung?.());
    this.messages = new LookupMessages(kind.count, this.send);
  }

  /** Threads that are there: all, and of those that start late what messages have started. */
  get started(): number {
    return Math.max(this.#threads.minThreads, this.#threads.threads.length);
  }

  /** Lets one thread read a snapshot, and check it if that is wanted. @throws AppError DB_ERROR. */
  prepare(snapshotDir: string, verify: boolean): Promise<PreparedSnapshot> {
    return this.#run({ kind: 'prepare', snapshotDir, verify });
  }

  /**
   * Opens a snapshot in every thread, and makes lookups in it for some time. The threads must be idle: Piscina chooses the least busy one, so
   * each gets one task. Nobody watches it: it holds the lock of all threads, and a thread with the lock must not be replaced.
   */
  async warmUp(snapshot: PoolSnapshot, forMs: number): Promise<void> {
    const lookups = [{ task: { kind: 'warm-up', forMs }, deadline: null }] as const;
    await this.#inEach(async () => {
      const message = { kind: 'lookups', snapshot, lookups, asBytes: false, progress: newProgress() } as const;
      unwrap((await this.#run<Outcome<unknown>[]>(message))[0]!);
    });
  }

  /**
   * Sends lookups in one message to a thread. Rejects when the thread is lost.
   * @throws HungThread when one of the lookups hung in it; AppError DB_ERROR without a snapshot.
   */
  readonly send = (lookups: readonly TimedLookup[], asBytes = false): Promise<readonly Outcome<LookupAnswer>[]> =>
    this.#watch.during((progress) => {
      const { snapshot } = this;
      if (!snapshot) throw unavailable('DATA_UNREADABLE', 'no snapshot is open');
      return this.#run({ kind: 'lookups', snapshot, lookups, asBytes, progress });
    });

  /** Closes the files of all threads. Never fails. */
  async closeFiles(): Promise<void> {
    this.snapshot = null;
    await this.#inEach(() => this.#run({ kind: 'close' }).catch(() => undefined));
  }

  /** Ends the threads: when they have done what they have, or at once. */
  end(how: 'close' | 'destroy'): Promise<void> {
    this.#watch[Symbol.dispose]();
    return this.#threads[how]();
  }

  /**
   * Replaces a thread; false when it has ended. Piscina itself replaces a single thread only by the `signal` of its task, and a task with a signal is alone
   * in its thread (docs/decisions/0006). An error of the thread does the same: its messages fail, another thread starts, and this one ends
   * when its native call does.
   */
  #replace(threadId: number): boolean {
    const thread = this.#threads.threads.find((one) => one.threadId === threadId);
    thread?.emit('error', new Error('a lookup hangs in the thread'));
    return thread !== undefined;
  }

  async #inEach(work: () => Promise<unknown>): Promise<void> {
    await Promise.all(Array.from({ length: this.started }, work));
  }

  async #run<Result>(task: ThreadTask): Promise<Result> {
    return unwrap((await this.#threads.run(task)) as Outcome<Result>);
  }
}

function startThreads(
  { count, tasks, isLow, startsLate }: ConstructorParameters<typeof Threads>[0],
  { catalogue: { answers, further, version }, leftOut = [], onFault }: ThreadsOptions,
): Piscina<ThreadTask, Outcome<unknown>> {
  const workerData: LookupWorkerData = { loadLock, answers, further, version, leftOut, isLow };
  const threads = new Piscina<ThreadTask, Outcome<unknown>>({
    filename: workerFile('lookup'),
    minThreads: startsLate ? 0 : count,
    maxThreads: count,
    // One that was started stays.
    idleTimeout: Infinity,
    concurrentTasksPerWorker: tasks,
    stricterFIFO: true,
    resourceLimits: threadLimits,
    workerData,
  });
  // Without a listener a lost idle thread would end the process.
  threads.on('error', (fault: Error) => onFault?.(fault));
  return threads;
}
