import { Help, Option, type Command } from 'commander';
import { lookupOne, type LookupOneOptions } from '../../../core/terminal/lookup-one.ts';
import type { Readers, RowMember } from '../../../feature.ts';
import { answerFormats, type AnswerFormat } from '../rows/writers.ts';
import { lookupFile } from './lookup-file.ts';

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
  { config, readArea }: Readers,
  address: string | undefined,
  { brought, ...options }: LookupOptions & { readonly brought: readonly RowMember[] },
): Promise<void> {
  const { at, file, detail, layers, addressColumns, format, out = null, resume = false } = options;
  const members = brought.filter(({ member }) => options[member.parameter] !== undefined);
  if ([address, at, file].filter((given) => given !== undefined).length !== 1) {
    throw new Error('give exactly one of: an address, --at LAT,LON, --file IN');
  }
  if (file !== undefined) {
    const chosen = format ?? formatOf(out);
    // CSV shows nothing of the evidence, which takes most of the time.
    const full = detail === 'full' && chosen !== 'csv';
    const asked = { file, format: chosen, full, layers, addressColumns, out, resume, members, given: options };
    await lookupFile(config(), { ...asked, readArea: await readArea() });
  } else if (format !== undefined || out !== null || resume || addressColumns !== undefined) {
    throw new Error('--address-columns, --format, --out and --resume need --file IN');
  } else if (members.length > 0) {
    throw new Error(`${members.map(({ member }) => `--${member.parameter}`).join(', ')} needs --file IN`);
  } else {
    await lookupOne(config, address, options);
  }
}

function formatOf(out: string | null): AnswerFormat {
  const ending = /\.(\w+)$/.exec(out ?? '')?.[1]?.toLowerCase();
  return answerFormats.find((format) => format === ending) ?? 'ndjson';
}
