/** Piscina's entry for the usage journal: operations in, their results out, all in one transaction that is on the disk. */
import { workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { JournalOperation, JournalOperations, JournalTask } from '../src/contract/journal.ts';
import { fail, type Outcome } from '../src/outcome.ts';
import { AnswerTable } from './usage/answer-table.ts';
import { openJournal, takeLead } from './usage/open.ts';
import { backlog, deliveredByDay, reasons, report } from './usage/reports.ts';
import { UsageTable } from './usage/usage-table.ts';

const { file } = workerData as { readonly file: string };

type Operations = {
  readonly [Name in JournalOperation]: (input: JournalOperations[Name][0]) => JournalOperations[Name][1];
};

type RunBatch = (tasks: readonly JournalTask[]) => unknown[];

let runBatch: RunBatch | undefined;

export default function journal(tasks: readonly JournalTask[]): Outcome<unknown[]> {
  try {
    // Here and not while loading: a file that cannot be opened is an outcome like any other, and may be there the next time.
    runBatch ??= open();
    return { ok: true, value: runBatch(tasks) };
  } catch (cause) {
    const isStorage = cause instanceof Database.SqliteError || (cause as NodeJS.ErrnoException).code !== undefined;
    return fail(isStorage ? 'DB_ERROR' : 'INTERNAL', `usage journal: ${cause instanceof Error ? cause.message : ''}`);
  }
}

function open(): RunBatch {
  const db = openJournal(file);
  const operations = operationsOn(db);
  const transaction = db.transaction((tasks: readonly JournalTask[]) =>
    tasks.map(({ name, input }) => operations[name](input as never)),
  );
  // Immediate: waits for other processes at the begin, where waiting is safe.
  return (tasks) => transaction.immediate(tasks);
}

function operationsOn(db: Database.Database): Operations {
  const usage = new UsageTable(db);
  const answers = new AnswerTable(db);
  let lead: Database.Database | null = null;
  return {
    open: () => null,
    record: ({ usage: record, answered }) => {
      usage.record(record);
      if (answered) answers.store(answered);
      return null;
    },
    claim: (request) => answers.claim(request),
    storeAnswer: (answered) => {
      answers.store(answered);
      return null;
    },
    abandon: (request) => {
      answers.abandon(request);
      return null;
    },
    lead: () => (lead ??= takeLead(file)) !== null,
    takePending: (input) => usage.takePending(input),
    settle: (settlements) => {
      usage.settle(settlements, Date.now());
      return null;
    },
    resend: ({ states }) => usage.resend(states),
    backlog: () => backlog(db),
    report: (filter) => report(db, filter),
    reasons: (filter) => reasons(db, filter),
    deliveredByDay: (filter) => deliveredByDay(db, filter),
    prune: ({ usageBeforeMs, answersBeforeMs }) => {
      answers.prune(answersBeforeMs);
      const pruned = usage.prune(usageBeforeMs);
      db.pragma('incremental_vacuum(2000)');
      return pruned;
    },
  };
}
