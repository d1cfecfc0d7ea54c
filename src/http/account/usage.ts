import { keysEver } from '../../accounts/own-keys.ts';
import type { FoundKey } from '../../accounts/key-store.ts';
import { badRequest } from '../../shared/problems.ts';
import { DAY_MS } from '../../shared/time.ts';
import { MOST_USAGE_DAYS, usageQuerySchema, type UsageBody, type UsageQuery } from '../../shared/wire/account.ts';
import { fromStore, type AccountContext } from './account-context.ts';
import { totalOf } from './describe-account.ts';
import { readQuery } from '../query.ts';
import { validatorOf } from '../validator.ts';

const DAY = 'one day, for example 2026-11-22';
const usageQuery = {
  isValid: validatorOf<UsageQuery>(usageQuerySchema),
  takes: { from: DAY, to: DAY, of: '"key" or "customer"' },
};

/** Whole days, both included, as `2026-11-22` (UTC). */
export interface Period {
  readonly from: string;
  readonly to: string;
}

export interface AskedUsage extends Period {
  readonly of: NonNullable<UsageQuery['of']>;
}

/** Reads the query of `GET /api/account/usage`. @throws AppError BAD_REQUEST that names the error. */
export function wantedUsage(query: object, today: string): AskedUsage {
  const asked = readQuery(query, usageQuery);
  const to = asked.to ?? today;
  const from = asked.from ?? `${to.slice(0, 7)}-01`;
  const [fromMs, toMs] = [dayMs('from', from), dayMs('to', to)];
  if (fromMs > toMs) throw badRequest(`"from" (${from}) must not be after "to" (${to})`, { param: 'from' });
  if (toMs - fromMs >= MOST_USAGE_DAYS * DAY_MS)
    throw badRequest(`"from" and "to" may be at most ${MOST_USAGE_DAYS} days apart`, { param: 'from' });
  return { from, to, of: asked.of ?? 'key' };
}

/** Returns the usage of a key, or of all keys of its customer. @throws AppError DB_ERROR when it cannot be read. */
export async function readUsage(
  { account }: AccountContext,
  own: FoundKey,
  { from, to, of }: AskedUsage,
): Promise<UsageBody> {
  const keys = of === 'customer' ? await fromStore(keysEver(account.keys, own)) : [own];
  const rows = await account.journal.do('usageByDay', {
    ...{ keyIds: keys.map(({ id }) => id), fromDay: from, toDay: to },
  });
  const counted = of === 'customer' ? rows.filter(({ customer }) => customer === own.customer) : rows;
  const byDay = groups(counted, ({ day }) => day);
  const days = daysOf({ from, to }).map((day) => ({ day, ...totalOf(byDay.get(day) ?? []) }));
  const byMonth = groups(days, ({ day }) => day.slice(0, 7));
  return {
    ...{ from, to, of, covers: account.isShared ? 'machine' : 'service', total: totalOf(counted), days },
    months: [...byMonth].map(([month, ofMonth]) => ({ month, ...totalOf(ofMonth) })),
  };
}

/** In the order in which they begin. */
function groups<T>(rows: readonly T[], nameOf: (row: T) => string): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const row of rows) {
    const group = found.get(nameOf(row));
    if (group) group.push(row);
    else found.set(nameOf(row), [row]);
  }
  return found;
}

/** One line for each day, with its month, so that a spreadsheet can add months up. */
export function usageCsv({ days }: UsageBody): string {
  const lines = days.map(({ day, lookups, batchRows }) => `${day.slice(0, 7)},${day},${lookups},${batchRows}\r\n`);
  return `month,day,lookups,batch_rows\r\n${lines.join('')}`;
}

function daysOf({ from, to }: Period): string[] {
  const fromMs = Date.parse(from);
  const count = (Date.parse(to) - fromMs) / DAY_MS + 1;
  return Array.from({ length: count }, (_, i) => new Date(fromMs + i * DAY_MS).toISOString().slice(0, 10));
}

/** @throws AppError BAD_REQUEST for a day that no calendar has. */
function dayMs(name: string, day: string): number {
  const ms = Date.parse(`${day}T00:00:00Z`);
  if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)) return ms;
  throw badRequest(`the query parameter "${name}" is no day: write for example 2026-11-22`, { param: name });
}
