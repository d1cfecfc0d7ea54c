import { costOf, flatPrice, unitCostOf } from '../../core/billing/lookup-price.ts';
import { budgetOf } from '../../core/limits/budget.ts';
import type { FoundKey, KeyRecord } from '../../core/keys/key-store.ts';
import { isKeyInForce, secretsInForce } from '../../core/keys/keys.ts';
import { keysEver, MOST_KEYS } from './own-keys.ts';
import { partKey } from '../../core/parts/parts.ts';
import type { DayRow } from '../../messages/journal.ts';
import type { AccountBody } from '../../messages/wire/account.ts';
import { DAY_MS, monthOf } from '../../messages/time.ts';
import type { Services } from '../../core/http/services.ts';
import { fromStore } from '../../core/http/key.ts';

/** What else the holder of a key sees: each feature has members of its own. */
export const accountPart = partKey<{ readonly membersFor: (key: FoundKey) => Promise<object> }>('account');

/**
 * Returns what the holder of a key may see.
 * @param secretMadeAt when the secret was made that the request came with.
 * @param from address of the client.
 * @throws AppError DB_ERROR when keys or usage cannot be read.
 */
export async function describeAccount(
  services: Services,
  asked: { readonly own: FoundKey; readonly secretMadeAt: string | null; readonly from: string },
): Promise<AccountBody> {
  const { keys, lookups, config, parts } = services;
  const { own } = asked;
  const now = new Date();
  const ever = await fromStore(keysEver(keys, own));
  const others = ever.filter((key) => key.id !== own.id && isKeyInForce(key));
  const [used, hour, ofFeatures, month] = await Promise.all([
    fromStore(keys.lastUsed([own, ...others].map(({ id }) => id))),
    lookups.quotaOf(own),
    parts.of(accountPart).membersFor(own),
    readMonth(services, ever.filter(wasAliveIn(monthOf(now.getTime()))), monthOf(now.getTime())),
  ]);
  const lastUsedAt = ({ id }: KeyRecord): string | null => used.get(id) ?? null;
  return {
    ...describeKey(own),
    lastUsedAt: lastUsedAt(own),
    askedFrom: asked.from,
    isBilled: own.customer !== null,
    isSuspended: own.isSuspended,
    secrets: secretsInForce(own).map(({ createdAt, expiresAt }) => {
      return { createdAt, endsAt: expiresAt, isThis: createdAt === asked.secretMadeAt };
    }),
    limits: {
      perHour: hour.limit,
      perSecond: own.limits.burstPerS,
      atOnce: own.limits.inFlight ?? config.maxInFlightPerKey,
      batchRowsPerDay: own.limits.batchRowsPerDay,
      budgetPerMonth: own.limits.budgetPerMonth,
    },
    networks: own.limits.networks,
    hour: { left: hour.remaining, renewedInS: hour.resetS },
    batchRowsToday: 0,
    ...ofFeatures,
    month: describeMonth(own, month, now),
    cost: await describeCost(services, own, month),
    keys: others.map((key) => ({ ...describeKey(key), lastUsedAt: lastUsedAt(key) })),
    mostKeys: MOST_KEYS,
  };
}

function describeKey({ id, name, createdAt, expiresAt }: KeyRecord) {
  return { id, name, createdAt, expiresAt };
}

/** Leaves out keys that ended before a month: a customer may have revoked many. One day is for requests that were under way. */
function wasAliveIn(month: string): (key: KeyRecord) => boolean {
  const from = new Date(Date.parse(`${month}-01`) - DAY_MS).toISOString();
  return ({ revokedAt, expiresAt }) => (revokedAt ?? from) >= from && (expiresAt ?? from) >= from;
}

/** A month of all keys of a customer. */
interface Month {
  readonly month: string;
  /** As this machine counted. */
  readonly days: readonly DayRow[];
  /** Lookups on other machines, by key id; null: not known. */
  readonly elsewhere: ReadonlyMap<string, number | null>;
}

async function readMonth({ journal, budget }: Services, keys: readonly KeyRecord[], month: string): Promise<Month> {
  const keyIds = keys.map(({ id }) => id);
  const [days, ...counts] = await Promise.all([
    journal.do('usageByDay', { keyIds, fromDay: `${month}-01`, toDay: `${month}-31` }),
    ...keyIds.map(async (id) => [id, await budget.elsewhere(id, month)] as const),
  ]);
  return { month, days, elsewhere: new Map(counts) };
}

function describeMonth(own: FoundKey, { month, days, elsewhere: byKey }: Month, now: Date): AccountBody['month'] {
  const { lookups, batchRows } = totalOf(days.filter(({ keyId }) => keyId === own.id));
  const elsewhere = byKey.get(own.id) ?? null;
  const used = lookups + batchRows + (elsewhere ?? 0);
  const budget = budgetOf(own.limits);
  return {
    month,
    lookups,
    batchRows,
    elsewhere,
    used,
    budgetPerMonth: budget,
    ownBudgetPerMonth: own.limits.ownBudgetPerMonth,
    left: budget === null || elsewhere === null ? null : Math.max(0, budget - used),
    renewedAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString(),
  };
}

/** Null: the key is not billed. Lookups that a key made before it belonged to the customer are on nobody's bill. */
async function describeCost(
  { billing }: Services,
  { customer }: FoundKey,
  { days, elsewhere }: Month,
): Promise<AccountBody['cost']> {
  if (customer === null) return null;
  const here = totalOf(days.filter((row) => row.customer === customer));
  const counts = [...elsewhere.values()];
  const lookups = here.lookups + here.batchRows + counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const price = flatPrice((await billing?.price?.read()) ?? null);
  return {
    lookups,
    amount: price && costOf(price, lookups),
    currency: price && price.currency,
    perLookup: price && unitCostOf(price),
    isComplete: !counts.includes(null),
  };
}

/** Adds days up. */
export function totalOf(rows: readonly Pick<DayRow, 'lookups' | 'batchRows'>[]) {
  return {
    lookups: rows.reduce((sum, row) => sum + row.lookups, 0),
    batchRows: rows.reduce((sum, row) => sum + row.batchRows, 0),
  };
}
