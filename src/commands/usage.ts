import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { JOURNAL } from '../core/units/backup-folder.ts';
import { JournalReader, Journal } from '../core/usage/journal.ts';
import { pruneUsage } from '../core/usage/retention.ts';
import { readConfig, readConfigOfData } from '../config.ts';
import type { DeliveredRow, ReasonRow, UsageFilter, UsageRow, UsageState } from '../messages/journal.ts';
import { asJob, wholeNumber, textTable } from '../core/terminal/command.ts';
import { copyToRead, isReadable } from '../core/files/copy-to-read.ts';
import { withStoreToRead } from './keys.ts';
import { DAY_MS, dayOf, isDay, monthOf } from '../messages/time.ts';
import type Stripe from 'stripe';

const STATES = ['delivered', 'pending', 'rejected', 'too_old', 'uncertain', 'unbilled'] as const satisfies UsageState[];

/** `land-lookup usage ...` */
export function register(program: Command): void {
  const usage = program.command('usage').description('report lookups and their billing');
  usage
    .command('report')
    .description("print the lookups of this machine's journal by key, and why some were not billed")
    .option('--month <YYYY-MM>', 'of UTC time (default: the current month)', parseMonth, monthOf(Date.now()))
    .option('--key <ID>', 'only this key')
    .option('--csv', 'print comma-separated values, without the reasons')
    .addOption(new Option('--json', 'print one JSON document, with the reasons').conflicts('csv'))
    .action((options: Parameters<typeof report>[1]) => withJournalToRead((reader) => report(reader, options)));
  usage
    .command('reconcile')
    .description(
      "compare the journals with the payment processor's sums, by customer and UTC day; exit code 1 when they differ",
    )
    .option('--month <YYYY-MM>', 'of UTC time (default: the current month)', parseMonth)
    .option('--days <N>', 'instead of a month: the last N whole days', wholeNumber(999))
    .option('--journal <FILE...>', 'journals of other machines, copied here', [])
    .action((options: Parameters<typeof compare>[1]) =>
      asJob(readConfig().dataDir, 'reconcile', () => withJournal((own) => compare(own, options))),
    );
  usage
    .command('resend')
    .description(
      'deliver events again: rejected ones after you removed the cause, uncertain ones only if you know that they are missing',
    )
    .option('--rejected', 'events that the processor refused')
    .option('--uncertain', 'events that may have arrived: sending them again may bill them twice')
    .option('--too-old', 'events that were older than 35 days; those that still are get the present time')
    .action((options: Parameters<typeof resend>[1]) => withJournal((journal) => resend(journal, options)));
  usage
    .command('prune')
    .description('delete settled usage; the server does this by itself after USAGE_RETENTION_DAYS')
    .requiredOption('--before <YYYY-MM-DD>', 'UTC', parseDay)
    .action(({ before }: { before: number }) =>
      withJournal(async (journal) => {
        console.log(`${trusted(await pruneUsage(journal, { usageBeforeMs: before }))} lookups deleted`);
      }),
    );
  registerClock(usage);
}

function registerClock(usage: Command): void {
  usage
    .command('trust-clock')
    .description("believe this machine's clock after it jumped; without it, a jump is believed after 24 hours")
    .action(() =>
      withJournal(async (journal) => {
        await journal.do('trustClock', null);
        console.log(`the time is ${new Date().toISOString()}`);
      }),
    );
}

/** @param reader null on a machine that has answered no lookup. */
async function report(
  reader: JournalReader | null,
  {
    month,
    key,
    csv,
    json,
  }: {
    /** YYYY-MM. */
    readonly month: string;
    readonly key?: string;
    readonly csv?: boolean;
    readonly json?: boolean;
  },
): Promise<void> {
  const filter = { ...monthFilter(month), ...(key === undefined ? {} : { keyId: key }) };
  const head = ['month', 'key', 'customer', 'lookups', ...STATES];
  const keys = (await reader?.read('report', filter)) ?? [];
  if (key !== undefined && keys.length === 0) await requireKey(key);
  if (json) {
    console.log(JSON.stringify({ month, keys, notBilled: await reasonsOf(reader, filter) }));
    return;
  }
  const table = [head, ...keys.map((row) => cells(month, row))];
  // The cells are ids, numbers and a month, so no cell contains a comma or a quote.
  console.log(csv ? table.map((row) => row.join(',')).join('\n') : textTable(head, table.slice(1)));
  if (!csv) printReasons(await reasonsOf(reader, filter));
}

