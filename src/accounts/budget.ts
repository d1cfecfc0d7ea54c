import { LRUCache } from 'lru-cache';
import type { MonthUse } from '../shared/contract/journal.ts';
import { AppError } from '../shared/problems.ts';
import type { KeyRecord } from './key-store.ts';
import type { RedisClient } from './redis.ts';
import { DAY_MS } from '../shared/time.ts';

/** Keys whose use of the month is remembered. */
const MOST_KEYS = 20_000;

const KEPT_IN_REDIS_MS = 40 * DAY_MS;

interface Known extends Omit<MonthUse, 'isRecorded'> {
  /** Lookups of other machines. */
  readonly elsewhere: number;
}

export interface BudgetOptions {
  /** Name of this machine's journal. */
  readonly journalId: string;
  /** Shares the use among machines. While it does not answer, each of them knows what it last heard of the others. */
  readonly redis: RedisClient | null;
}

/**
 * Monthly budgets of keys, in lookups answered with 200. The journal counts them and has the last word: `record` refuses a lookup
 * beyond the budget (docs/decisions/0105). This class only remembers, so that a key without budget costs nothing.
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #known = new LRUCache<string, Known>({ max: MOST_KEYS });

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** Returns why a key may make no lookup; null when it may, as far as this process knows. */
  refusalOf(key: Pick<KeyRecord, 'id' | 'limits'>): AppError | null {
    const { budgetPerMonth } = key.limits;
    const known = this.#known.get(key.id);
    if (budgetPerMonth === null || known?.month !== monthOf(new Date())) return null;
    return known.lookups + known.elsewhere >= budgetPerMonth ? refusal(budgetPerMonth) : null;
  }

  /** Returns how many lookups this machine may record for a key in this month; null: any number. Never fails. */
  async ownShareOf(key: Pick<KeyRecord, 'id' | 'limits'>): Promise<number | null> {
    const { budgetPerMonth } = key.limits;
    if (budgetPerMonth === null) return null;
    const month = monthOf(new Date());
    const known = this.#known.get(key.id);
    const last = known?.month === month ? known : { month, lookups: 0, elsewhere: 0 };
    const elsewhere = (await this.#readElsewhere(key.id, month)) ?? last.elsewhere;
    this.#known.set(key.id, { ...last, elsewhere });
    return Math.max(0, budgetPerMonth - elsewhere);
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
    return refusal(limits.budgetPerMonth ?? 0);
  }

  /** Remembers what the journal says of a key's month, and shares it with other machines. Never fails. */
  async note(key: Pick<KeyRecord, 'id' | 'limits'>, { month, lookups }: Omit<MonthUse, 'isRecorded'>): Promise<void> {
    if (key.limits.budgetPerMonth === null) return;
    this.#known.set(key.id, { month, lookups, elsewhere: this.#known.get(key.id)?.elsewhere ?? 0 });
    const { redis, journalId } = this.#options;
    const name = nameOf(key.id, month);
    // Whole numbers and not steps, so that a write that is lost is made up for by the next one.
    await redis
      ?.multi()
      .hset(name, journalId, lookups)
      .pexpire(name, KEPT_IN_REDIS_MS)
      .exec()
      .catch(() => null);
  }

  /** Lookups of other machines; null: Redis does not answer, or there is none. */
  async #readElsewhere(keyId: string, month: string): Promise<number | null> {
    const { redis, journalId } = this.#options;
    const byJournal = await redis?.hgetall(nameOf(keyId, month)).catch(() => null);
    if (!byJournal) return null;
    return Object.entries(byJournal).reduce((sum, [id, lookups]) => sum + (id === journalId ? 0 : Number(lookups)), 0);
  }
}

function nameOf(keyId: string, month: string): string {
  return `land-lookup:month:${keyId}:${month}`;
}

function refusal(budget: number): AppError {
  const now = new Date();
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
  const detail = `this key has used its budget of ${budget} lookups for ${monthOf(now)} (UTC): the operator can raise it`;
  const retryAfterS = Math.ceil((next.getTime() - now.getTime()) / 1000);
  return new AppError('RATE_LIMITED', detail, { headers: { 'Retry-After': String(retryAfterS) } });
}

/** `2026-11`, UTC. */
function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}
