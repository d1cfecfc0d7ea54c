/** `land-lookup customers export` and `customers forget`: what is kept of one customer. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { KeyStore, AuditEntry, CustomerRecord, KeyRecord, SignupRecord } from '../../core/keys/key-store.ts';
import { forgetKnown } from '../../core/keys/known-keys.ts';
import { openKeyStore } from '../../core/keys/open-key-store.ts';
import { JournalReader, Journal } from '../../core/usage/journal.ts';
import type { DataHolder, Readers } from '../../feature.ts';
import type { Config } from '../../core/settings/config.ts';
import { emptyLogOf } from '../../core/files/scrub.ts';
import { DAY_MS } from '../../messages/time.ts';
import { auditEntry, isKeyInForce } from '../../core/keys/keys.ts';

type DataConfig = Pick<Config, 'dataDir' | 'redisUrl'>;

/** What features keep of customers. */
type Kept = Readers['kept'];

/** Adds both commands to `land-lookup customers`. */
export function register(program: Command, { config, kept }: Readers): void {
  const customers = program.commands.find((one) => one.name() === 'customers')!;
  customers
    .command('export')
    .description(
      'print all that this machine keeps of a customer, as JSON lines; secrets and their hashes are left out',
    )
    .argument('<id>', "the payment processor's id, or the id of a key that has no customer", parseHolder)
    .action((id: string) => exportData(config(), kept, id));
  customers
    .command('forget')
    .description(
      "remove a customer's names, networks, URLs, batches and kept answers; what bills are made of stays. Its keys must have ended",
    )
    .argument('<id>', 'as "customers export" takes it', parseHolder)
    .option('--yes', 'do it; without this it only says what it would do')
    .action((id: string, { yes = false }: { yes?: boolean }) => forgetData(config(), kept, { id, yes }));
}

async function exportData(config: DataConfig, kept: Kept, id: string): Promise<void> {
  await using store = await openKeyStore(config);
  const lines = exportLines(config, store, kept, id);
  const text = async function* (): AsyncGenerator<string> {
    for await (const line of lines) yield `${JSON.stringify(line)}\n`;
  };
  await pipeline(Readable.from(text()), process.stdout, { end: false });
  console.error(`Not in it: ${elsewhere.join('; ')}.`);
}

/** Each line has one member, whose name says what it is. */
async function* exportLines(config: DataConfig, store: KeyStore, keptBy: Kept, id: string): AsyncGenerator<object> {
  const holder = await findHolder(store, id);
  const lookups = await lookupsOf(config, holder);
  requireSomething(id, holder, lookups);
  yield { holder: id };
  yield* linesOfKeys(store, holder);
  for (const row of lookups) yield { lookups: row };
  yield* linesOfJournal(config, holder);
  for (const kept of await keptBy()) yield* kept.read(config.dataDir, dataHolder(holder));
}

async function* linesOfKeys(store: KeyStore, holder: Holder): AsyncGenerator<object> {
  const lastUsed = await store.lastUsed(holder.keys.map(({ id }) => id));
  for (const { secrets, ...key } of holder.keys) {
    const webhookSecrets = await store.changeWebhookSecrets(key.id, () => null);
    yield {
      key: {
        ...key,
        secrets: secrets.map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt })),
        webhookSecrets: webhookSecrets.map(({ createdAt, endsAt }) => ({ createdAt, endsAt })),
        lastUsedAt: lastUsed.get(key.id) ?? null,
      },
    };
  }
  if (holder.suspension !== null) yield { suspension: holder.suspension };
  for (const signup of holder.signups) yield { signup: { ...signup, salt: undefined } };
  for (const audit of (await store.audit()).filter(isAbout(holder))) yield { audit };
}

async function* linesOfJournal({ dataDir }: DataConfig, holder: Holder): AsyncGenerator<object> {
  if (!existsSync(journalIn(dataDir))) return;
  await using reader = new JournalReader(journalIn(dataDir));
  const { customer, keyIds } = dataHolder(holder);
  for (const usageOfDay of await reader.read('usageOfHolder', { customer, keyIds })) yield { usageOfDay };
  for (let page = await reader.read('keptRequests', { keyIds, afterPlace: 0 }); page.length > 0;) {
    for (const request of page) yield { keptRequest: { ...request, place: undefined } };
    page = await reader.read('keptRequests', { keyIds, afterPlace: page.at(-1)!.place });
  }
}

