import { LRUCache } from 'lru-cache';
import type { MonthUse } from '../../messages/journal.ts';
import { type AppError, rateLimited } from '../../messages/problems.ts';
import type { KeyLimits, KeyRecord } from '../keys/key-store.ts';
import type { RedisClient } from '../stores/redis.ts';
import { monthOf, DAY_MS } from '../../messages/time.ts';
import { mostEntries } from '../stores/most-entries.ts';
import { Loop } from '../loop/loop.ts';
import { quotaHeaders } from './limit-words.ts';
import { redisScript } from '../stores/redis-script.ts';

/** Keys whose use of the month is remembered. */
const MOST_KEYS = 20_000;

interface Known extends MonthCount {
  /** Lookups of other machines. */
  readonly elsewhere: number;
}

interface BudgetOptions {
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
  const monthMs = (months: number): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months);
  const remedy =
    budget === limits.budgetPerMonth ? 'the operator can raise it' : 'you set it, and PATCH /api/account raises it';
  const detail = `this key has used its budget of ${budget} lookups for ${monthOf(now.getTime())} (UTC): ${remedy}`;
  const retryAfterS = Math.ceil((monthMs(1) - now.getTime()) / 1000);
  const state = { limit: budget, windowS: (monthMs(1) - monthMs(0)) / 1000, remaining: 0, resetS: retryAfterS };
  return rateLimited('PER_MONTH', detail, { retryAfterS, headers: quotaHeaders(state, 'month') });
}

const KEPT_MS = 40 * DAY_MS;

/** Counts that no limit waits for are shared within this time. */
const INTERVAL_MS = 5000;

/** Writes in one turn. */
const AT_ONCE = 500;

/** Stores a machine's count of a key in a month unless a higher one is there: the processes of a machine share their counts in any order. */
const SHARE = redisScript(
  ['counts'],
  { journalId: 'text', lookups: 'number', keptMs: 'number' },
  `
local before = tonumber(redis.call('hget', counts, journalId) or '-1')
if lookups > before then redis.call('hset', counts, journalId, lookups) end
redis.call('pexpire', counts, keptMs)
return 1`,
);

interface SharedMonthsOptions {
  readonly redis: RedisClient;
  /** Name of this machine's journal. */
  readonly journalId: string;
}

/** Lookups of a key in a month, as a machine's journal counts them. */
interface MonthCount {
  /** `2026-11`, UTC. */
  readonly month: string;
  readonly lookups: number;
}

/** The counts of months, shared by the machines in Redis. Each writes its own, in whole numbers, so that a lost write is made up for by the next. */
class SharedMonths implements AsyncDisposable {
  readonly #options: SharedMonthsOptions;
  readonly #loop: Loop;
  #later = new Map<string, MonthCount>();

  constructor(options: SharedMonthsOptions) {
    this.#options = options;
    this.#loop = new Loop({ everyMs: INTERVAL_MS, turn: () => this.#writeLater() });
  }

  /** Shares a count now. Never fails. */
  async write(keyId: string, { month, lookups }: MonthCount): Promise<void> {
    const { redis, journalId } = this.#options;
    const values = { journalId, lookups, keptMs: KEPT_MS };
    await SHARE.run(redis, { counts: nameOf(keyId, month) }, values).catch(() => null);
  }

  /** Shares a count within a few seconds, so that a lookup need not wait. */
  writeLater(keyId: string, count: MonthCount): void {
    this.#later.set(keyId, count);
  }

  /** Returns the lookups of other machines; null when Redis does not answer. */
  async elsewhere(keyId: string, month: string): Promise<number | null> {
    const { redis, journalId } = this.#options;
    const byJournal = await redis.hgetall(nameOf(keyId, month)).catch(() => null);
    if (!byJournal) return null;
    return Object.entries(byJournal).reduce((sum, [id, lookups]) => sum + (id === journalId ? 0 : Number(lookups)), 0);
  }

  async #writeLater(): Promise<void> {
    const counts = [...this.#later];
    this.#later = new Map();
    for (let i = 0; i < counts.length; i += AT_ONCE) {
      await Promise.all(counts.slice(i, i + AT_ONCE).map(([keyId, count]) => this.write(keyId, count)));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.finish();
  }
}

function nameOf(keyId: string, month: string): string {
  return `land-lookup:month:${keyId}:${month}`;
}
