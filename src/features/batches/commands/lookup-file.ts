import { hash } from 'node:crypto';
import type { Catalogue } from '../../../catalogue/catalogue.ts';
import { memberColumns, membersOf, type MemberColumn } from '../../../core/http/answer-members.ts';
import type { RowMember, Readers } from '../../../feature.ts';
import { attributionsOf, describeLicences } from '../../../core/layers/describe-licences.ts';
import { readCatalogue } from '../../../catalogue/read/read-definitions.ts';
import { asksRemote, settingsOf, type Config } from '../../../core/settings/config.ts';
import { LOOKUPS_PER_MESSAGE } from '../../../core/pool/lookup-messages.ts';
import { addressColumnsOf } from '../rows/address-columns.ts';
import { inOrder } from '../answer-rows.ts';
import {
  counted,
  totalOf,
  type OutcomeCounts,
  taskOf,
  type AnsweredRow,
  type AskedRow,
  type RowDetail,
} from '../rows/row.ts';
import { writerOf, type AnswerFormat, answerFormats, type RowWriter } from '../rows/writers.ts';
import { furtherKeysOf, furtherOf, withFurther } from '../../../core/lookup/further-keys.ts';
import { requireServableSnapshot } from '../../../core/snapshots/current.ts';
import { batchSettings } from '../settings.ts';
import type { ReadArea } from '../../../messages/lookup.ts';
import { AnswerFile, standardOutput, type AnswerSink } from './answer-file.ts';
import type { OpenGeocoding } from '../../../core/lookup/geocoding.ts';
import { CommandLookups, lookupOne, type LookupOneOptions } from '../../../core/terminal/lookup-one.ts';
import { formatOfEnding, isSameFile, openPlaces, type PlacesFile } from './places-file.ts';
import { ProgressDisplay } from '../../../core/terminal/progress-display.ts';
import { rowsSummary, stopHint } from './words.ts';
import { stopBySignal } from './stop-by-signal.ts';
import { Help, Option, type Command } from 'commander';

interface LookupOptions extends LookupOneOptions {
  readonly file?: string;
  readonly addressColumns?: string;
  readonly format?: AnswerFormat;
  readonly out?: string;
  readonly resume?: true;
  /** Options that features bring. */
  readonly [option: string]: unknown;
}

/** Adds to `land-lookup lookup` what looks up a file of places. */
export async function register(program: Command, readers: Readers): Promise<void> {
  const brought = await readers.rowMembers();
  const command = program.commands
    .find((one) => one.name() === 'lookup')!
    .description('answer without a server: one place, or a file of places in its order')
    .option(
      '--file <IN>',
      'CSV with a column "address", or columns "lat" and "lon", and "custom_id" if you like; or NDJSON with such members; -: standard input',
    )
    .option('--address-columns <NAMES>', 'columns of the file that make the address, with commas between their names')
    .addOption(
      new Option(
        '--format <FORMAT>',
        'of the answers to a file (default: what the ending of --out says, else ndjson)',
      ).choices(answerFormats),
    )
    .option('--out <OUT>', 'a file for the answers, which --resume can continue')
    .option('--resume', 'continue an interrupted run with the same input, options and snapshot')
    .configureHelp({ visibleOptions: placesFirst })
    .addHelpText('after', FILE_HELP)
    .action((address: string | undefined, options: LookupOptions) => lookup(readers, address, { ...options, brought }));
  for (const { option } of brought) command.option(...option);
}

const FILE_HELP = `
A file: the answers are in the order of the rows, one for each. A bad row is answered with an error. The last line on
standard error counts the rows by outcome. CSV has no columns for evidence, so --detail changes nothing in it.`;

/** The options in the order of the help: first those that say where. */
function placesFirst(command: Command): Option[] {
  const saysWhere = ({ long }: Option): boolean => long === '--at' || long === '--file';
  return new Help().visibleOptions(command).toSorted((a, b) => Number(saysWhere(b)) - Number(saysWhere(a)));
}