async function forgetData(config: DataConfig, keptBy: Kept, { id, yes }: { id: string; yes: boolean }): Promise<void> {
  const { dataDir } = config;
  await using store = await openKeyStore(config);
  const holder = await findHolder(store, id);
  requireSomething(id, holder, await lookupsOf(config, holder));
  const whose = dataHolder(holder);
  const kept = await keptBy();
  const refusals = kept.map((one) => one.cannotForget?.(dataDir, whose) ?? null);
  const refusal = [cannotForgetKeys(holder, Date.now()), ...refusals].find((one) => one !== null) ?? null;
  if (refusal !== null) throw new Error(`${id} cannot be forgotten yet: ${refusal}`);
  if (!yes) {
    console.log(`${FORGETS}\n${KEEPS}`);
    throw new Error('nothing was changed: give --yes to do it, which cannot be undone');
  }
  const requests = await forgetRequests(dataDir, whose.keyIds);
  const removed: string[] = [];
  for (const { noun, forget } of kept) removed.push(`${await forget(dataDir, whose)} ${noun}`);
  await forgetKnown(join(dataDir, 'known-keys.sqlite'), whose.keyIds);
  await forgetKeys(store, holder);
  const own = [`${holder.keys.length} keys`, `${holder.signups.length} sign-ups`, `${requests} kept answers`];
  const counts = [...own, ...removed].join(', ');
  console.log(`forgotten: ${id} (${counts})\n${KEEPS}`);
  console.log(`Not changed: ${[...elsewhere, ...(config.redisUrl === null ? [] : [ON_DISK_OF_REDIS])].join('; ')}.`);
  const copies = copiesIn(config);
  if (copies.length === 0) return;
  console.log(`These copies may still have it; delete them when you need them no more:\n${copies.join('\n')}`);
  process.exitCode = 1;
}

const FORGETS =
  'This removes names, networks, secrets, sign-ups, written reasons, batches, receivers of webhooks and the answers that are kept for retries.';

const KEEPS =
  'Kept, because bills are made of it: ids of the customer and of its keys, limits, and the time and state of each lookup (USAGE_RETENTION_DAYS).';

/** Where data may be that neither command reaches. */
const elsewhere = [
  'backups made before, until they are deleted by age (after a restore of one, forget again)',
  'the log of the service',
  'what other machines keep: run the same there',
  'what the payment processor keeps',
];

const ON_DISK_OF_REDIS = 'what Redis wrote to its own disk before: run BGREWRITEAOF and BGSAVE with redis-cli';

async function forgetRequests(dataDir: string, keyIds: readonly string[]): Promise<number> {
  const file = journalIn(dataDir);
  if (!existsSync(file)) return 0;
  await using journal = await Journal.open({ dataDir });
  const removed = await journal.do('forgetRequests', { keyIds });
  await emptyLogOf(file);
  return removed;
}

/** Lookups of the whole journal, by key and state. */
async function lookupsOf({ dataDir }: DataConfig, holder: Holder): Promise<readonly object[]> {
  if (!existsSync(journalIn(dataDir))) return [];
  await using reader = new JournalReader(journalIn(dataDir));
  const rows = await reader.read('report', { fromMs: 0, toMs: Date.now() + DAY_MS });
  const ids = new Set(holder.keys.map(({ id }) => id));
  return rows.filter(({ keyId, customer }) => ids.has(keyId) || (customer !== null && customer === holder.customer));
}

/** @throws Error when an id is mistyped, or of somebody who was never here. */
function requireSomething(id: string, { keys, suspension, signups }: Holder, lookups: readonly object[]): void {
  if (keys.length + signups.length + lookups.length > 0 || suspension !== null) return;
  throw new Error(`nothing is kept of ${id} here: see "land-lookup customers list" and "land-lookup keys list"`);
}

/** Copies that other commands have left beside the stores. */
function copiesIn({ dataDir, redisUrl }: DataConfig): readonly string[] {
  const isCopy = (name: string): boolean =>
    /^(accounts\.sqlite\.format-\d+|before-restore-.*|restoring|.*\.jsonl)$/.test(name) ||
    (redisUrl !== null && name === 'accounts.sqlite');
  return readdirSync(dataDir)
    .filter(isCopy)
    .map((name) => join(dataDir, name));
}

function dataHolder({ customer, keys }: Holder): DataHolder {
  return { customer, keyIds: keys.map(({ id }) => id) };
}

function journalIn(dataDir: string): string {
  return join(dataDir, 'usage.sqlite');
}

function parseHolder(text: string): string {
  if (/^(cus_[A-Za-z0-9]{1,60}|key_[0-9a-f]{16})$/.test(text)) return text;
  throw new InvalidArgumentError('a customer id, for example cus_NffrFeUfNV2Hib, or the id of a key');
}

// What the store of keys has of one customer, and how it forgets that.

/** Somebody of whom data is kept: a customer with its keys, or a key that has no customer. */
interface Holder {
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
function isAbout({ customer, keys }: Holder): (entry: AuditEntry) => boolean {
  const ids = new Set([...keys.map(({ id }) => id), ...(customer === null ? [] : [customer])]);
  return ({ keyId }) => ids.has(keyId);
}

/** Says why a holder cannot be forgotten yet, and what to do; null when it can. */
function cannotForgetKeys({ keys, signups }: Holder, nowMs: number): string | null {
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
