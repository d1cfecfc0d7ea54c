import type { Command } from 'commander';
import type { KeyStore } from '../core/keys/key-store.ts';
import { printed } from '../core/terminal/standard-output.ts';
import { expireKey, issueKey, revokeKey, rotateKey, setKey, type IssuedKey } from '../core/keys/keys.ts';
import { openKeyStore, openKeyStoreToRead } from '../core/keys/open-key-store.ts';
import { readConfig, readConfigOfData } from '../config.ts';
import {
  limitsOf,
  numberOrNull,
  parseCount,
  parseCustomer,
  parseCustomerOrNone,
  parseEnd,
  parseHours,
  parseKeyNetworks,
  parseLimit,
  parseLimitOr,
  parseName,
  parseNetworksOrAll,
  parseTime,
  type CreateOptions,
  type SetOptions,
  printKeys,
  printKeysAsJson,
  tell,
} from './key-options.ts';
import { textTable } from '../core/terminal/command.ts';
import { HOUR_MS } from '../messages/time.ts';

/** `land-lookup keys ...` */
export function register(program: Command): void {
  const keys = program.command('keys').description('manage API keys: owners, limits and customers');
  keys
    .command('create')
    .description('make a key and print it, only once')
    .requiredOption('--name <NAME>', 'owner of the key', parseName)
    .option('--limit <PER_HOUR>', 'lookups per hour (default: RATE_LIMIT_PER_HOUR of the server)', parseLimit)
    .option(
      '--expires <DATE>',
      'end of the key: YYYY-MM-DD (the start of that day, UTC) or an ISO 8601 time',
      parseTime,
    )
    .option('--customer <ID>', "the payment processor's customer; without one, lookups are not billed", parseCustomer)
    .option(
      '--budget <PER_MONTH>',
      'lookups answered with 200 per calendar month, UTC (default: any number)',
      parseLimit,
    )
    .option('--burst <PER_SECOND>', 'lookups per second (default: as many as the hour allows)', parseLimit)
    .option('--in-flight <N>', 'lookups at once (default: MAX_PENDING of the server)', parseLimit)
    .option('--networks <CIDR,...>', 'networks of its clients (default: every network)', parseKeyNetworks)
    .option('--batch-rows-per-day <N>', 'rows of batches per day, UTC (default: 0, no batches)', parseCount)
    .action((options: CreateOptions) => withNewStore((store) => create(store, options)));
  keys
    .command('list')
    .description('print the records of all keys, never the keys themselves')
    .option('--json', 'print one JSON document')
    .action(({ json }: { json?: true }) =>
      withStoreToRead((store) => (json ? printKeysAsJson(store) : printKeys(store))),
    );
  keys
    .command('rotate')
    .description('give a key a new secret and print it, only once; id, limit and usage stay')
    .argument('<id>', 'as "keys list" shows it')
    .option('--overlap <HOURS>', 'hours that the old secret stays valid', parseHours, 24)
    .action((id: string, { overlap }: { overlap: number }) =>
      withStore(async (store) => {
        await print(await rotateKey(store, id, overlap * HOUR_MS), `rotated; the old secret works for ${overlap} h`);
      }),
    );
  registerChanges(keys);
  keys
    .command('audit')
    .description('print every change of every key, or of one')
    .argument('[id]')
    .action((id?: string) => withStoreToRead((store) => audit(store, id)));
  keys
    .command('export')
    .description('print all records as JSON lines, with the hashes but not the keys')
    .option('--to <FILE>', 'write a new file, which only its owner can read')
    .action(({ to }: { to?: string }) =>
      withStoreToRead(async (store) => {
        const { exportedLines, exportKeysTo } = await import('../core/keys/keys-transfer.ts');
        if (to === undefined) for await (const line of exportedLines(store)) process.stdout.write(line);
        else await exportKeysTo(store, to);
      }),
    );
  keys
    .command('import')
    .description('import records that "keys export" printed')
    .argument('<file>')
    .action((file: string) =>
      withNewStore(async (store) => {
        const { importKeys } = await import('../core/keys/keys-transfer.ts');
        console.log(await importKeys(store, file));
      }),
    );
}

