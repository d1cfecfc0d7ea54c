import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hostname } from 'node:os';
import { userName } from './user-name.ts';
import { createKey, hashKey } from './key-format.ts';
import {
  NO_LIMITS,
  type Asker,
  type AuditEntry,
  type FoundKey,
  type AuditedChange,
  type KeyLimits,
  type KeyRecord,
  type KeySecret,
  type KeyStore,
} from './key-store.ts';

export interface NewKey {
  /** The key and its id, where they are derived from something else; otherwise both are random. */
  readonly given?: { readonly id: string; readonly key: string };
  readonly name: string;
  /** Null: the service's default. */
  readonly limitPerHour?: number | null;
  readonly expiresAt?: string | null;
  readonly customer?: string | null;
  readonly limits?: Partial<KeyLimits>;
}

/** A key in plain text, which exists only in this result. */
export interface IssuedKey {
  readonly key: string;
  readonly record: KeyRecord;
}

interface ChangeOptions {
  /** The key that asks for the change over HTTP; missing: the operator does. */
  readonly asker?: Asker;
  /** Called with the records as they are when the change is written; what it throws stops the change. */
  readonly check?: (before: KeyRecord, asking: FoundKey | null) => void;
}

export async function issueKey(
  store: Pick<KeyStore, 'insert'>,
  { given = newId(), ...values }: NewKey,
): Promise<IssuedKey> {
  const change = creation(given, values);
  await store.insert(change);
  return { key: given.key, record: change.record };
}

/** Makes a key for a key that asks for it over HTTP: `make` says what it gets, by the record that asks as it is when the new one is written. */
export async function issueKeyFor(
  store: Pick<KeyStore, 'insertFor'>,
  asker: Asker,
  make: (asking: FoundKey) => Omit<NewKey, 'given'>,
): Promise<IssuedKey> {
  const given = newId();
  const record = await store.insertFor(asker, given.id, (asking) => creation(given, make(asking), actorOf(asker)));
  return { key: given.key, record };
}

/**
 * Gives a key a new secret. The old one stays valid for `overlapMs`. Limit, usage and id stay.
 * @throws Error when there is no such key, or it is revoked.
 */
export async function rotateKey(
  store: KeyStore,
  id: string,
  overlapMs: number,
  options: ChangeOptions = {},
): Promise<IssuedKey> {
  const key = createKey();
  const now = new Date();
  const overlapEnd = new Date(now.getTime() + overlapMs).toISOString();
  const record = await change(store, id, options, (before) => {
    if (before.revokedAt !== null) throw new Error(`${id} is revoked: make another key`);
    const kept = secretsInForce(before)
      .map((secret) => ({ ...secret, expiresAt: earlier(secret.expiresAt, overlapEnd) }))
      .filter(({ expiresAt }) => !isPast(expiresAt));
    const secrets = [...kept, { hash: hashKey(key), createdAt: now.toISOString(), expiresAt: null }];
    return noted({ ...before, secrets }, 'rotate', `the old secret ends ${overlapEnd}`);
  });
  return { key, record };
}

/** Refuses a key from now on. @throws Error when there is no such key, or it is already revoked. */
export function revokeKey(
  store: Pick<KeyStore, 'update'>,
  id: string,
  options: ChangeOptions = {},
): Promise<KeyRecord> {
  return change(store, id, options, (before) => {
    if (before.revokedAt !== null) throw new Error(`${id} is already revoked`);
    return noted({ ...before, revokedAt: new Date().toISOString() }, 'revoke', '');
  });
}

/** Sets when a key ends; null: never. @throws Error when there is no such key. */
export function expireKey(store: KeyStore, id: string, expiresAt: string | null): Promise<KeyRecord> {
  return change(store, id, {}, (before) => noted({ ...before, expiresAt }, 'expire', describe({ expiresAt })));
}

/** Values of a key that may be changed. */
type KeyValues = Partial<Pick<KeyRecord, 'name' | 'limitPerHour' | 'customer'>> & Pick<NewKey, 'limits'>;

/** Sets name, customer or limits. @throws Error when there is no such key. */
export function setKey(
  store: KeyStore,
  id: string,
  { limits = {}, ...values }: KeyValues,
  options: ChangeOptions = {},
): Promise<KeyRecord> {
  return change(store, id, options, (before) => {
    const after = { ...before, ...values, limits: { ...before.limits, ...limits } };
    return noted(after, 'set', describe({ ...values, ...limits }));
  });
}

