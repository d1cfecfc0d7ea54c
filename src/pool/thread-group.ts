import { Piscina } from 'piscina';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type {
  LookupAnswer,
  PoolSnapshot,
  PreparedSnapshot,
  ThreadTask,
  TimedLookup,
} from '../shared/contract/lookup.ts';
import type { LookupWorkerData } from '../shared/contract/worker-data.ts';
import { unwrap, type Outcome } from '../shared/outcome.ts';
import { threadLimits } from '../shared/thread-limits.ts';
import { loadLock } from './load-lock.ts';
import { LOOKUPS_PER_MESSAGE, LookupMessages } from './lookup-messages.ts';
import { workerFile } from './run-worker.ts';

export interface ThreadGroupOptions {
  readonly catalogue: Catalogue;
  readonly count: number;
  /** Messages that a thread holds. */
  readonly tasks: number;
  /** The operating system prefers other threads. */
  readonly isLow: boolean;
  /** The snapshot that answers what is asked. */
  readonly snapshot: () => PoolSnapshot;
  /** Called with faults that belong to no lookup, such as a thread that ended while idle. */
  readonly onFault?: (fault: Error) => void;
}

type Threads = Piscina<ThreadTask, Outcome<unknown>>;
type LookupsMessage = Omit<ThreadTask & { readonly kind: 'lookups' }, 'kind'>;

/** Threads of one kind, and the messages to them. */
export class ThreadGroup {
  readonly count: number;
  readonly #threads: Threads;
  readonly #messages: LookupMessages;

  constructor(options: ThreadGroupOptions) {
    const { count, snapshot } = options;
    this.count = count;
    this.#threads = startThreads(options);
    this.#messages = new LookupMessages({
      ...{ threads: count, atOnce: LOOKUPS_PER_MESSAGE },
      send: (lookups) => this.send({ snapshot: snapshot(), lookups, asBytes: false }),
    });
  }

  /** Lets one thread read a snapshot, and check it if that is wanted. @throws AppError DB_ERROR. */
  async prepare(snapshotDir: string, verify: boolean): Promise<PreparedSnapshot> {
    return unwrap(await this.#run<PreparedSnapshot>({ kind: 'prepare', snapshotDir, verify }));
  }

  /**
   * Opens a snapshot in every thread, and makes lookups in it for some time. The group must be idle: Piscina chooses the least busy thread, so
   * each thread gets one task.
   */
  async warmUp(snapshot: PoolSnapshot, forMs: number): Promise<void> {
    const lookups = [{ task: { kind: 'warm-up', forMs }, deadline: null }] as const;
    await this.#inEach(async () => unwrap((await this.send({ snapshot, lookups, asBytes: false }))[0]!));
  }

  /** Answers one lookup, in a message with others that are asked for at the same time. */
  ask(lookup: TimedLookup): Promise<Outcome<LookupAnswer>> {
    return this.#messages.ask(lookup);
  }

  /** Sends lookups in one message to a thread. Rejects when the thread is lost. */
  async send(message: LookupsMessage): Promise<readonly Outcome<LookupAnswer>[]> {
    return unwrap(await this.#run<readonly Outcome<LookupAnswer>[]>({ kind: 'lookups', ...message }));
  }

  /** Closes the files of all threads. Never fails. */
  async closeFiles(): Promise<void> {
    await this.#inEach(() => this.#run({ kind: 'close' }).catch(() => undefined));
  }

  /** Ends the threads when they have done what they have. */
  close(): Promise<void> {
    return this.#threads.close();
  }

  /** Ends the threads at once. */
  destroy(): Promise<void> {
    return this.#threads.destroy();
  }

  async #inEach(work: () => Promise<unknown>): Promise<void> {
    await Promise.all(Array.from({ length: this.count }, work));
  }

  #run<Result>(task: ThreadTask): Promise<Outcome<Result>> {
    return this.#threads.run(task) as Promise<Outcome<Result>>;
  }
}

function startThreads({ catalogue, count, tasks, isLow, onFault }: ThreadGroupOptions): Threads {
  const workerData: LookupWorkerData = { loadLock, answers: catalogue.answers, isLow };
  const threads: Threads = new Piscina({
    filename: workerFile('lookup'),
    minThreads: count,
    // Piscina wants one that may start.
    maxThreads: Math.max(count, 1),
    concurrentTasksPerWorker: tasks,
    stricterFIFO: true,
    resourceLimits: threadLimits,
    workerData,
  });
  // Without a listener a lost idle thread would end the process.
  threads.on('error', (fault: Error) => onFault?.(fault));
  return threads;
}
