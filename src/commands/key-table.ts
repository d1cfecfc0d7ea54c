import type { KeyRecord, KeyStore } from '../core/keys/key-store.ts';
import { textTable } from '../core/terminal/text-table.ts';

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
