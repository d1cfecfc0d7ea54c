import { Piscina } from 'piscina';
import { workerFile } from '../pool/run-worker.ts';
import type { JournalReadTask, JournalTask } from '../../messages/journal.ts';
import type { Outcome } from '../../messages/outcome.ts';
import { threadLimits } from '../../messages/worker-data.ts';

/** Does the tasks of one journal, one after the other. */
export interface JournalThread<Task, Result> {
  /** @throws Error when it is lost meanwhile. */
  run(task: Task): Promise<Result>;
  /** Waits for tasks under way. */
  close(): Promise<void>;
}

/** What runs the operations of a journal: threads, because a commit waits for the disk. Tests that need no thread give another. */
export interface JournalThreads {
  readonly writer: (file: string) => JournalThread<readonly JournalTask[], Outcome<unknown[]>>;
  readonly reader: (file: string) => JournalThread<JournalReadTask, Outcome<unknown>>;
}

/** Time without work after which the thread that reads ends. */
const IDLE_MS = 60_000;

/** A thread for each: the one that reads starts when it is needed. */
export const journalThreads: JournalThreads = {
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
