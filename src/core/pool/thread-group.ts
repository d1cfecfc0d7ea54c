import { Piscina } from 'piscina';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { LookupAnswer, PoolSnapshot, PreparedSnapshot, ThreadTask, TimedLookup } from '../../messages/lookup.ts';
import type { LookupWorkerData } from '../../messages/worker-data.ts';
import { unwrap, type Outcome } from '../../messages/outcome.ts';
import { threadLimits } from '../../messages/thread-limits.ts';
import { loadLock } from './load-lock.ts';
import { newProgress } from '../../messages/message-progress.ts';
import { LOOKUPS_PER_MESSAGE, LookupMessages } from './lookup-messages.ts';
import { workerFile } from './run-worker.ts';
import { ThreadWatch } from './thread-watch.ts';

export interface ThreadGroupOptions {
  readonly catalogue: Catalogue;
  readonly count: number;
  /** As in `LookupPoolOptions`. */
  readonly leftOut?: readonly string[];
  /** Messages that a thread holds. */
  readonly tasks: number;
  /** The operating system prefers other threads. */
  readonly isLow: boolean;
  /** The threads start with the first message. */
  readonly startsLate: boolean;
  /** Longest time of a lookup; one that keeps its thread for ten of them hangs. */
  readonly deadlineMs: number;
  /** The snapshot that answers what is asked. */
  readonly snapshot: () => PoolSnapshot;
  /** Called with faults that belong to no lookup, such as a thread that ended while idle. */
  readonly onFault?: (fault: Error) => void;
  /** Called when a thread is replaced because a lookup hangs in it. */
  readonly onHung?: () => void;
}

type Threads = Piscina<ThreadTask, Outcome<unknown>>;
type LookupsMessage = Omit<ThreadTask & { readonly kind: 'lookups' }, 'kind' | 'progress'>;

/** Threads of one kind, and the messages to them. */
export class ThreadGroup {
  readonly count: number;
  readonly #threads: Threads;
  readonly #messages: LookupMessages;
  readonly #watch: ThreadWatch;

  constructor(options: ThreadGroupOptions) {
    const { count, snapshot, deadlineMs, onHung } = options;
    this.count = count;
    this.#threads = startThreads(options);
    this.#watch = new ThreadWatch({ deadlineMs, onHung: (threadId) => this.#replace(threadId) && onHung?.() });
    this.#messages = new LookupMessages({
      ...{ threads: count, atOnce: LOOKUPS_PER_MESSAGE },
      send: (lookups) => this.send({ snapshot: snapshot(), lookups, asBytes: false }),
    });
  }

  /** Threads that are there: all, and of a group that starts late those that messages have started. */
  get started(): number {
    return Math.max(this.#threads.minThreads, this.#threads.threads.length);
  }

  /** Lets one thread read a snapshot, and check it if that is wanted. @throws AppError DB_ERROR. */
  async prepare(snapshotDir: string, verify: boolean): Promise<PreparedSnapshot> {
    return unwrap(await this.#run<PreparedSnapshot>({ kind: 'prepare', snapshotDir, verify }));
  }

  /**
   * Opens a snapshot in every thread, and makes lookups in it for some time. The group must be idle: Piscina chooses the least busy thread, so
   * each thread gets one task. Nobody watches it: it holds the lock of all threads, and a thread with the lock must not be replaced.
   */
  async warmUp(snapshot: PoolSnapshot, forMs: number): Promise<void> {
    const lookups = [{ task: { kind: 'warm-up', forMs }, deadline: null }] as const;
    await this.#inEach(async () => {
      const message = { snapshot, lookups, asBytes: false, progress: newProgress() };
      unwrap((await this.#send(message))[0]!);
    });
  }

  /** Answers one lookup, in a message with others that are asked for at the same time. */
  ask(lookup: TimedLookup): Promise<Outcome<LookupAnswer>> {
    return this.#messages.ask(lookup);
  }

  /** Sends lookups in one message to a thread. Rejects when the thread is lost. @throws HungThread when one of the lookups hung in it. */
  send(message: LookupsMessage): Promise<readonly Outcome<LookupAnswer>[]> {
    return this.#watch.during((progress) => this.#send({ ...message, progress }));
  }

  /** Closes the files of all threads. Never fails. */
  async closeFiles(): Promise<void> {
    await this.#inEach(() => this.#run({ kind: 'close' }).catch(() => undefined));
  }

  /** Ends the threads when they have done what they have. */
  close(): Promise<void> {
    this.#watch[Symbol.dispose]();
    return this.#threads.close();
  }

  /** Ends the threads at once. */
  destroy(): Promise<void> {
    this.#watch[Symbol.dispose]();
    return this.#threads.destroy();
  }

  async #send(
    message: Omit<ThreadTask & { readonly kind: 'lookups' }, 'kind'>,
  ): Promise<readonly Outcome<LookupAnswer>[]> {
    return unwrap(await this.#run<readonly Outcome<LookupAnswer>[]>({ kind: 'lookups', ...message }));
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

  #run<Result>(task: ThreadTask): Promise<Outcome<Result>> {
    return this.#threads.run(task) as Promise<Outcome<Result>>;
  }
}

function startThreads({
  catalogue,
  count,
  leftOut = [],
  tasks,
  isLow,
  startsLate,
  onFault,
}: ThreadGroupOptions): Threads {
  const { answers, further, version } = catalogue;
  const workerData: LookupWorkerData = { loadLock, answers, further, version, leftOut, isLow };
  const threads: Threads = new Piscina({
    filename: workerFile('lookup'),
    minThreads: startsLate ? 0 : count,
    // Piscina wants one that may start.
    maxThreads: Math.max(count, 1),
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