/** Imports a record of another store. @throws Error when it already exists. */
export async function importKey(store: KeyStore, record: KeyRecord): Promise<void> {
  await store.insert(noted(record, 'import', ''));
}

/** Says whether the secret of this hash is valid now. */
export function isInForce(key: KeyRecord, hash: string): boolean {
  const secret = secretOf(key, hash);
  return secret !== undefined && isKeyInForce(key) && !isPast(secret.expiresAt);
}

/** Says whether a key is neither revoked nor expired. */
export function isKeyInForce({ expiresAt, revokedAt }: KeyRecord): boolean {
  return revokedAt === null && !isPast(expiresAt);
}

/** Returns the secret of this hash, also one that has ended. */
export function secretOf({ secrets }: KeyRecord, hash: string): KeySecret | undefined {
  // In a time that does not show how many characters are the same.
  return secrets.find(
    (one) => one.hash.length === hash.length && timingSafeEqual(Buffer.from(one.hash), Buffer.from(hash)),
  );
}

/** Returns the secrets that have not ended. */
export function secretsInForce({ secrets }: KeyRecord): readonly KeySecret[] {
  return secrets.filter(({ expiresAt }) => !isPast(expiresAt));
}

/** Says why a key may not be used any more, whatever its secrets; null when it may. */
export function keyFault(key: FoundKey | null): string | null {
  if (!key) return 'its key does not exist any more';
  if (key.revokedAt !== null) return 'its key was revoked';
  if (isPast(key.expiresAt)) return 'its key has expired';
  return key.isSuspended ? 'the customer is suspended: it does not pay, or earlier lookups could not be billed' : null;
}

async function change(
  store: Pick<KeyStore, 'update'>,
  id: string,
  { asker, check }: ChangeOptions,
  make: (before: KeyRecord) => AuditedChange<KeyRecord>,
): Promise<KeyRecord> {
  const decide = (before: KeyRecord, asking: FoundKey | null): AuditedChange<KeyRecord> => {
    check?.(before, asking);
    const changed = make(before);
    return asker ? { ...changed, audit: { ...changed.audit, actor: actorOf(asker) } } : changed;
  };
  const record = await store.update(id, decide, asker);
  if (!record) throw new Error(`there is no key ${id}: see "land-lookup keys list"`);
  return record;
}

function newId(): { readonly id: string; readonly key: string } {
  return { id: `key_${randomBytes(8).toString('hex')}`, key: createKey() };
}

function creation(
  { id, key }: { readonly id: string; readonly key: string },
  { name, limitPerHour = null, expiresAt = null, customer = null, limits = {} }: Omit<NewKey, 'given'>,
  actor?: string,
): AuditedChange<KeyRecord> {
  const createdAt = new Date().toISOString();
  const record: KeyRecord = {
    id,
    name,
    limitPerHour,
    customer,
    createdAt,
    expiresAt,
    limits: { ...NO_LIMITS, ...limits },
    revokedAt: null,
    secrets: [{ hash: hashKey(key), createdAt, expiresAt: null }],
  };
  const detail = describe({ limitPerHour, expiresAt, customer, ...limits });
  return { record, audit: auditEntry(id, 'create', detail, actor) };
}

/** Name of a key's own changes in the audit. */
function actorOf({ keyId }: Asker): string {
  return `${keyId} over HTTP`;
}

function noted(record: KeyRecord, action: AuditEntry['action'], detail: string): AuditedChange<KeyRecord> {
  return { record, audit: auditEntry(record.id, action, detail) };
}

/** Makes the entry of a change that happens now; by the operator unless `actor` says otherwise. */
export function auditEntry(
  keyId: string,
  action: AuditEntry['action'],
  detail: string,
  actor = `${userName()}@${hostname()}`,
): AuditEntry {
  return { at: new Date().toISOString(), actor, action, keyId, detail };
}

/** Names of owners stay out: the audit is kept for ever, and the record has the present one. */
function describe({ name, ...values }: Readonly<Record<string, unknown>>): string {
  const others = Object.entries(values).map(([setting, value]) => `${setting}=${String(value)}`);
  return [...(name === undefined ? [] : ['name']), ...others].join(' ');
}

function earlier(time: string | null, other: string): string {
  return time !== null && time < other ? time : other;
}

function isPast(time: string | null): boolean {
  return time !== null && Date.parse(time) <= Date.now();
}