async function lookup(
  { config, readArea, geocoding }: Readers,
  address: string | undefined,
  { brought, ...options }: LookupOptions & { readonly brought: readonly RowMember[] },
): Promise<void> {
  const { at, file, detail, layers, addressColumns, format, out = null, resume = false } = options;
  const members = brought.filter(({ member }) => options[member.parameter] !== undefined);
  if ([address, at, file].filter((given) => given !== undefined).length !== 1) {
    throw new Error('give exactly one of: an address, --at LAT,LON, --file IN');
  }
  if (file !== undefined) {
    const chosen = format ?? formatOfEnding(out, answerFormats);
    // CSV shows nothing of the evidence, which takes most of the time.
    const full = detail === 'full' && chosen !== 'csv';
    const asked = { file, format: chosen, full, layers, addressColumns, out, resume, members, given: options };
    await lookupFile(config(), {
      ...asked,
      readArea: await readArea(),
      openGeocoding: await geocoding(),
    });
  } else if (format !== undefined || out !== null || resume || addressColumns !== undefined) {
    throw new Error('--address-columns, --format, --out and --resume need --file IN');
  } else if (members.length > 0) {
    throw new Error(`${members.map(({ member }) => `--${member.parameter}`).join(', ')} needs --file IN`);
  } else {
    await lookupOne({ config, geocoding }, address, options);
  }
}

interface LookupFileOptions {
  /** `-`: standard input. */
  readonly file: string;
  readonly format: AnswerFormat;
  readonly full: boolean;
  /** Further answers, as given; undefined: none. */
  readonly layers: string | undefined;
  /** Columns that make the address together, as given; undefined: the column `address` does. */
  readonly addressColumns: string | undefined;
  /** Null: standard output. */
  readonly out: string | null;
  readonly resume: boolean;
  /** Null: no areas are looked up. */
  readonly readArea: ReadArea | null;
  readonly openGeocoding: OpenGeocoding;
  /** Members that are asked for, and the options that ask, by the names of their parameters. */
  readonly members: readonly RowMember[];
  readonly given: object;
}

/**
 * Messages for each thread: one that it works at, others on their way, and those whose rows wait for an earlier row before they are
 * written.
 */
const MESSAGES_PER_THREAD = 4;

/** UTF-16 units that are written together. */
const WRITTEN_TOGETHER = 1 << 18;

/** Shortest time between two displays of the progress. */
const DISPLAY_EVERY_MS = 200;

/** `land-lookup lookup --file`. @throws Error when the file names no places, or when its answers cannot be resumed. */
async function lookupFile(config: Config, options: LookupFileOptions): Promise<void> {
  const { file, format, full, layers, addressColumns, out, resume, readArea, openGeocoding } = options;
  refuseUnfit(options);
  const catalogue = readCatalogue(config);
  const { asked: members, columns } = membersAsked(options, config, catalogue);
  const detail: RowDetail = { full, ...furtherOf(layers, furtherKeysOf(catalogue)), ...members };
  const { id, dir: snapshotDir, manifest } = requireServableSnapshot(config.dataDir);
  const parts = addressColumns === undefined ? undefined : addressColumnsOf(addressColumns, '--address-columns');
  const places = await openPlaces(file, { addressColumns: parts, readArea });
  using stop = stopBySignal();
  const attribution = attributionsOf(describeLicences(catalogue, manifest));
  const run = {
    input: places.sha256 ?? '-',
    format,
    detail: full ? 'full' : 'plain',
    snapshot: id,
    definitions: catalogue.version,
    geocoder: config.geocoders.join(','),
    attribution: attribution.join(' '),
    ...(detail.further ? { layers: detail.further.join(',') } : {}),
    ...(detail.members ? { members: markOf(detail.members, columns) } : {}),
    ...(addressColumns === undefined ? {} : { addressColumns }),
  };
  const { fileThreads: threads } = settingsOf(config, batchSettings);
  await using lookups = await CommandLookups.start({ config, openGeocoding, catalogue, snapshotDir, threads });
  // After the threads, so that a snapshot that cannot be read leaves an earlier file as it was.
  await using sink = out === null ? standardOutput(stop.abort) : await AnswerFile.open(out, run, resume);
  const startMs = performance.now();
  const asked = rowsAfter(totalOf(sink.before), places.rows(stop.signal), stop.signal);
  // A remote geocoder refuses what does not fit into its queue.
  const atOnce = threads * (asksRemote(config) ? 2 : LOOKUPS_PER_MESSAGE * MESSAGES_PER_THREAD);
  const answered = inOrder(asked, atOnce, ({ row, asked }) => answerTo(row, asked, { lookups, detail }));
  const writing = {
    writer: writerOf(format, {
      ...{ catalogue: withFurther(catalogue, detail.further), memberColumns: columns },
      ...{ attribution, withLookupIds: false },
    }),
    sink,
    places,
    stop: stop.signal,
  };
  const { counts, isComplete } = await writeAll(answered, writing);
  const seconds = (performance.now() - startMs) / 1000;
  if (isComplete) console.error(rowsSummary(counts, { before: sink.before, seconds, ignored: places.ignored }));
  else if (stop.exitCode !== null) {
    process.exitCode = stop.exitCode;
    console.error(stopHint(totalOf(counts), { places, isResumable: out !== null && file !== '-' }));
  }
}

