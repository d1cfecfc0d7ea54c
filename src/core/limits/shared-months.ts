import { Loop } from '../loop/loop.ts';
import type { RedisClient } from '../stores/redis.ts';
import { redisScript } from '../stores/redis-script.ts';
import { DAY_MS } from '../../messages/time.ts';

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

export interface SharedMonthsOptions {
  readonly redis: RedisClient;
  /** Name of this machine's journal. */
  readonly journalId: string;
}

/** Lookups of a key in a month, as a machine's journal counts them. */
export interface MonthCount {
  /** `2026-11`, UTC. */
  readonly month: string;
  readonly lookups: number;
}

/** The counts of months, shared by the machines in Redis. Each writes its own, in whole numbers, so that a lost write is made up for by the next. */
export class SharedMonths implements AsyncDisposable {
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
