import { setImmediate as nextTurn } from 'node:timers/promises';
import { Journal, type JournalThread, type JournalThreads } from '../../../src/core/usage/journal.ts';
import { readJournal } from '../../../workers/journal/reports.ts';
import { JournalWriter } from '../../../workers/journal/writer.ts';

/**
 * A journal whose operations run in the thread of the test: for tests to which its threads make no difference but a fifth of a second of the
 * processor. Not for those that lose a thread, hold the file themselves while it writes, or replace the clock of their own thread.
 */
export function openJournalHere(dataDir: string): Promise<Journal> {
  return Journal.open({ dataDir }, here);
}

const here: JournalThreads = {
  writer: (file) => {
    const writer = new JournalWriter(file);
    return asThread(
      (tasks) => writer.run(tasks),
      () => {
        writer[Symbol.dispose]();
      },
    );
  },
  reader: (file) => asThread((task) => readJournal(file, task)),
};

/** Takes and gives copies, as messages between threads are, and never within the turn of the event loop in which it was asked. */
function asThread<Task, Result>(
  work: (task: Task) => Result,
  end = (): void => undefined,
): JournalThread<Task, Result> {
  const underWay = new Set<Promise<Result>>();
  const answer = async (message: Task): Promise<Result> => {
    await nextTurn();
    return structuredClone(work(message));
  };
  return {
    run: async (task) => {
      const answering = answer(structuredClone(task));
      underWay.add(answering);
      try {
        return await answering;
      } finally {
        underWay.delete(answering);
      }
    },
    close: async () => {
      await Promise.allSettled(underWay);
      end();
    },
  };
}