/** Reads what is asked of features. @throws AppError BAD_REQUEST, and Error about a file that settings name. */
function membersAsked(
  { members, given }: LookupFileOptions,
  config: Config,
  catalogue: Catalogue,
): { readonly asked: Pick<RowDetail, 'members'>; readonly columns: readonly MemberColumn[] } {
  const all = members.map(({ member, parts }) => ({ members: [member], parts: parts(config, catalogue) }));
  const asked = Object.assign({}, ...all.map((one) => membersOf(given, one).members)) as Record<string, unknown>;
  const columns = memberColumns(
    members.map(({ member }) => member),
    asked,
  );
  return { asked: members.length === 0 ? {} : { members: asked }, columns };
}

/** What a run that goes on must ask alike: the names of the columns, and a mark of all that is asked, as of the text of a rule. */
function markOf(asked: NonNullable<RowDetail['members']>, columns: readonly MemberColumn[]): string {
  return `${columns.map(({ name }) => name).join(',')} ${hash('sha256', JSON.stringify(asked)).slice(0, 8)}`;
}

/** @throws Error when the options do not go together. */
function refuseUnfit({ file, out, resume }: LookupFileOptions): void {
  if (resume && (out === null || file === '-')) throw new Error('--resume needs --out FILE, and a file to read again');
  if (out !== null && isSameFile(file, out)) throw new Error('--out must be another file than --file');
}

/** Yields the rows that an earlier run has not answered, until the signal. */
async function* rowsAfter(
  count: number,
  rows: AsyncIterable<AskedRow>,
  stop: AbortSignal,
): AsyncGenerator<{ readonly row: number; readonly asked: AskedRow }> {
  let row = 0;
  for await (const asked of rows) {
    // The last row before the signal may be half a row.
    if (stop.aborted) return;
    if (++row > count) yield { row, asked };
  }
}

async function answerTo(
  row: number,
  { customId, place }: AskedRow,
  { lookups, detail }: { readonly lookups: CommandLookups; readonly detail: RowDetail },
): Promise<AnsweredRow> {
  const answer = place.ok ? await lookups.answer(taskOf(place.value, detail)) : place;
  return { row, customId, answer };
}

/** Writes the answers. The counts are of all rows, with those of an earlier run. */
async function writeAll(
  answered: AsyncIterable<AnsweredRow>,
  { writer, sink, places, stop }: { writer: RowWriter; sink: AnswerSink; places: PlacesFile; stop: AbortSignal },
): Promise<{ readonly counts: OutcomeCounts; readonly isComplete: boolean }> {
  const showProgress = progressOf(places, totalOf(sink.before));
  let counts = sink.before;
  let text = sink.isEmpty ? writer.head : '';
  for await (const one of answered) {
    text += writer.row(one);
    counts = counted(counts, one.answer);
    showProgress(one.row);
    if (text.length < WRITTEN_TOGETHER) continue;
    await sink.write(text, counts);
    text = '';
  }
  showProgress(null);
  // A signal that comes later finds a complete file.
  const isComplete = !stop.aborted;
  await sink.write(isComplete ? text + writer.foot : text, counts);
  await (isComplete ? sink.finish() : sink.pause());
  return { counts, isComplete };
}

/** Makes a function that shows the progress on standard error: given null, it ends the display. */
function progressOf({ name, rowCount }: PlacesFile, found: number): (row: number | null) => void {
  const display = new ProgressDisplay(process.stderr);
  let shownMs = performance.now();
  return (row) => {
    if (row === null) display.end();
    else if (row !== rowCount && performance.now() - shownMs >= DISPLAY_EVERY_MS) {
      shownMs = performance.now();
      display.show({ kind: 'rows', name, unit: 'rows', done: row, total: rowCount, found });
    }
  };
}
