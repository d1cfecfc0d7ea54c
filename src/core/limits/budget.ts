import { LRUCache } from 'lru-cache';
import type { MonthUse } from '../../messages/journal.ts';
import { rateLimited, type AppError } from '../../messages/problems.ts';
import type { KeyLimits, KeyRecord } from '../keys/key-store.ts';
import type { RedisClient } from '../stores/redis.ts';
import { SharedMonths, type MonthCount } from './shared-months.ts';
import { monthOf } from '../../messages/time.ts';
import { mostEntries } from '../stores/most-entries.ts';

/** Keys whose use of the month is remembered. */
const MOST_KEYS = 20_000;

interface Known extends MonthCount {
  /** Lookups of other machines. */
  readonly elsewhere: number;
}

export interface BudgetOptions {
  /** Name of this machine's journal. */
  readonly journalId: string;
  /** Shares the use among machines. While it does not answer, each of them knows what it last heard of the others. */
  readonly redis: RedisClient | null;
}

/** Returns the lookups that a key may make in a month: the operator's budget or the key's own, whichever is smaller; null: any number. */
export function budgetOf({
  budgetPerMonth,
  ownBudgetPerMonth,
}: Pick<KeyLimits, 'budgetPerMonth' | 'ownBudgetPerMonth'>): number | null {
  if (budgetPerMonth === null || ownBudgetPerMonth === null) return budgetPerMonth ?? ownBudgetPerMonth;
  return Math.min(budgetPerMonth, ownBudgetPerMonth);
}

/**
 * Monthly budgets of keys, in lookups answered with 200. The journal counts them and enforces them: `record` refuses a lookup
 * beyond the budget (docs/decisions/0021). This class only remembers, so that a key without budget costs nothing.
 */
export class Budget implements AsyncDisposable {
  readonly #shared: SharedMonths | null;
  readonly #known = new LRUCache<string, Known>(mostEntries(MOST_KEYS));

  constructor({ journalId, redis }: BudgetOptions) {
    this.#shared = redis && new SharedMonths({ journalId, redis });
  }

  /** Returns why a key may make no lookup; null when it may, as far as this process knows. */
  refusalOf(key: Pick<KeyRecord, 'id' | 'limits'>): AppError | null {
    const budget = budgetOf(key.limits);
    const known = this.#known.get(key.id);
    if (budget === null || known?.month !== monthOf(Date.now())) return null;
    return known.lookups + known.elsewhere >= budget ? refusal(key.limits) : null;
  }

  /** Returns how many lookups this machine may record for a key in this month; null: any number. Never fails. */
  async ownShareOf(key: Pick<KeyRecord, 'id' | 'limits'>): Promise<number | null> {
    const budget = budgetOf(key.limits);
    if (budget === null) return null;
    const month = monthOf(Date.now());
    const known = this.#known.get(key.id);
    const last = known?.month === month ? known : { month, lookups: 0, elsewhere: 0 };
    const elsewhere = (await this.#shared?.elsewhere(key.id, month)) ?? last.elsewhere;
    this.#known.set(key.id, { ...last, elsewhere });
    return Math.max(0, budget - elsewhere);
  }

  /**
   * Takes what the journal says after it recorded a lookup, or refused to.
   * @throws AppError RATE_LIMITED when it was refused.
   */
  async take(key: Pick<KeyRecord, 'id' | 'limits'>, use: MonthUse): Promise<void> {
    await this.note(key, use);
    if (!use.isRecorded) throw this.beyond(key);
  }

  /** The failure of a lookup beyond the budget of a key that has one. */
  beyond({ limits }: Pick<KeyRecord, 'limits'>): AppError {
    return refusal(limits);
  }

  /**
   * Remembers what the journal says of a key's month, and shares it with other machines: at once when the key has a budget, else soon, for a
   * budget that it may get. Never fails.
   */
  async note(key: Pick<KeyRecord, 'id' | 'limits'>, { month, lookups }: MonthCount): Promise<void> {
    if (budgetOf(key.limits) === null) {
      this.#shared?.writeLater(key.id, { month, lookups });
      return;
    }
    const known = this.#known.get(key.id);
    // What others used of the last month would refuse the key for all of this one: nothing that is refused asks for it again.
    this.#known.set(key.id, { month, lookups, elsewhere: known?.month === month ? known.elsewhere : 0 });
    await this.#shared?.write(key.id, { month, lookups });
  }

  /** Returns the lookups that other machines shared of a key's month; 0 where there are none; null when they cannot be known now. */
  elsewhere(keyId: string, month: string): Promise<number | null> {
    return this.#shared ? this.#shared.elsewhere(keyId, month) : Promise.resolve(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shared?.[Symbol.asyncDispose]();
  }
}

function refusal(limits: KeyLimits): AppError {
  const budget = budgetOf(limits) ?? 0;
  const now = new Date();
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
  const remedy =
    budget === limits.budgetPerMonth ? 'the operator can raise it' : 'you set it, and PATCH /api/account raises it';
  const detail = `this key has used its budget of ${budget} lookups for ${monthOf(now.getTime())} (UTC): ${remedy}`;
  const retryAfterS = Math.ceil((next.getTime() - now.getTime()) / 1000);
  return rateLimited('PER_MONTH', detail, { retryAfterS });
}
