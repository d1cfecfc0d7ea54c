import { isDeepStrictEqual } from 'node:util';
import type { WebhookSecret } from '../../core/keys/records.ts';
import type { AuditEntry, CustomerRecord, KeyRecord, KeyStore } from '../../core/keys/key-store.ts';
import { auditEntry } from '../../core/keys/keys.ts';

/** Returns the keys as they were before a restore. @throws Error when one of them cannot be read. */
export async function readKeys(store: KeyStore): Promise<{
  readonly keys: readonly KeyRecord[];
  readonly customers: readonly CustomerRecord[];
  readonly audit: readonly AuditEntry[];
  /** By the id of their key. */
  readonly webhookSecrets: ReadonlyMap<string, readonly WebhookSecret[]>;
}> {
  const keys = await store.list();
  const webhookSecrets = new Map<string, readonly WebhookSecret[]>();
  for (const { id } of keys) webhookSecrets.set(id, await store.changeWebhookSecrets(id, () => null));
  return { keys, customers: await store.customers(), audit: await store.audit(), webhookSecrets };
}

/**
 * Ends in the restored keys what was ended since the backup: revocations, secrets that others replaced, ends, networks and suspensions are those of the keys as
 * they were before. All else is as the backup has it.
 * @returns what differs, in a line for each key or customer.
 */
export async function carryOver(
  restored: KeyStore,
  before: Awaited<ReturnType<typeof readKeys>>,
): Promise<readonly string[]> {
  const audit = await restored.audit();
  const isLater = (id: string): boolean => isContinued(ofOne(before.audit, id), ofOne(audit, id));
  const inBackup = new Map((await restored.list()).map((record) => [record.id, record]));
  const lines: string[] = [];
  for (const now of before.keys) {
    const backup = inBackup.get(now.id);
    const told = backup
      ? await carryKey(restored, {
          backup,
          now,
          isLater: isLater(now.id),
          webhookSecrets: before.webhookSecrets.get(now.id)!,
        })
      : [MADE_SINCE];
    if (told.length > 0) lines.push(`${now.id} (${now.name}): ${told.join('; ')}`);
    if (isForgotten(before.audit, now.id) && !isForgotten(audit, now.id))
      lines.push(
        `${now.id}: was forgotten since, and the backup has it again: run "customers forget ${now.customer ?? now.id}"`,
      );
  }
  for (const now of before.customers) {
    const told = isLater(now.customer) ? await carryCustomer(restored, now) : null;
    if (told !== null) lines.push(`${now.customer}: ${told}`);
  }
  return lines;
}

const MADE_SINCE = 'was made since: the backup does not have it, and it works no more';

interface Pair {
  readonly backup: KeyRecord;
  readonly now: KeyRecord;
  /** Whether the key has been changed since the backup. Otherwise the backup is the later one. */
  readonly isLater: boolean;
  /** Those of now. */
  readonly webhookSecrets: readonly WebhookSecret[];
}

async function carryKey(restored: KeyStore, pair: Pair): Promise<readonly string[]> {
  const { backup, now, isLater, webhookSecrets } = pair;
  const record = carried(pair);
  const told = [
    ...differences(backup, record),
    ...((await carryWebhookSecrets(restored, now.id, webhookSecrets))
      ? ['has a later webhook secret, which stays']
      : []),
  ];
  if (told.length > 0) {
    const audit = auditEntry(now.id, 'restore', told.join('; '));
    await restored.update(now.id, () => ({ record, audit }));
  }
  const others = ({ name, customer, limitPerHour, expiresAt, limits }: KeyRecord): unknown => [
    ...[name, customer, limitPerHour, expiresAt, { ...limits, networks: [] }],
  ];
  const isOtherwise = isLater && !isDeepStrictEqual(others(record), others(now));
  return isOtherwise
    ? [...told, 'had another name, customer, end or other limits: those of the backup are in force']
    : told;
}

function carried({ backup, now, isLater }: Pair): KeyRecord {
  const revokedAt = backup.revokedAt ?? now.revokedAt;
  if (!isLater) return { ...backup, revokedAt };
  const { expiresAt } = backup;
  return {
    ...backup,
    revokedAt,
    expiresAt: now.expiresAt !== null && (expiresAt === null || now.expiresAt < expiresAt) ? now.expiresAt : expiresAt,
    secrets: now.secrets,
    limits: { ...backup.limits, networks: now.limits.networks },
  };
}

/** Says in what a key that is in force differs from the one in a backup, of what must not come back. */
function differences(backup: KeyRecord, now: KeyRecord): readonly string[] {
  const hashes = ({ secrets }: KeyRecord): readonly string[] => secrets.map(({ hash }) => hash);
  const { networks } = now.limits;
  return [
    ...(now.revokedAt === backup.revokedAt ? [] : [`was revoked on ${now.revokedAt}, and stays revoked`]),
    ...(isDeepStrictEqual(hashes(now), hashes(backup)) ? [] : ['has a later secret: those it replaced stay replaced']),
    ...(now.expiresAt === backup.expiresAt ? [] : [`ends on ${now.expiresAt}, which stays so`]),
    ...(isDeepStrictEqual(networks, backup.limits.networks)
      ? []
      : [`has other networks, which stay: ${networks.join(', ') || 'all'}`]),
  ];
}

async function carryCustomer(restored: KeyStore, now: CustomerRecord): Promise<string | null> {
  let told: string | null = null;
  await restored.updateCustomer(now.customer, (backup) => {
    if (isDeepStrictEqual(backup, now)) return null;
    told =
      now.suspendedAt === null
        ? 'was resumed since, and stays so'
        : `was suspended on ${now.suspendedAt}, and stays so`;
    return { record: now, audit: auditEntry(now.customer, 'restore', told) };
  });
  return told;
}

/** Returns whether there were later ones. */
async function carryWebhookSecrets(restored: KeyStore, keyId: string, now: readonly WebhookSecret[]): Promise<boolean> {
  let isCarried = false;
  await restored.changeWebhookSecrets(keyId, (backup) => {
    isCarried = (now[0]?.createdAt ?? '') > (backup[0]?.createdAt ?? '');
    return isCarried ? now : null;
  });
  return isCarried;
}

function isForgotten(entries: readonly AuditEntry[], id: string): boolean {
  return entries.some(({ keyId, action }) => keyId === id && action === 'forget');
}

function ofOne(entries: readonly AuditEntry[], id: string): readonly AuditEntry[] {
  return entries.filter(({ keyId }) => keyId === id);
}

/** Whether one history goes on after the other; for two that have gone different ways, whether it ends later. */
function isContinued(one: readonly AuditEntry[], other: readonly AuditEntry[]): boolean {
  const last = other.at(-1);
  if (last === undefined) return one.length > 0;
  const at = one.findLastIndex((entry) => isDeepStrictEqual(entry, last));
  return at >= 0 ? at < one.length - 1 : (one.at(-1)?.at ?? '') > last.at;
}
