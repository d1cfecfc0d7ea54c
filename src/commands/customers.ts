import type { Command } from 'commander';
import { resumeCustomer, suspendCustomer } from '../accounts/customers.ts';
import type { CustomerRecord } from '../accounts/key-store.ts';
import { parseCustomer } from './key-options.ts';
import { printKeys } from './key-table.ts';
import { withStore } from './keys.ts';
import { textTable } from './text-table.ts';

/** `land-lookup customers ...` */
export function register(program: Command): void {
  const customers = program.command('customers').description('suspend customers who cannot be billed, and resume them');
  customers
    .command('list')
    .description('print the customers who were suspended, now or earlier')
    .action(() =>
      withStore(async (store) => {
        const rows = (await store.customers()).map(row);
        console.log(textTable(['customer', 'state', 'since', 'reason'], rows));
      }),
    );
  customers
    .command('show')
    .description('print whether a customer is suspended, and its keys')
    .argument('<customer>', "the payment processor's id", parseCustomer)
    .action((customer: string) =>
      withStore(async (store) => {
        const record = (await store.customers()).find((known) => known.customer === customer);
        console.log(record ? row(record).join('  ') : `${customer}  in force  was never suspended`);
        await printKeys(store, customer);
      }),
    );
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
    .description('answer the lookups again; running servers see it within 10 s')
    .argument('<customer>', 'as "customers list" shows it', parseCustomer)
    .action((customer: string) =>
      withStore(async (store) => {
        console.log(row(await resumeCustomer(store, customer)).join('  '));
      }),
    );
}

function row({ customer, suspendedAt, resumedAt, reason }: CustomerRecord): string[] {
  return suspendedAt === null
    ? [customer, 'in force', resumedAt ?? '', `was suspended: ${reason}`]
    : [customer, 'suspended', suspendedAt, reason];
}
