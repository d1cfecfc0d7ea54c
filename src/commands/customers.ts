import type { Command } from 'commander';
import { resumeCustomer, suspendCustomer } from '../core/keys/customers.ts';
import type { CustomerRecord, KeyStore, SignupRecord } from '../core/keys/key-store.ts';
import { parseCustomer, printKeys } from './key-options.ts';
import { withStore, withStoreToRead } from './keys.ts';
import { textTable } from '../core/terminal/command.ts';

/** `land-lookup customers ...` */
export function register(program: Command): void {
  const customers = program.command('customers').description('customers who signed up, and those who are suspended');
  customers
    .command('list')
    .description('print the customers who signed up, and those who were suspended, now or earlier')
    .action(() =>
      withStoreToRead(async (store) => {
        console.log(textTable(['customer', 'state', 'since', 'reason'], await rows(store)));
      }),
    );
  customers
    .command('show')
    .description('print whether a customer is suspended, how it signed up, and its keys')
    .argument('<customer>', "the payment processor's id", parseCustomer)
    .action((customer: string) => withStoreToRead((store) => show(store, customer)));
  customers
    .command('suspend')
    .description("answer a customer's lookups with 402 from now on; running servers see it within 10 s")
    .argument('<customer>', "the payment processor's id", parseCustomer)
    .option('--reason <TEXT>', 'for the list and the audit', 'by the operator')
    .action((customer: string, { reason }: { reason: string }) =>
      withStore(async (store) => {
        console.log(row(await suspendCustomer(store, customer, reason)).join('  '));
      }),
    );
  customers
    .command('resume')
    .description(
      'answer the lookups again, also of who does not pay, until the processor says something else; within 10 s',
    )
    .argument('<customer>', 'as "customers list" shows it', parseCustomer)
    .action((customer: string) =>
      withStore(async (store) => {
        console.log(row(await resumeCustomer(store, customer)).join('  '));
      }),
    );
}

async function show(store: KeyStore, customer: string): Promise<void> {
  const record = (await store.customers()).find((known) => known.customer === customer);
  const signups = (await store.signups.list('all')).filter((signup) => signup.customer === customer);
  if (!record && signups.length === 0 && (await store.listOf(customer)).length === 0)
    throw new Error(
      `there is no customer ${customer} here: see "land-lookup customers list" and "land-lookup keys list"`,
    );
  console.log(record ? row(record).join('  ') : `${customer}  in force  was never suspended`);
  for (const signup of signups) console.log(describe(signup));
  await printKeys(store, customer);
}

/** Customers who were suspended, then those of sign-ups. */
async function rows(store: KeyStore): Promise<string[][]> {
  const suspended = await store.customers();
  const known = new Set(suspended.map(({ customer }) => customer));
  const signedUp = (await store.signups.list('all')).flatMap((signup) =>
    signup.customer === null || known.has(signup.customer)
      ? []
      : [[signup.customer, stateOf(signup), signup.changedAt, describe(signup)]],
  );
  return [...suspended.map(row), ...signedUp];
}

function stateOf({ state }: SignupRecord): string {
  return state === 'issued' || state === 'shown' ? 'in force' : 'no key';
}

function describe({ state, createdAt, subscription, reason, keyId }: SignupRecord): string {
  const outcome: Partial<Record<SignupRecord['state'], string>> = {
    paid: 'the browser did not ask for the key yet',
    ending: 'is being cancelled',
    ended: 'was cancelled',
  };
  const words = outcome[state] ?? `key ${keyId ?? 'none'}`;
  return `signed up ${createdAt}, subscription ${subscription ?? 'none'}: ${words}${reason && ` (${reason})`}`;
}

function row({ customer, suspendedAt, resumedAt, reason }: CustomerRecord): string[] {
  return suspendedAt === null
    ? [customer, 'in force', resumedAt ?? '', `was suspended: ${reason}`]
    : [customer, 'suspended', suspendedAt, reason];
}
