import { lookupLimit } from '../../../src/core/limits/limit-words.ts';
import { Idempotency } from '../../../src/core/lookup/idempotency.ts';
import { Budget } from '../../../src/core/limits/budget.ts';
import { NO_LIMITS, type KeyRecord } from '../../../src/core/keys/key-store.ts';
import { MeteredLookup, type MeteringContext } from '../../../src/core/lookup/metered-lookup.ts';
import { Quotas } from '../../../src/core/limits/quota.ts';
import type { RedisClient } from '../../../src/core/stores/redis.ts';
import type { Journal } from '../../../src/core/usage/journal.ts';
import type { LookupAnswer, LookupDetail } from '../../../src/messages/lookup.ts';
import { AppError } from '../../../src/messages/problems.ts';
import { temporaryFolder } from './folder.ts';
import { okAnswer } from './front-end.ts';
import { openJournalHere } from './journal-here.ts';
import { PATIENT_DEADLINE_MS } from './patience.ts';

const ALL = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

/** Lookups of the key in an hour. */
export const LIMIT = 100;

export const key: KeyRecord = {
  ...{ id: 'key_a', name: 'test', limitPerHour: LIMIT, customer: 'cus_a', createdAt: '2026-01-01T00:00:00.000Z' },
  ...{ limits: NO_LIMITS, expiresAt: null, revokedAt: null, secrets: [] },
};

type Folder = ReturnType<typeof temporaryFolder>;

/** The metering of one machine, with a function where the pool is. */
export class MeteredMachine implements AsyncDisposable {
  readonly lookups: MeteredLookup;
  readonly journal: Journal;
  readonly quotas: Quotas;
  readonly idempotency: Idempotency;
  readonly #folder: Folder;
  readonly #redis: RedisClient | null;
  calls = 0;
  /** Time for which a request waits for another attempt at it. */
  deadlineMs = PATIENT_DEADLINE_MS;
  /** Time after which it takes another attempt for lost; null: as the service does. */
  attemptMs: number | null = null;
  answer: () => Promise<LookupAnswer> = () => Promise.resolve({ ...okAnswer, json: `{"call":${this.calls}}` });
  /** Called between a lookup and its record. */
  beforeRecord: () => Promise<void> = () => Promise.resolve();
  /** Called when a lookup is recorded, before anybody hears of it. */
  afterRecord: () => Promise<void> = () => Promise.resolve();

  private constructor(folder: Folder, journal: Journal, redis: RedisClient | null) {
    this.#folder = folder;
    this.#redis = redis;
    this.journal = journal;
    this.quotas = new Quotas(redis ? { redis } : {});
    this.idempotency = new Idempotency(journal, redis);
    const claim = this.idempotency.claim.bind(this.idempotency);
    this.idempotency.claim = (attempted, options) =>
      claim(attempted, { ...options, attemptMs: this.attemptMs ?? options.attemptMs });
    const pool = {
      lookup: () => {
        this.calls++;
        return this.answer();
      },
    };
    const { quotas, idempotency } = this;
    const budget = new Budget({ journalId: journal.id, redis });
    const records: MeteringContext['journal'] = {
      do: async (operation, input) => {
        await this.beforeRecord();
        const use = await journal.do(operation, input);
        await this.afterRecord();
        return use;
      },
    };
    const deadlineMs = (): number => this.deadlineMs;
    this.lookups = new MeteredLookup({
      ...{ pool, quotas, budget, journal: records, idempotency, limitPerHour: LIMIT },
      get lookupDeadlineMs() {
        return deadlineMs();
      },
    });
  }

  /** @param openJournal opens its journal; that of the service has a thread, which has a clock of its own. */
  static async start(redis: RedisClient | null = null, openJournal = openJournalHere): Promise<MeteredMachine> {
    const folder = temporaryFolder();
    return new MeteredMachine(folder, await openJournal(folder.path), redis);
  }

  /** Starts another process of the machine, which has the same journal. */
  async startProcess(): Promise<MeteredMachine> {
    const { path } = this.#folder;
    const folder = { path, [Symbol.dispose]: () => undefined };
    return new MeteredMachine(folder, await openJournalHere(path), this.#redis);
  }

  /** Body and id of the answer; the id is null when it is one of before. */
  async ask(idempotencyKey: string | null, address = 'a', detail: LookupDetail = { full: false }, by = key) {
    const task = { kind: 'address', address, ...detail } as const;
    const { json, fresh } = await this.lookups.answer({
      key: by,
      task,
      idempotencyKey,
      caller: { keyId: by.id, kind: 'plain', isGone: () => false },
      onQuota: () => undefined,
    });
    return { json, lookupId: fresh?.lookupId ?? null };
  }

  async refusal(...request: Parameters<MeteredMachine['ask']>): Promise<AppError> {
    const cause: unknown = await this.ask(...request).catch((reason: unknown) => reason);
    if (cause instanceof AppError) return cause;
    throw new Error('was not refused');
  }

  async billed(): Promise<number> {
    return (await this.journal.do('report', ALL)).reduce((sum, { lookups }) => sum + lookups, 0);
  }

  /** Identifiers under which the lookups are billed. */
  async billedIds(): Promise<string[]> {
    const events = await this.journal.do('takePending', { after: '', customers: 9, perCustomer: 9 });
    return events.map(({ id }) => id);
  }

  async spent(): Promise<number> {
    return LIMIT - (await this.quotas.of(lookupLimit).peek(key.id, LIMIT)).remaining;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.journal[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}
