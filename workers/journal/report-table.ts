import type { Database, Statement } from 'better-sqlite3';
import type { ProcessorReport, TakenReport } from '../../src/messages/meter-events.ts';
import type { UsageTable } from './usage-table.ts';

/** Reports that are remembered; the processor repeats one for three days at most. */
const REMEMBERED = 10_000;

/** Reports of the payment processor, each taken once. */
export class ReportTable {
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
