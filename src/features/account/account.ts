/** `/api/account`: what a key may do and has used, and the limits that its holder sets. */
import type { Response } from 'express';
import { type FoundKey, type KeyLimits, NO_LIMITS, type KeyRecord } from '../../core/keys/key-store.ts';
import { changeOwnLimits, keysEver, MOST_KEYS } from './own-keys.ts';
import { isAllowedFrom, networkOf } from '../../core/settings/networks.ts';
import { answered, inJson } from '../../core/openapi/responses.ts';
import { badRequest, cutShort, AppError } from '../../messages/problems.ts';
import {
  type AccountBody,
  type AccountChange,
  type PortalBody,
  accountChangeSchema,
  accountSchema,
  portalSchema,
} from './wire.ts';
import { fromStore } from '../../core/http/key.ts';
import { bodyRules, route, NOT_REPLACED } from '../../core/http/route.ts';
import { sendJson } from '../../core/http/send-answer.ts';
import type { Services } from '../../core/http/services.ts';
import { CHANGES, FREE, own, ownKey, ownSecret, spendChange, spendRequest } from './own.ts';
import { costOf, flatPrice, unitCostOf } from '../../core/billing/shown-price.ts';
import { budgetOf } from '../../core/limits/budget.ts';
import { isKeyInForce, secretsInForce } from '../../core/keys/keys.ts';
import { partKey } from '../../core/parts/parts.ts';
import type { DayRow } from '../../messages/journal.ts';
import { DAY_MS, monthOf } from '../../messages/time.ts';

const example = {
  id: 'key_5d2e84b7690aa17c',
  name: 'Example Planning Inc.',
  createdAt: '2026-10-01T12:00:00.000Z',
  expiresAt: null,
  lastUsedAt: '2026-11-22T14:03:10.120Z',
  askedFrom: '203.0.113.7',
  isBilled: true,
  isSuspended: false,
  secrets: [{ createdAt: '2026-10-01T12:00:00.000Z', endsAt: null, isThis: true }],
  limits: { perHour: 1000, perSecond: null, atOnce: 64, batchRowsPerDay: 10_000, budgetPerMonth: null },
  networks: ['203.0.113.0/24'],
  hour: { left: 988, renewedInS: 1800 },
  batchRowsToday: 2500,
  month: {
    month: '2026-11',
    lookups: 1204,
    batchRows: 2500,
    elsewhere: 0,
    used: 3704,
    budgetPerMonth: 10_000,
    ownBudgetPerMonth: 10_000,
    left: 6296,
    renewedAt: '2026-12-01T00:00:00.000Z',
  },
  cost: { lookups: 3704, amount: 370.4, currency: 'CAD', perLookup: 0.1, isComplete: true },
  keys: [],
  mostKeys: 5,
} satisfies AccountBody;

export const showAccount = route({
  method: 'get',
  path: '/api/account',
  key: own,
  limits: [spendRequest],
  docs: {
    operationId: 'account',
    tag: 'account',
    summary: 'What the key may do and has used',
    description: FREE,
    schemas: { Account: accountSchema },
    answers: { 200: answered('The account.', inJson('Account', example)) },
  },
  handle: ({ services, res }) => sendAccount(services, res, ownKey(res)),
});

export const changeAccount = route<undefined, AccountChange>({
  method: 'patch',
  path: '/api/account',
  key: own,
  changes: true,
  body: bodyRules(accountChangeSchema, { must: { minProperties: 'must have budgetPerMonth, networks or both' } }),
  docs: {
    operationId: 'changeAccount',
    tag: 'account',
    summary: 'Set the monthly budget and the networks of the key',
    description: `Running servers see it within 10 seconds. ${CHANGES}`,
    body: ['AccountChange', { budgetPerMonth: 10_000, networks: ['203.0.113.0/24'] }],
    schemas: { AccountChange: accountChangeSchema },
    answers: { 200: answered('The account as it is now.', inJson('Account', example)) },
    failures: ['CONFLICT'],
  },
  async handle({ services, req, res, body, asker }) {
    const wanted = wantedLimits(body, req.ip);
    await spendRequest(services, res);
    await spendChange(services, res);
    const changed = await fromStore(changeOwnLimits(services.keys, asker, wanted));
    await sendAccount(services, res, { ...changed, isSuspended: ownKey(res).isSuspended });
  },
});

async function sendAccount(services: Services, res: Response, key: FoundKey): Promise<void> {
  const asked = { own: key, secretMadeAt: ownSecret(res)?.createdAt ?? null, from: res.req.ip ?? '' };
  sendJson(res, JSON.stringify(await describeAccount(services, asked)));
}

/**
 * @param from address of the client, which must not lock itself out.
 * @throws AppError BAD_REQUEST that names the error.
 */
function wantedLimits(
  { budgetPerMonth, networks }: AccountChange,
  from: string | undefined,
): Partial<Pick<KeyLimits, 'ownBudgetPerMonth' | 'networks'>> {
  return {
    ...(budgetPerMonth === undefined ? {} : { ownBudgetPerMonth: budgetPerMonth }),
    ...(networks === undefined ? {} : { networks: readNetworks(networks, from) }),
  };
}

function readNetworks(texts: readonly string[], from: string | undefined): readonly string[] {
  const networks = texts.map((text, i) => {
    const network = networkOf(text.trim());
    if (network !== null) return network;
    throw badRequest(`"${cutShort(text)}" is no network: write for example 203.0.113.0/24 or 2001:db8::/32`, {
      param: `/networks/${i}`,
    });
  });
  if (isAllowedFrom({ ...NO_LIMITS, networks }, from)) return networks;
  const own = from ?? 'not known';
  throw badRequest(
    `the networks do not hold the address that asks, ${own}: with them this key could not be used from here any more`,
    { param: '/networks' },
  );
}

export const openPortal = route({
  method: 'post',
  path: '/api/account/portal',
  key: own,
  // Its pages end subscriptions.
  changes: true,
  limits: [spendRequest],
  docs: {
    operationId: 'billingPortal',
    tag: 'account',
    summary: "Get a link to the payment processor's billing portal",
    description: `For invoices, payment methods and cancelling. ${FREE} ${NOT_REPLACED}`,
    schemas: { Portal: portalSchema },
    answers: {
      200: answered('The link.', inJson('Portal', { url: 'https://billing.example.com/p/session/test_0123' })),
    },
    failures: ['NOT_FOUND', 'CONFLICT'],
  },
  async handle({ services, res }) {
    const { billing } = services;
    const { customer } = ownKey(res);
    if (!billing) throw new AppError('NOT_FOUND', 'this service has no payment processor');
    if (customer === null)
      throw new AppError('CONFLICT', 'this key has no customer at the payment processor, so there are no invoices');
    sendJson(res, JSON.stringify({ url: await billing.portal.linkFor(customer) } satisfies PortalBody));
  },
});

/** What else the holder of a key sees: each feature has members of its own. */
export const accountPart = partKey<{ readonly membersFor: (key: FoundKey) => Promise<object> }>('account');

/**
 * Returns what the holder of a key may see.
 * @param secretMadeAt when the secret was made that the request came with.
 * @param from address of the client.
 * @throws AppError DB_ERROR when keys or usage cannot be read.
 */
async function describeAccount(
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
