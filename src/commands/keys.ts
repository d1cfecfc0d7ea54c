import { InvalidArgumentError, type Command } from 'commander';
import type { KeyRecord, KeyStore } from '../accounts/key-store.ts';
import { issueKey, revokeKey } from '../accounts/keys.ts';
import { openKeyStore } from '../accounts/open-key-store.ts';
import { readConfig } from '../config.ts';

interface CreateOptions {
  readonly name: string;
  readonly limit?: number;
  readonly expires?: string;
}

/** `land-lookup keys ...` */
export function register(program: Command): void {
  const keys = program.command('keys').description('API keys: create, list, revoke');
  keys
    .command('create')
    .description('make a key and print it, this once')
    .requiredOption('--name <NAME>', 'whose it is', parseName)
    .option('--limit <PER_HOUR>', 'lookups an hour (default: RATE_LIMIT_PER_HOUR of the server)', parseLimit)
    .option('--expires <DATE>', 'when it ends: YYYY-MM-DD (the start of that day, UTC) or an ISO 8601 time', parseTime)
    .action((options: CreateOptions) => withStore((store) => create(store, options)));
  keys
    .command('list')
    .description('print what is known of all keys, never the keys themselves')
    .action(() => withStore(list));
  keys
    .command('revoke')
    .description('refuse a key from now on; running servers see it within 10 s')
    .argument('<id>', 'as "keys list" shows it')
    .action((id: string) => withStore((store) => revoke(store, id)));
}

async function create(store: KeyStore, { name, limit, expires }: CreateOptions): Promise<void> {
  const { key, record } = await issueKey(store, { name, limitPerHour: limit ?? null, expiresAt: expires ?? null });
  console.error(`${record.id} for "${name}". The key is shown this once:`);
  // The key alone on standard output, so that a script can take it.
  console.log(key);
}

async function list(store: KeyStore): Promise<void> {
  const keys = await store.list();
  console.log(['id', 'name', 'limit', 'created', 'expires', 'state'].join('\t'));
  for (const key of keys) console.log(row(key).join('\t'));
}

function row({ id, name, limitPerHour, createdAt, expiresAt, revokedAt }: KeyRecord): string[] {
  const expired = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  const state = revokedAt !== null ? `revoked ${revokedAt}` : expired ? 'expired' : 'in force';
  return [id, name, String(limitPerHour ?? 'default'), createdAt, expiresAt ?? 'never', state];
}

async function revoke(store: KeyStore, id: string): Promise<void> {
  const { name } = await revokeKey(store, id);
  console.log(`${id} ("${name}") is revoked`);
}

async function withStore(work: (store: KeyStore) => Promise<void>): Promise<void> {
  await using store = openKeyStore(readConfig());
  await work(store);
}

function parseName(text: string): string {
  if (/^[^\p{Cc}]{1,100}$/u.test(text) && text.trim() !== '') return text;
  throw new InvalidArgumentError('1 to 100 printable characters');
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 1 to 999999999');
}

function parseTime(text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? Date.parse(text) : NaN;
  if (time > Date.now()) return new Date(time).toISOString();
  throw new InvalidArgumentError('a time to come, as YYYY-MM-DD or ISO 8601 with Z or an offset');
}
