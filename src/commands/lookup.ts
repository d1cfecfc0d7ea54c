import { Option, type Command } from 'commander';
import { attributionsOf, describeLicences } from '../core/layers/describe-licences.ts';
import { readCatalogue } from '../catalogue/read/read-definitions.ts';
import { readConfig } from '../config.ts';
import type { Readers } from '../feature.ts';
import { taskOf, type RowPlace } from '../core/rows/row.ts';
import { ndjsonWriter } from '../core/rows/write-ndjson.ts';
import { answerFormats, type AnswerFormat } from '../core/rows/writers.ts';
import { parseCoordinate } from '../messages/coordinate.ts';
import { furtherKeysOf, furtherOf } from '../core/lookup/further-keys.ts';
import { requireServableSnapshot } from '../core/snapshots/current.ts';
import { CommandLookups } from './command-lookups.ts';
import { lookupFile } from './lookup-file.ts';

interface LookupOptions {
  readonly at?: string;
  readonly file?: string;
  readonly detail: 'plain' | 'full';
  readonly layers?: string;
  readonly addressColumns?: string;
  readonly format?: AnswerFormat;
  readonly out?: string;
  readonly resume?: true;
}

export function register(program: Command, { readArea }: Readers): void {
  program
    .command('lookup')
    .description('answer without a server: one place, or a file of places in its order')
    .argument('[address]', 'an Ontario street address')
    .option('--at <LAT,LON>', 'a place in decimal degrees')
    .option(
      '--file <IN>',
      'CSV with a column "address", or columns "lat" and "lon", and "custom_id" if you like; or NDJSON with such members; -: standard input',
    )
    .addOption(
      new Option('--detail <DETAIL>', 'full: with the evidence of each answer')
        .choices(['plain', 'full'])
        .default('full'),
    )
    .option('--layers <KEYS>', 'further answers: all, or their keys with commas between them')
    .option('--address-columns <NAMES>', 'columns of the file that make the address, with commas between their names')
    .addOption(
      new Option(
        '--format <FORMAT>',
        'of the answers to a file (default: what the ending of --out says, else ndjson)',
      ).choices(answerFormats),
    )
    .option('--out <OUT>', 'a file for the answers, which --resume can continue')
    .option('--resume', 'continue an interrupted run with the same input, options and snapshot')
    .addHelpText('after', FILE_HELP)
    .action((address: string | undefined, options: LookupOptions) => lookup(address, options, readArea));
}

const FILE_HELP = `
A file: the answers are in the order of the rows, one for each. A bad row is answered with an error. The last line on
standard error counts the rows by outcome. CSV has no columns for evidence, so --detail changes nothing in it.`;

async function lookup(
  address: string | undefined,
  options: LookupOptions,
  readArea: Readers['readArea'],
): Promise<void> {
  const { at, file, detail, layers, addressColumns, format, out = null, resume = false } = options;
  if ([address, at, file].filter((given) => given !== undefined).length !== 1) {
    throw new Error('give exactly one of: an address, --at LAT,LON, --file IN');
  }
  const full = detail === 'full';
  if (file !== undefined) {
    const chosen = format ?? formatOf(out);
    // CSV shows nothing of the evidence, which takes most of the time.
    const asked = { file, format: chosen, full: full && chosen !== 'csv', layers, addressColumns };
    await lookupFile(readConfig(), { ...asked, out, resume, readArea: await readArea() });
  } else if (format !== undefined || out !== null || resume || addressColumns !== undefined) {
    throw new Error('--address-columns, --format, --out and --resume need --file IN');
  } else {
    await lookupOne(placeOf(address, at), { full, layers });
  }
}

function formatOf(out: string | null): AnswerFormat {
  const ending = /\.(\w+)$/.exec(out ?? '')?.[1]?.toLowerCase();
  return answerFormats.find((format) => format === ending) ?? 'ndjson';
}

interface Wanted {
  readonly full: boolean;
  /** As given; undefined: none. */
  readonly layers: string | undefined;
}

async function lookupOne(place: RowPlace, { full, layers }: Wanted): Promise<void> {
  const config = readConfig();
  const { dataDir, geocoding } = config;
  const { dir: snapshotDir, manifest } = requireServableSnapshot(dataDir);
  const catalogue = readCatalogue(config);
  await using lookups = await CommandLookups.start({ geocoding, catalogue, snapshotDir, threads: 1 });
  const answer = await lookups.answer(taskOf(place, { full, ...furtherOf(layers, furtherKeysOf(catalogue)) }));
  const writer = ndjsonWriter(attributionsOf(describeLicences(catalogue, manifest)));
  process.stdout.write(writer.row({ row: 1, customId: null, answer }));
  if (!answer.ok) process.exitCode = 1;
}

function placeOf(address: string | undefined, at: string | undefined): RowPlace {
  if (at === undefined) return { kind: 'address', address: address ?? '' };
  const [lat = '', lon = '', ...rest] = at.split(',');
  const point = rest.length > 0 ? null : parseCoordinate(lat, lon);
  if (!point) throw new Error(`"${at}" is not LAT,LON in decimal degrees`);
  return { kind: 'point', ...point };
}
