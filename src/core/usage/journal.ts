import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../settings/config.ts';
import {
  type JournalOperation,
  type JournalOperations,
  type JournalTask,
  type JournalReadTask,
  type JournalRead,
  type JournalReads,
} from '../../messages/journal.ts';
import { unwrap, type Outcome } from '../../messages/outcome.ts';
import { makePrivateDatabase } from '../files/make-folder.ts';
import { AppError, unavailable } from '../../messages/problems.ts';
import type { UnavailableReason } from '../../messages/reasons.ts';
import { workerFile } from '../pool/run-worker.ts';
import { threadLimits } from '../../messages/worker-data.ts';
import { Piscina } from 'piscina';

/** Most operations that may wait. A request has one at a time, so this is more than the lookup pool admits. */
const MAX_WAITING = 20_000;

/** Most operations in one transaction, which should last milliseconds. */
const MAX_BATCH = 500;

/**
 * Time from the start of one commit to the start of the next. Under load several operations share a commit, which costs
 * the same processor time for one as for ten (docs/decisions/0022). The first commit after a pause does not wait.
 */
const COMMIT_INTERVAL_MS = 5;

/** What the thread that only reads does. */
const READS: Readonly<Record<JournalRead, true>> = {
  backlog: true,
  reconciliation: true,
  report: true,
  reasons: true,
  rejectedCustomers: true,
  deliveredByDay: true,
  usageByDay: true,
  usageOfHolder: true,
  keptRequests: true,
};

/**
 * The usage journal of this machine: SQLite in a thread of its own, because a commit waits for the disk. While one
 * commit is under way, the operations of other requests wait and share the next commit (docs/decisions/0022). What only
 * reads has another thread.
 */
export class Journal implements AsyncDisposable {
  readonly #thread: JournalThread<readonly JournalTask[], Outcome<unknown[]>>;
  readonly #reader: JournalReader;
  readonly #waiting: {
    readonly task: JournalTask;
    readonly resolve: (result: unknown) => void;
    readonly reject: (cause: Error) => void;
  }[] = [];
  #id = '';
  #writing: Promise<void> | null = null;
  #commitBeganMs = -Infinity;

  private constructor(file: string, threads: typeof journalThreads) {
    this.#reader = new JournalReader(file, threads);
    this.#thread = threads.writer(file);
  }

  /** @throws AppError DB_ERROR when the file cannot be opened. */
  static async open({ dataDir }: Pick<Config, 'dataDir'>, threads = journalThreads): Promise<Journal> {
    return Journal.openFile(join(dataDir, 'usage.sqlite'), threads);
  }

  /** Does the same as `open` for a journal in another place. */
  static async openFile(file: string, threads = journalThreads): Promise<Journal> {
    const journal = new Journal(file, threads);
    try {
      makePrivate(file);
      journal.#id = (await journal.do('open', null)).journalId;
      return journal;
    } catch (cause) {
      await journal[Symbol.asyncDispose]();
      throw cause;
    }
  }

  /**
   * Runs one operation. When it resolves, its effect is on the disk.
   * @throws AppError DB_ERROR when the journal cannot be written, and then it has no effect, or cannot be read.
   */
  do<Name extends JournalOperation>(
    name: Name,
    input: JournalOperations[Name][0],
  ): Promise<JournalOperations[Name][1]> {
    if (name in READS) return this.#reader.read(name as JournalRead, input as never);
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(unavailable('OVERLOADED', 'too many operations wait'));
    return new Promise((resolve, reject) => {
      const task = { name, input } as JournalTask;
      this.#waiting.push({ task, resolve: resolve as (result: unknown) => void, reject });
      this.#writing ??= this.#write();
    });
  }

  /** Names this machine's journal, and stays with the file. */
  get id(): string {
    return this.#id;
  }

  /** Operations that are not on the disk yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const restMs = this.#commitBeganMs + COMMIT_INTERVAL_MS - performance.now();
      if (restMs > 0) await sleep(restMs);
      this.#commitBeganMs = performance.now();
      const batch = this.#waiting.splice(0, MAX_BATCH);
      try {
        const results = unwrap(await this.#thread.run(batch.map(({ task }) => task)));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index]);
      } catch (cause) {
        for (const { reject } of batch) reject(failureOf(cause));
      }
    }
    this.#writing = null;
  }

  /** Waits for operations under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    await this.#thread.close();
    await this.#reader[Symbol.asyncDispose]();
  }
}

/** A thread that was lost, or what its outcome says. */
function failureOf(cause: unknown): AppError {
  if (!(cause instanceof AppError)) return cannotBeWritten('INTERRUPTED', cause);
  return cause.code === 'DB_ERROR' ? cannotBeWritten(cause.reason as UnavailableReason, cause) : cause;
}

function cannotBeWritten(reason: UnavailableReason, cause: unknown): AppError {
  return unavailable(reason, 'the usage journal cannot be written', { cause });
}

/** It has answers that may be repeated. */
function makePrivate(file: string): void {
  try {
    makePrivateDatabase(file);
  } catch {
    // The thread cannot open it either, and says why.
  }
}

/** Does the tasks of one journal, one after the other. */
export interface JournalThread<Task, Result> {
  /** @throws Error when it is lost meanwhile. */
  run(task: Task): Promise<Result>;
  /** Waits for tasks under way. */
  close(): Promise<void>;
}

/** Time without work after which the thread that reads ends. */
const IDLE_MS = 60_000;

/** A thread for each: the one that reads starts when it is needed. */
const journalThreads: {
  readonly writer: (file: string) => JournalThread<readonly JournalTask[], Outcome<unknown[]>>;
  readonly reader: (file: string) => JournalThread<JournalReadTask, Outcome<unknown>>;
} = {
  writer: (file) => {
    const options = { filename: workerFile('journal'), minThreads: 1, maxThreads: 1, resourceLimits: threadLimits };
    return watched(new Piscina({ ...options, workerData: { file } }));
  },
  reader: (file) => {
    const options = { filename: workerFile('journal-reader'), minThreads: 0, maxThreads: 1, idleTimeout: IDLE_MS };
    return watched(new Piscina({ ...options, workerData: { file } }));
  },
};

/** Without a listener a lost idle thread would end the process; the next operation starts another. */
function watched<Task, Result>(thread: Piscina<Task, Result>): Piscina<Task, Result> {
  return thread.on('error', () => undefined);
}

/**
 * Reads a usage journal in a thread of its own, on a read-only connection: a report over millions of lookups holds up no
 * commit. It sees what was committed before the operation began.
 */
export class JournalReader implements AsyncDisposable {
  readonly #thread: JournalThread<JournalReadTask, Outcome<unknown>>;

  constructor(file: string, { reader } = journalThreads) {
    this.#thread = reader(file);
  }

  /** @throws AppError DB_ERROR when there is no such file, or it cannot be read. */
  async read<Name extends JournalRead>(name: Name, input: JournalReads[Name][0]): Promise<JournalReads[Name][1]> {
    return unwrap(await this.#thread.run({ name, input } as JournalReadTask)) as JournalReads[Name][1];
  }

  /** Waits for operations under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.close();
  }
}