function registerChanges(keys: Command): void {
  keys
    .command('revoke')
    .description('refuse a key from now on; running servers see it within 10 s')
    .argument('<id>', 'as "keys list" shows it')
    .action((id: string) =>
      withStore(async (store) => {
        tell(await revokeKey(store, id));
      }),
    );
  keys
    .command('expire')
    .description('set when a key ends')
    .argument('<id>')
    .argument('<date>', 'YYYY-MM-DD, an ISO 8601 time, or never', parseEnd)
    .action((id: string, date: string) =>
      withStore(async (store) => {
        tell(await expireKey(store, id, date === 'never' ? null : date));
      }),
    );
  keys
    .command('set')
    .description('change name, customer or limits')
    .argument('<id>')
    .option('--name <NAME>', 'owner of the key', parseName)
    .option('--limit <PER_HOUR>', 'lookups per hour, or default', parseLimitOr('default'))
    .option('--customer <ID>', "the payment processor's customer, or none", parseCustomerOrNone)
    .option('--budget <PER_MONTH>', 'lookups answered with 200 per calendar month, UTC, or none', parseLimitOr('none'))
    .option('--burst <PER_SECOND>', 'lookups per second, or none', parseLimitOr('none'))
    .option('--in-flight <N>', 'lookups at once, or default', parseLimitOr('default'))
    .option('--networks <CIDR,...>', 'networks of its clients, or all', parseNetworksOrAll)
    .option('--batch-rows-per-day <N>', 'rows of batches per day, UTC; 0: no batches', parseCount)
    .action((id: string, { name, limit, customer, ...limits }: SetOptions) =>
      withStore(async (store) => {
        tell(
          await setKey(store, id, {
            ...(name === undefined ? {} : { name }),
            ...(limit === undefined ? {} : { limitPerHour: numberOrNull(limit) }),
            ...(customer === undefined ? {} : { customer: customer === 'none' ? null : customer }),
            limits: limitsOf(limits),
          }),
        );
      }),
    );
}

async function create(store: KeyStore, options: CreateOptions): Promise<void> {
  const { name, limit = null, expires = null, customer = null, ...limits } = options;
  const key = { name, limitPerHour: limit, expiresAt: expires, customer, limits: limitsOf(limits) };
  await print(await issueKey(store, key), 'made');
}

/** Prints only the key on standard output, so that a script can read it. */
async function print({ key, record: { id, name } }: IssuedKey, done: string): Promise<void> {
  console.error(`${id} ("${name}") is ${done}. The key is shown only once:`);
  try {
    await printed(`${key}\n`);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(
      `the key could not be printed (${message}), and nobody has it: run "land-lookup keys rotate ${id}"`,
      {
        cause,
      },
    );
  }
}

async function audit(store: KeyStore, id: string | undefined): Promise<void> {
  const entries = (await store.audit()).filter(({ keyId }) => id === undefined || keyId === id);
  if (id !== undefined && entries.length === 0 && (await store.findById(id)) === null)
    throw new Error(`there is no key ${id}: see "land-lookup keys list"`);
  const rows = entries.map(({ at, actor, action, keyId, detail }) => [at, actor, action, keyId, detail]);
  console.log(textTable(['at', 'by', 'change', 'key', 'detail'], rows));
}

/** Opens the configured key store for one command that changes what is there. */
export async function withStore(work: (store: KeyStore) => Promise<void>): Promise<void> {
  await using store = await openKeyStore(readConfigOfData());
  await work(store);
}

/** Opens it for one command that only reads, also on a disk that is full or read-only. */
export async function withStoreToRead(work: (store: KeyStore) => Promise<void>): Promise<void> {
  await using store = await openKeyStoreToRead(readConfigOfData());
  await work(store);
}

/** Opens it for one command that may make it and the data folder. */
async function withNewStore(work: (store: KeyStore) => Promise<void>): Promise<void> {
  await using store = await openKeyStore(readConfig());
  await work(store);
}
