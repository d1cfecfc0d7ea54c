import { Option, type Command } from 'commander';
import { readConfig } from '../config.ts';
import { answerFormats, type AnswerFormat } from '../core/rows/writers.ts';
import { lookupOne } from '../core/terminal/lookup-one.ts';
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

export function register(program: Command): void {
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
    .action(lookup);
}

const FILE_HELP = `
A file: the answers are in the order of the rows, one for each. A bad row is answered with an error. The last line on
standard error counts the rows by outcome. CSV has no columns for evidence, so --detail changes nothing in it.`;

async function lookup(address: string | undefined, options: LookupOptions): Promise<void> {
  const { at, file, detail, layers, addressColumns, format, out = null, resume = false } = options;
  if ([address, at, file].filter((given) => given !== undefined).length !== 1) {
    throw new Error('give exactly one of: an address, --at LAT,LON, --file IN');
  }
  const full = detail === 'full';
  if (file !== undefined) {
    const chosen = format ?? formatOf(out);
    // CSV shows nothing of the evidence, which takes most of the time.
    const asked = { file, format: chosen, full: full && chosen !== 'csv', layers, addressColumns };
    await lookupFile(readConfig(), { ...asked, out, resume });
  } else if (format !== undefined || out !== null || resume || addressColumns !== undefined) {
    throw new Error('--address-columns, --format, --out and --resume need --file IN');
  } else {
    await lookupOne(readConfig, address, options);
  }
}

function formatOf(out: string | null): AnswerFormat {
  const ending = /\.(\w+)$/.exec(out ?? '')?.[1]?.toLowerCase();
  return answerFormats.find((format) => format === ending) ?? 'ndjson';
}
