/** What the store of keys has of one customer, and how it forgets that. */
import type { AuditEntry, CustomerRecord, KeyRecord, KeyStore } from '../../core/keys/key-store.ts';
import { auditEntry, isKeyInForce } from '../../core/keys/keys.ts';
import type { SignupRecord } from '../../core/keys/signup-store.ts';

/** Somebody of whom data is kept: a customer with its keys, or a key that has no customer. */
export interface Holder {
  /** The payment processor's; null: a key that has no customer. */
  readonly customer: string | null;
  readonly keys: readonly KeyRecord[];
  /** Present once the customer was suspended. */
  readonly suspension: CustomerRecord | null;
  readonly signups: readonly SignupRecord[];
}

/** What takes the place of a name, and of texts in which somebody may be named. */
export const FORGOTTEN = 'forgotten';

/** Running processes may answer for a key for so long after it has ended: what they remember of it, and requests under way. */
const ANSWERED_MS = 30_000;

/** Changes whose text says nothing of a person: times alone. */
const PLAIN_ACTIONS: readonly AuditEntry['action'][] = ['rotate', 'revoke', 'expire', 'forget'];

/** Finds whose data a customer's or a key's id names. @throws Error for a key that is not there, or that a customer has. */
export async function findHolder(store: KeyStore, id: string): Promise<Holder> {
  if (id.startsWith('key_')) {
    const key = (await store.list()).find((record) => record.id === id);
    if (!key) throw new Error(`there is no key ${id}: see "land-lookup keys list"`);
    if (key.customer !== null) throw new Error(`${id} is a key of ${key.customer}: name the customer`);
    return { customer: null, keys: [key], suspension: null, signups: [] };
  }
  const [keys, customers, signups] = [await store.listOf(id), await store.customers(), await store.signups.list('all')];
  return {
    customer: id,
    keys,
    suspension: customers.find(({ customer }) => customer === id) ?? null,
    signups: signups.filter(({ customer }) => customer === id),
  };
}

/** The entries of the audit about a holder. */
export function isAbout({ customer, keys }: Holder): (entry: AuditEntry) => boolean {
  const ids = new Set([...keys.map(({ id }) => id), ...(customer === null ? [] : [customer])]);
  return ({ keyId }) => ids.has(keyId);
}

/** Says why a holder cannot be forgotten yet, and what to do; null when it can. */
export function cannotForgetKeys({ keys, signups }: Holder, nowMs: number): string | null {
  const inForce = keys.filter(isKeyInForce).map(({ id }) => id);
  if (inForce.length > 0)
    return `keys are in force (${inForce.join(', ')}): end each with "land-lookup keys revoke KEY" first`;
  const endedMs = Math.max(...keys.map(endOf));
  if (nowMs - endedMs < ANSWERED_MS)
    return 'a key was in force until a moment ago, and running processes may still answer for it: try again in half a minute';
  const open = signups.find(({ state }) => state !== 'shown' && state !== 'ended');
  return open ? 'a sign-up is not over: the running service ends it within a day; try again then' : null;
}

/**
 * Replaces names, networks and written reasons by a word, in keys, suspensions and the audit, removes the secrets of keys and of their webhooks, and the
 * sign-ups. Ids, limits, days and the customer stay: bills are made of them. The keys are revoked for good. Doing it again changes nothing more.
 */
export async function forgetKeys(store: KeyStore, holder: Holder): Promise<void> {
  for (const { id } of holder.keys) {
    await store.update(id, (before) => ({ record: forgotten(before), audit: auditEntry(id, 'forget', '') }));
    await store.changeWebhookSecrets(id, (before) => (before.length === 0 ? null : []));
  }
  const { customer, suspension, signups } = holder;
  if (customer !== null && suspension !== null) {
    const audit = auditEntry(customer, 'forget', '');
    await store.updateCustomer(customer, (before) => before && { record: { ...before, reason: FORGOTTEN }, audit });
  }
  for (const { id } of signups) await store.signups.update(id, () => 'remove');
  const isOfHolder = isAbout(holder);
  await store.rewriteAudit((entry) => {
    const isPlain = PLAIN_ACTIONS.includes(entry.action) || entry.detail === '' || entry.detail === FORGOTTEN;
    return isPlain || !isOfHolder(entry) ? null : { ...entry, detail: FORGOTTEN };
  });
  await store.scrub();
}

function forgotten(key: KeyRecord): KeyRecord {
  return {
    ...key,
    name: FORGOTTEN,
    limits: { ...key.limits, networks: [] },
    revokedAt: key.revokedAt ?? new Date().toISOString(),
    secrets: [],
  };
}

/** When a key that is not in force ended. */
function endOf({ revokedAt, expiresAt }: KeyRecord): number {
  return Math.min(...[revokedAt, expiresAt].flatMap((time) => (time === null ? [] : [Date.parse(time)])));
}
