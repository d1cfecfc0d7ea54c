/** What a store of keys holds, to compare data of an earlier version with what a later one reads. */
import type {
  AuditEntry,
  CustomerRecord,
  KeyRecord,
  KeyStore,
  SignupRecord,
} from '../../../src/core/keys/key-store.ts';
import type { WebhookSecret } from '../../../src/core/keys/records.ts';

export interface KeptAccounts {
  readonly keys: readonly KeyRecord[];
  readonly customers: readonly CustomerRecord[];
  readonly signups: readonly SignupRecord[];
  readonly unfinished: readonly string[];
  readonly audit: readonly AuditEntry[];
  readonly lastUsed: readonly (readonly [string, string])[];
  /** By key. */
  readonly webhookSecrets: Readonly<Record<string, readonly WebhookSecret[]>>;
}

export async function readAccounts(store: KeyStore): Promise<KeptAccounts> {
  const keys = await store.list();
  const webhookSecrets: Record<string, readonly WebhookSecret[]> = {};
  for (const { id } of keys) {
    webhookSecrets[id] = await store.changeWebhookSecrets(id, () => null);
  }
  return {
    keys,
    customers: await store.customers(),
    signups: await store.signups.list('all'),
    unfinished: (await store.signups.list('unfinished')).map(({ id }) => id),
    audit: await store.audit(),
    lastUsed: [...(await store.lastUsed())],
    webhookSecrets,
  };
}

/** Sign-ups in two states. */
export function signupsToKeep(keyId: string): readonly SignupRecord[] {
  const paid: SignupRecord = {
    id: `sgn_${'a'.repeat(64)}`,
    state: 'paid',
    createdAt: '2026-11-22T10:00:00.000Z',
    changedAt: '2026-11-22T10:01:00.000Z',
    attempt: 1,
    price: 'price_1',
    sessionId: 'cs_1',
    customer: 'cus_paid',
    subscription: 'sub_1',
    keyId: 'key_0123456789abcdef',
    salt: 'salt',
    reason: '',
  };
  const shown = {
    ...paid,
    id: `sgn_${'b'.repeat(64)}`,
    state: 'shown',
    customer: 'cus_kept',
    keyId,
    salt: null,
  } as const;
  return [paid, shown];
}
