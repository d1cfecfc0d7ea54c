import type { Database, Statement } from 'better-sqlite3';
import { type JournalTask, type JournalWrite, type JournalWrites, ANSWER_KEPT_MS } from '../../src/messages/journal.ts';
import { type Outcome, fail, failFor } from '../../src/messages/outcome.ts';
import { StoreFault } from '../../src/messages/stores.ts';
import { AnswerTable, forgetRequests } from './answer-table.ts';
import { DayTable, MonthTable } from './day-table.ts';
import { makeAnswerTable, openJournal, takeLead } from './open.ts';
import { noteReconciliation } from './reports.ts';
import { UsageTable } from './usage-table.ts';
import { WallClock } from './wall-clock.ts';
import { messageOf } from '../../src/words.ts';
import type { ProcessorReport, TakenReport } from '../../src/messages/meter-events.ts';

type Operations = {
  readonly [Name in JournalWrite]: (input: JournalWrites[Name][0]) => JournalWrites[Name][1];
};

/**
 * Errors after which the connection may be useless. A connection that was opened on a read-only disk stays read-only,
 * and a disk that was mounted again has other files under the same names. The next batch opens the file again
 * (docs/decisions/0061).
 */
const NEEDS_REOPENING = /^SQLITE_(?:IOERR|READONLY|CANTOPEN|CORRUPT)/;

/** The connection of a journal that writes. */
export class JournalWriter implements Disposable {
  readonly #file: string;
  #opened: { readonly runBatch: (tasks: readonly JournalTask[]) => unknown[]; readonly close: () => void } | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Runs a list of operations in one transaction, and returns their results when it is on the disk. Never throws. */
  run(tasks: readonly JournalTask[]): Outcome<unknown[]> {
    try {
      // Opened here and not while loading, because a file that cannot be opened is an outcome like any other and may
      // exist the next time.
      this.#opened ??= open(this.#file);
      return { ok: true, value: this.#opened.runBatch(tasks) };
    } catch (cause) {
      const { code } = cause as { readonly code?: string };
      if (code !== undefined && NEEDS_REOPENING.test(code)) this[Symbol.dispose]();
      const reason = messageOf(cause);
      if (code === undefined) return fail('INTERNAL', `usage journal: ${reason}`);
      return failFor(
        code === 'SQLITE_FULL' ? 'STORAGE_FULL' : 'STORAGE_UNREACHABLE',
        cause instanceof StoreFault ? reason : `usage journal: ${reason} (${code})`,
      );
    }
  }

  /** Closes the file; the next list of operations opens it again. */
  [Symbol.dispose](): void {
    this.#opened?.close();
    this.#opened = undefined;
  }
}

function open(file: string): {
  readonly runBatch: (tasks: readonly JournalTask[]) => unknown[];
  readonly close: () => void;
} {
  // The process made it at its start.
  const db = openJournal(file, { mustExist: true });
  let lead: Database | null = null;
  const clock = new WallClock(db);
  const operations = operationsOn(db, clock, () => (lead ??= takeLead(file)) !== null);
  const transaction = db.transaction((tasks: readonly JournalTask[]) => {
    clock.check();
    return tasks.map(({ name, input }) => operations[name](input as never));
  });
  // Immediate, so that it waits for other processes at its start, where waiting is safe.
  return {
    runBatch: (tasks) => transaction.immediate(tasks),
    close: () => {
      lead?.close();
      db.close();
    },
  };
}

function operationsOn(db: Database, clock: WallClock, leads: () => boolean): Operations {
  const months = new MonthTable(db);
  const days = new DayTable(db);
  const usage = new UsageTable(db, clock, { months, days });
  const answers = new AnswerTable(db, clock);
  const processorReports = new ReportTable(db, usage);
  return {
    open: () => ({ journalId: months.journalId }),
    probe: () => {
      usage.probe();
      return { isClockTrusted: clock.isTrusted, aheadMs: clock.aheadMs };
    },
    record: ({ usage: record, answered, mostOfMonth = null }) => {
      const use = usage.record(record, mostOfMonth);
      if (answered && use.isRecorded) answers.store(answered);
      return use;
    },
    recordRows: (rows) => usage.recordRows(rows),
    rowsBeyond: (rows) => usage.rowsBeyond(rows),
    claim: (request) => answers.claim(request),
    storeAnswer: (answered) => {
      answers.store(answered);
      return null;
    },
    abandon: (attempted) => {
      answers.abandon(attempted);
      return null;
    },
    lead: leads,
    takePending: (input) => usage.takePending(input),
    settle: (settlements) => {
      usage.settle(settlements, clock.nowMs);
      return null;
    },
    takeReport: (input) => processorReports.take(input, clock.nowMs),
    resend: ({ states }) => (clock.isTrusted ? usage.resend(states, clock.nowMs) : null),
    doubtPending: ({ reason }) => usage.doubtPending(reason, clock.nowMs),
    noteReconciliation: (last) => {
      noteReconciliation(db, last);
      return null;
    },
    forgetRequests: ({ keyIds }) =>
      forgetRequests(db, keyIds, () => {
        makeAnswerTable(db);
      }),
    trustClock: () => {
      clock.trust();
      return null;
    },
    prune: (input) => {
      if (!clock.isTrusted) return null;
      const pruned = {
        lookups: usage.prune('usageBeforeMs' in input ? input.usageBeforeMs : clock.nowMs - input.usageKeptMs),
        answers: answers.prune(clock.nowMs - ANSWER_KEPT_MS),
      };
      months.prune(clock.nowMs);
      days.prune(clock.nowMs);
      db.pragma('incremental_vacuum(2000)');
      return pruned;
    },
  };
}

/** Reports that are remembered; the processor repeats one for three days at most. */
const REMEMBERED = 10_000;

/** Reports of the payment processor, each taken once. */
class ReportTable {
  readonly #usage: Pick<UsageTable, 'settle' | 'has'>;
  readonly #remember: Statement<[string]>;
  readonly #forget: Statement<[number | bigint]>;

  constructor(db: Database, usage: Pick<UsageTable, 'settle' | 'has'>) {
    this.#usage = usage;
    this.#remember = db.prepare('INSERT INTO report (id) VALUES (?) ON CONFLICT (id) DO NOTHING');
    this.#forget = db.prepare(`DELETE FROM report WHERE seq <= ? - ${REMEMBERED}`);
  }

  take({ eventId, settlements }: ProcessorReport, nowMs: number): TakenReport {
    const { changes, lastInsertRowid } = this.#remember.run(eventId);
    if (changes === 0) return { isNew: false, unmatched: [] };
    this.#forget.run(lastInsertRowid);
    this.#usage.settle(settlements, nowMs);
    return { isNew: true, unmatched: settlements.map(({ id }) => id).filter((id) => !this.#usage.has(id)) };
  }
}
