import { budgetOf, type Budget } from '../../core/limits/budget.ts';
import type { KeyRecord } from '../../core/keys/key-store.ts';
import type { Journal } from '../../core/usage/journal.ts';
import { ROWS_PER_RECORD, type RecordedRows } from '../../messages/journal.ts';
import type { AppError } from '../../messages/problems.ts';
import type { BatchJob } from './job.ts';

/** Who pays for rows. */
export interface Payer {
  readonly job: Pick<BatchJob, 'customer'>;
  readonly key: Pick<KeyRecord, 'id' | 'limits'>;
}

/** Writes rows with 200 to the usage journal, each once, and holds them against the monthly budget of their key. */
export class RowBilling {
  readonly #options;

  constructor(options: {
    readonly journal: Pick<Journal, 'do'>;
    readonly budget: Pick<Budget, 'ownShareOf' | 'note' | 'beyond'>;
  }) {
    this.#options = options;
  }

  /** Returns those of the lookups that the budget of the month has no room for; those that are recorded already have it. */
  async beyondBudget(payer: Payer, ids: readonly string[]): Promise<ReadonlySet<string>> {
    // A key without a budget costs nothing.
    if (budgetOf(payer.key.limits) === null) return new Set();
    return new Set(await this.#options.journal.do('rowsBeyond', await this.#rowsOf(payer, ids)));
  }

  /** The failure of a row that the budget has no room for. */
  refusal({ key }: Payer): AppError {
    return this.#options.budget.beyond(key);
  }

  /**
   * Records lookups, in steps that hold up no other commit. Repeating it records nothing twice. False: the budget had no room for all of them any
   * more; those it had room for are recorded.
   * @throws AppError DB_ERROR when the journal cannot be written.
   */
  async bill(payer: Payer, ids: readonly string[]): Promise<boolean> {
    const { journal, budget } = this.#options;
    let refused = 0;
    for (let from = 0; from < ids.length; from += ROWS_PER_RECORD) {
      const use = await journal.do('recordRows', await this.#rowsOf(payer, ids.slice(from, from + ROWS_PER_RECORD)));
      await budget.note(payer.key, use);
      refused += use.refused.length;
    }
    return refused === 0;
  }

  async #rowsOf({ job, key }: Payer, ids: readonly string[]): Promise<RecordedRows> {
    return { keyId: key.id, customer: job.customer, ids, mostOfMonth: await this.#options.budget.ownShareOf(key) };
  }
}