async function reasonsOf(reader: JournalReader | null, filter: UsageFilter): Promise<readonly ReasonRow[]> {
  return (await reader?.read('reasons', filter)) ?? [];
}

function printReasons(reasons: readonly ReasonRow[]): void {
  if (reasons.length === 0) return;
  const lines = reasons.map(({ state, reason, lookups, oldestMs }) => [
    state,
    String(lookups),
    dayOf(oldestMs),
    reason,
  ]);
  console.log(`\n${textTable(['not billed', 'lookups', 'since', 'reason'], lines)}`);
}

/** @throws Error when there is no such key. */
async function requireKey(id: string): Promise<void> {
  await withStoreToRead(async (store) => {
    if ((await store.findById(id)) === null) throw new Error(`there is no key ${id}: see "land-lookup keys list"`);
  });
}

function cells(month: string, row: UsageRow): string[] {
  return [month, row.keyId, row.customer ?? '', String(row.lookups), ...STATES.map((state) => String(row[state]))];
}

async function compare(
  own: Journal,
  {
    month,
    days: count,
    journal: files,
  }: { readonly month?: string; readonly days?: number; readonly journal: readonly string[] },
): Promise<void> {
  const { billing } = readConfig();
  if (!billing) throw new Error('STRIPE_API_KEY and STRIPE_METER_EVENT must be set');
  const filter = count === undefined ? monthFilter(month ?? monthOf(Date.now())) : daysFilter(count);
  const delivered: DeliveredRow[] = [...(await own.do('deliveredByDay', filter))];
  for (const file of files) {
    await using other = new JournalReader(resolve(file));
    delivered.push(...(await other.read('deliveredByDay', filter)));
  }
  // Here, because loading it takes longer than what the other commands do.
  const { createStripe } = await import('../core/billing/stripe-client.ts');
  const days = await reconcile(createStripe(billing), billing.meterEvent, { delivered, filter });
  const differing = days.filter(({ journal, processor }) => journal !== processor);
  await own.do('noteReconciliation', { atMs: Date.now(), days: days.length, differing: differing.length });
  const rows = differing.map(({ customer, dayMs, journal, processor }) => {
    return [customer, dayOf(dayMs), String(journal), String(processor), String(processor - journal)];
  });
  if (rows.length > 0) console.log(textTable(['customer', 'day', 'journals', 'processor', 'difference'], rows));
  console.log(`${days.length - differing.length} of ${days.length} days agree`);
  if (differing.length > 0) process.exitCode = 1;
}

async function resend(
  journal: Journal,
  {
    rejected,
    uncertain,
    tooOld,
  }: { readonly rejected?: boolean; readonly uncertain?: boolean; readonly tooOld?: boolean },
): Promise<void> {
  const states: UsageState[] = [
    ...(rejected ? (['rejected'] as const) : []),
    ...(uncertain ? (['uncertain'] as const) : []),
    ...(tooOld ? (['too_old'] as const) : []),
  ];
  if (states.length === 0) throw new Error('give --rejected, --uncertain or --too-old');
  console.log(`${trusted(await journal.do('resend', { states }))} lookups will be delivered again`);
}

/** @throws Error for null, the result of what waits for the clock. */
function trusted(count: number | null): number {
  if (count !== null) return count;
  throw new Error('the clock of this machine jumped: set it, or run "usage trust-clock" if it is right now');
}

async function withJournal(work: (journal: Journal) => Promise<void>): Promise<void> {
  await using journal = await Journal.open(readConfigOfData());
  await work(journal);
}

