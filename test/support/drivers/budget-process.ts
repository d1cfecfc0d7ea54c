/**
 * A process that answers lookups of keys with budgets, with a real journal and the Redis of others, and nothing where the pool is. On each
 * message it asks until every key is refused, and sends how many lookups of each key it answered.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Budget } from '../../../src/core/limits/budget.ts';
import { Idempotency } from '../../../src/core/lookup/idempotency.ts';
import { NO_LIMITS, type KeyRecord } from '../../../src/core/keys/key-store.ts';
import { MeteredLookup } from '../../../src/core/lookup/metered-lookup.ts';
import { Quotas } from '../../../src/core/limits/quota.ts';
import { connectRedis, whenReady } from '../../../src/core/stores/redis.ts';
import { Journal } from '../../../src/core/usage/journal.ts';
import { AppError } from '../../../src/messages/problems.ts';
import { PATIENT_DEADLINE_MS, PATIENT_REDIS } from './patience.ts';

export interface BudgetProcessOptions {
  readonly dataDir: string;
  readonly redisUrl: string;
  readonly keys: number;
  readonly budget: number;
  /** Lookups of each key that are under way at once. */
  readonly atOnce: number;
}

const { dataDir, redisUrl, keys, budget, atOnce } = JSON.parse(process.argv[2]!) as BudgetProcessOptions;
const redis = connectRedis(redisUrl, () => undefined, PATIENT_REDIS.redisTimeoutMs);
await whenReady(redis, PATIENT_REDIS.redisTimeoutMs);
const journal = await Journal.open({ dataDir });
const lookups = new MeteredLookup({
  pool: {
    lookup: async () => {
      await sleep(Math.random() * 10);
      return { json: '{}', geocodeMs: 1, layersMs: 1 };
    },
  },
  quotas: new Quotas({ redis }),
  ...{ journal, budget: new Budget({ journalId: journal.id, redis }), idempotency: new Idempotency(journal, null) },
  ...{ limitPerHour: 1_000_000, lookupDeadlineMs: PATIENT_DEADLINE_MS },
});

process.on('message', () => {
  void Promise.all(Array.from({ length: keys }, (_, i) => answerUntilRefused(keyOf(i)))).then((answered) =>
    process.send!(answered),
  );
});
process.send!('ready');

function keyOf(index: number): KeyRecord {
  return {
    ...{ id: `key_${index}`, name: 'test', limitPerHour: null, customer: null },
    // Half of them have the operator's budget, half their own.
    limits: { ...NO_LIMITS, ...(index % 2 ? { budgetPerMonth: budget } : { ownBudgetPerMonth: budget }) },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', expiresAt: null, revokedAt: null, secrets: [] },
  };
}

async function answerUntilRefused(key: KeyRecord): Promise<number> {
  let answered = 0;
  const ask = async (): Promise<void> => {
    while (await isAnswered(key)) answered++;
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
  return answered;
}

/** @throws what is no refusal of the budget. */
async function isAnswered(key: KeyRecord): Promise<boolean> {
  const task = { kind: 'address', address: '1 Main St', full: false } as const;
  try {
    const caller = { keyId: key.id, kind: 'plain', isGone: () => false } as const;
    await lookups.answer({ key, task, caller, idempotencyKey: null, onQuota: () => undefined });
    return true;
  } catch (cause) {
    if (AppError.from(cause).code === 'RATE_LIMITED') return false;
    throw cause;
  }
}
