import { randomBytes } from 'node:crypto';
import { createKey, hashKey } from './key-format.ts';
import type { KeyRecord, KeyStore } from './key-store.ts';

export interface NewKey {
  readonly name: string;
  /** Null: the service's default. */
  readonly limitPerHour: number | null;
  readonly expiresAt: string | null;
}

/** Makes a key. The plain key is in the result and nowhere else. */
export async function issueKey(
  store: KeyStore,
  { name, limitPerHour, expiresAt }: NewKey,
): Promise<{ readonly key: string; readonly record: KeyRecord }> {
  const key = createKey();
  const createdAt = new Date().toISOString();
  const record: KeyRecord = {
    id: `key_${randomBytes(8).toString('hex')}`,
    name,
    limitPerHour,
    customer: null,
    createdAt,
    expiresAt,
    revokedAt: null,
    secrets: [{ hash: hashKey(key), createdAt, expiresAt: null }],
  };
  await store.insert(record);
  return { key, record };
}

/** Refuses a key from now on. @throws Error when there is no such key, or it is revoked already. */
export async function revokeKey(store: KeyStore, id: string): Promise<KeyRecord> {
  const revokedAt = new Date().toISOString();
  const record = await store.update(id, (key) => {
    if (key.revokedAt !== null) throw new Error(`${id} is revoked already`);
    return { ...key, revokedAt };
  });
  if (!record) throw new Error(`there is no key ${id}: see "keys list"`);
  return record;
}

/** Whether the secret of this hash lets its key in at the moment. */
export function isInForce({ expiresAt, revokedAt, secrets }: KeyRecord, hash: string): boolean {
  const secret = secrets.find((candidate) => candidate.hash === hash);
  return secret !== undefined && revokedAt === null && !isPast(expiresAt) && !isPast(secret.expiresAt);
}

function isPast(time: string | null): boolean {
  return time !== null && Date.parse(time) <= Date.now();
}
