import { keysEver } from './own-keys.ts';
import type { FoundKey } from '../../core/keys/key-store.ts';
import { badRequest } from '../../messages/problems.ts';
import { DAY_MS, dayOf, isDay } from '../../messages/time.ts';
import { MOST_USAGE_DAYS, usageQuerySchema, usageSchema, type UsageBody, type UsageQuery } from './wire.ts';
import { FREE, own, ownKey, spendRequest } from './own.ts';
import { totalOf } from './account.ts';
import { acceptedType } from '../../core/http/accepted-type.ts';
import { answered, inJson } from '../../core/openapi/responses.ts';
import { fromStore } from '../../core/http/key.ts';
import { queryRules } from '../../core/http/query.ts';
import { route } from '../../core/http/route.ts';
import { sendJson } from '../../core/http/send-answer.ts';
import type { Services } from '../../core/http/services.ts';

const DAY = 'one day, for example 2026-11-22';

const example = {
  from: '2026-11-21',
  to: '2026-11-22',
  of: 'key',
  covers: 'service',
  total: { lookups: 120, batchRows: 2500 },
  days: [
    { day: '2026-11-21', lookups: 48, batchRows: 0 },
    { day: '2026-11-22', lookups: 72, batchRows: 2500 },
  ],
  months: [{ month: '2026-11', lookups: 120, batchRows: 2500 }],
} as const satisfies UsageBody;

export const showUsage = route<UsageQuery>({
  method: 'get',
  path: '/api/account/usage',
  key: own,
  query: queryRules(usageQuerySchema, { takes: { from: DAY, to: DAY, of: '"key" or "customer"' } }),
  docs: {
    operationId: 'usageByDay',
    tag: 'account',
    summary: 'Lookups and rows of batches by day and month',
    description: `As JSON, or as CSV for a client whose \`Accept\` prefers it. At most 400 days, and the last 400 days only. ${FREE}`,
    schemas: { AccountUsage: usageSchema },
    answers: {
      200: answered('The usage.', {
        ...inJson('AccountUsage', example),
        'text/csv': {
          schema: { type: 'string' },
          example: usageCsv(example),
        },
      }),
    },
  },
  async handle({ services, req, res, query }) {
    const wanted = wantedUsage(query, dayOf(Date.now()));
    await spendRequest(services, res);
    const found = await readUsage(services, ownKey(res), wanted);
    res.vary('Accept');
    if (acceptedType(req, ['application/json', 'text/csv']) !== 'text/csv') {
      sendJson(res, JSON.stringify(found));
      return;
    }
    res.setHeader('Content-Type', 'text/csv; charset=utf-8; header=present');
    res.setHeader('Content-Disposition', `attachment; filename="usage-${found.from}-${found.to}.csv"`);
    res.end(usageCsv(found));
  },
});

/** Returns whole days, both included, as `2026-11-22` (UTC). @throws AppError BAD_REQUEST that names the error. */
function wantedUsage(asked: UsageQuery, today: string): Required<UsageQuery> {
  const to = asked.to ?? today;
  const from = asked.from ?? `${to.slice(0, 7)}-01`;
  const [fromMs, toMs] = [dayMs('from', from), dayMs('to', to)];
  if (fromMs > toMs) throw badRequest(`"from" (${from}) must not be after "to" (${to})`, { param: 'from' });
  if (toMs - fromMs >= MOST_USAGE_DAYS * DAY_MS)
    throw badRequest(`"from" and "to" may be at most ${MOST_USAGE_DAYS} days apart`, { param: 'from' });
  return { from, to, of: asked.of ?? 'key' };
}

/** Returns the usage of a key, or of all keys of its customer. @throws AppError DB_ERROR when it cannot be read. */
async function readUsage(
  { keys: store, journal, redis }: Services,
  key: FoundKey,
  { from, to, of }: Required<UsageQuery>,
): Promise<UsageBody> {
  const keys = of === 'customer' ? await fromStore(keysEver(store, key)) : [key];
  const rows = await journal.do('usageByDay', { keyIds: keys.map(({ id }) => id), fromDay: from, toDay: to });
  const counted = of === 'customer' ? rows.filter(({ customer }) => customer === key.customer) : rows;
  const byDay = groups(counted, ({ day }) => day);
  const days = daysOf(from, to).map((day) => ({ day, ...totalOf(byDay.get(day) ?? []) }));
  const byMonth = groups(days, ({ day }) => day.slice(0, 7));
  return {
    from,
    to,
    of,
    covers: redis ? 'machine' : 'service',
    total: totalOf(counted),
    days,
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
function usageCsv({ days }: UsageBody): string {
  const lines = days.map(({ day, lookups, batchRows }) => `${day.slice(0, 7)},${day},${lookups},${batchRows}\r\n`);
  return `month,day,lookups,batch_rows\r\n${lines.join('')}`;
}

function daysOf(from: string, to: string): string[] {
  const fromMs = Date.parse(from);
  const count = (Date.parse(to) - fromMs) / DAY_MS + 1;
  return Array.from({ length: count }, (_, i) => dayOf(fromMs + i * DAY_MS));
}

/** @throws AppError BAD_REQUEST for a day that no calendar has. */
function dayMs(name: string, day: string): number {
  if (isDay(day)) return Date.parse(day);
  throw badRequest(`the query parameter "${name}" is no day: write for example 2026-11-22`, { param: name });
}
