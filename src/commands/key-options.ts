/** What `land-lookup keys` takes and shows. A parser throws InvalidArgumentError that says what it takes. */
import { InvalidArgumentError } from 'commander';
import { parseNetworks } from '../core/settings/networks.ts';
import type { KeyLimits, KeyRecord, KeyStore } from '../core/keys/key-store.ts';
import { wholeNumber, textTable } from '../core/terminal/command.ts';
import { isDay } from '../messages/time.ts';

export interface CreateOptions {
  readonly name: string;
  readonly limit?: number;
  readonly expires?: string;
  readonly customer?: string;
  readonly budget?: number;
  readonly burst?: number;
  readonly inFlight?: number;
  readonly networks?: string[];
  readonly batchRowsPerDay?: number;
}

/** `default` and `none` mean null, which commander cannot pass. */
export interface SetOptions {
  readonly name?: string;
  readonly limit?: number | 'default';
  readonly customer?: string;
  readonly budget?: number | 'none';
  readonly burst?: number | 'none';
  readonly inFlight?: number | 'default';
  readonly networks?: string[];
  readonly batchRowsPerDay?: number;
}

/** The limits that were given. */
export function limitsOf({ budget, burst, inFlight, networks, batchRowsPerDay }: SetOptions): Partial<KeyLimits> {
  return {
    ...(budget === undefined ? {} : { budgetPerMonth: numberOrNull(budget) }),
    ...(burst === undefined ? {} : { burstPerS: numberOrNull(burst) }),
    ...(inFlight === undefined ? {} : { inFlight: numberOrNull(inFlight) }),
    ...(networks === undefined ? {} : { networks }),
    ...(batchRowsPerDay === undefined ? {} : { batchRowsPerDay }),
  };
}

export function numberOrNull(value: number | string): number | null {
  return typeof value === 'number' ? value : null;
}

export function parseName(text: string): string {
  if (/^[^\p{Cc}]{1,100}$/u.test(text) && text.trim() !== '') return text;
  throw new InvalidArgumentError('1 to 100 printable characters');
}

export const parseLimit = wholeNumber(999_999_999);

/** Like `parseLimit`, and 0. */
export function parseCount(text: string): number {
  return text === '0' ? 0 : parseLimit(text);
}

export function parseLimitOr<Word extends string>(word: Word): (text: string) => number | Word {
  return (text) => (text === word ? word : parseLimit(text));
}

export function parseKeyNetworks(text: string): string[] {
  try {
    return parseNetworks(text);
  } catch (cause) {
    throw new InvalidArgumentError((cause as Error).message);
  }
}

export function parseNetworksOrAll(text: string): string[] {
  return text === 'all' ? [] : parseKeyNetworks(text);
}

export function parseHours(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('whole hours from 0 to 9999');
}

/** @throws InvalidArgumentError for what is no customer id. */
export function parseCustomer(text: string): string {
  if (/^cus_[A-Za-z0-9]{1,60}$/.test(text)) return text;
  throw new InvalidArgumentError('a customer id, for example cus_NffrFeUfNV2Hib');
}

export function parseCustomerOrNone(text: string): string {
  return text === 'none' ? text : parseCustomer(text);
}

export function parseTime(text: string): string {
  const [day = '', ofDay] = text.split(/(?=T)/);
  const isTime = isDay(day) && (ofDay === undefined || /^T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(ofDay));
  const time = isTime ? Date.parse(text) : NaN;
  if (time > Date.now()) return new Date(time).toISOString();
  throw new InvalidArgumentError('a time in the future, as YYYY-MM-DD or ISO 8601 with Z or an offset');
}

export function parseEnd(text: string): string {
  return text === 'never' ? text : parseTime(text);
}

/** Prints the records of all keys, or of one customer. */
export async function printKeys(store: KeyStore, customer?: string): Promise<void> {
  const lastUsed = await store.lastUsed();
  const records = (await store.list()).filter((record) => customer === undefined || record.customer === customer);
  const rows = records.map((record) => [...row(record), lastUsed.get(record.id) ?? 'never']);
  const head = ['id', 'name', 'limit', 'other limits', 'customer', 'secrets', 'created', 'ends', 'state', 'last used'];
  console.log(textTable(head, rows));
}

/** Prints the records of all keys as one JSON document, without their hashes. */
export async function printKeysAsJson(store: KeyStore): Promise<void> {
  const lastUsed = await store.lastUsed();
  const records = (await store.list()).map(({ secrets, ...record }) => ({
    ...record,
    state: stateOf(record),
    secretsInForce: secrets.filter((secret) => !isPast(secret.expiresAt)).length,
    lastUsedAt: lastUsed.get(record.id) ?? null,
  }));
  console.log(JSON.stringify(records));
}

/** Prints one record. */
export function tell(record: KeyRecord): void {
  console.log(row(record).join('  '));
}

function row(record: KeyRecord): string[] {
  const { id, name, limitPerHour, customer, secrets, createdAt, expiresAt, revokedAt } = record;
  const inForce = secrets.filter((secret) => !isPast(secret.expiresAt)).length;
  const state = revokedAt === null ? stateOf(record) : `revoked ${revokedAt}`;
  const limit = String(limitPerHour ?? 'default');
  const rights = [limit, otherLimits(record), customer ?? 'not billed'];
  return [id, name, ...rights, String(inForce), createdAt, expiresAt ?? 'never', state];
}

function stateOf({ revokedAt, expiresAt }: Pick<KeyRecord, 'revokedAt' | 'expiresAt'>): string {
  if (revokedAt !== null) return 'revoked';
  return isPast(expiresAt) ? 'expired' : 'in force';
}

/** For example `50000/month, 20/s, 8 at once, from 203.0.113.0/24, 10000 batch rows/day`. */
function otherLimits({ limits }: KeyRecord): string {
  const { budgetPerMonth, ownBudgetPerMonth, burstPerS, inFlight, networks, batchRowsPerDay } = limits;
  const texts = [
    ...(budgetPerMonth === null ? [] : [`${budgetPerMonth}/month`]),
    ...(ownBudgetPerMonth === null ? [] : [`${ownBudgetPerMonth}/month of its own`]),
    ...(burstPerS === null ? [] : [`${burstPerS}/s`]),
    ...(inFlight === null ? [] : [`${inFlight} at once`]),
    ...(networks.length === 0 ? [] : [`from ${networks.join(' ')}`]),
    ...(batchRowsPerDay === 0 ? [] : [`${batchRowsPerDay} batch rows/day`]),
  ];
  return texts.join(', ') || 'none';
}

function isPast(time: string | null): boolean {
  return time !== null && Date.parse(time) <= Date.now();
}