/** Reads the journal where it is, or a copy of it on a disk that is full or read-only. */
async function withJournalToRead(work: (reader: JournalReader | null) => Promise<void>): Promise<void> {
  const { dataDir } = readConfigOfData();
  const file = join(dataDir, JOURNAL);
  if (!existsSync(file)) {
    await work(null);
    return;
  }
  using copies = isReadable(file) ? null : copyToRead(dataDir, [JOURNAL]);
  await using reader = new JournalReader(copies ? join(copies.folder, JOURNAL) : file);
  await work(reader);
}

/** Returns a filter of whole UTC days, up to the end of today. */
function monthFilter(text: string): UsageFilter {
  const [year = 0, month = 0] = text.split('-').map(Number);
  const endOfTodayMs = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
  return { fromMs: Date.UTC(year, month - 1), toMs: Math.min(Date.UTC(year, month), endOfTodayMs) };
}

/** Returns a filter of the last whole UTC days: the processor's sums of today are not complete. */
function daysFilter(count: number): UsageFilter {
  const toMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  return { fromMs: toMs - count * DAY_MS, toMs };
}

function parseMonth(text: string): string {
  if (/^20\d\d-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('a month as YYYY-MM');
}

/** A day to come would delete also what this month's bills rest on. */
function parseDay(text: string): number {
  const time = isDay(text) ? Date.parse(text) : NaN;
  if (time <= Date.now()) return time;
  throw new InvalidArgumentError('a day as YYYY-MM-DD, at most today');
}

/**
 * Compares the delivered lookups of the journals with the processor's summaries, for each customer and UTC day.
 * @param delivered rows of all journals of all machines for the time of the filter, which covers whole UTC days.
 * @throws Error when the processor has no meter of that event name.
 */
export async function reconcile(
  stripe: Stripe,
  meterEvent: string,
  { delivered, filter }: { readonly delivered: readonly DeliveredRow[]; readonly filter: UsageFilter },
): Promise<
  { readonly customer: string; readonly dayMs: number; readonly journal: number; readonly processor: number }[]
> {
  const meter = await findMeter(stripe, meterEvent);
  const days: Awaited<ReturnType<typeof reconcile>> = [];
  for (const customer of new Set(delivered.map((row) => row.customer))) {
    const ours = sumByDay(delivered.filter((row) => row.customer === customer));
    const theirs = await summaries(stripe, meter, { customer, filter });
    for (const dayMs of [...new Set([...ours.keys(), ...theirs.keys()])].sort((a, b) => a - b)) {
      days.push({ customer, dayMs, journal: ours.get(dayMs) ?? 0, processor: theirs.get(dayMs) ?? 0 });
    }
  }
  return days;
}

/** The active meter of a name; of an inactive one, the sums of the past are still there. */
async function findMeter(stripe: Stripe, meterEvent: string): Promise<string> {
  for (const status of ['active', 'inactive'] as const) {
    for await (const { id, event_name } of stripe.billing.meters.list({ status, limit: 100 })) {
      if (event_name === meterEvent) return id;
    }
  }
  throw new Error(`the payment processor has no meter with the event name "${meterEvent}"`);
}

/** By UTC day; days without events may be missing. */
async function summaries(
  stripe: Stripe,
  meter: string,
  { customer, filter }: { readonly customer: string; readonly filter: UsageFilter },
): Promise<Map<number, number>> {
  const byDay = new Map<number, number>();
  const range = { start_time: filter.fromMs / 1000, end_time: filter.toMs / 1000 };
  const list = stripe.billing.meters.listEventSummaries(meter, {
    customer,
    ...range,
    limit: 100,
    value_grouping_window: 'day',
  });
  for await (const { start_time, aggregated_value } of list) {
    if (aggregated_value !== 0) byDay.set(start_time * 1000, aggregated_value);
  }
  return byDay;
}

function sumByDay(rows: readonly DeliveredRow[]): Map<number, number> {
  const byDay = new Map<number, number>();
  for (const { dayMs, delivered } of rows) byDay.set(dayMs, (byDay.get(dayMs) ?? 0) + delivered);
  return byDay;
}
