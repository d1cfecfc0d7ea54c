import { join } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { readCatalogue } from '../catalogue/read/read-definitions.ts';
import type { ImportAddressesResult, ImportAddressesTask, ImportProgress } from '../messages/import.ts';
import { beginJob } from '../core/snapshots/jobs.ts';
import { runWorker } from '../core/pool/run-worker.ts';
import { startBuilding } from '../core/snapshots/building.ts';
import { missingLayers } from '../core/snapshots/current.ts';
import { failureSentence, textTable } from '../core/terminal/command.ts';
import { publishedSentence } from './import-report.ts';
import { requireFetcher, type ImportConfig, type ImportReaders, type SourceFetcher } from './source-fetcher.ts';
import { ProgressDisplay, type Output } from '../core/terminal/progress-display.ts';
import { dayOf, isDay, isToCome } from '../messages/time.ts';
import { grouped } from '../words.ts';

const usage = (places: string): string => `tell load-addresses what to import:
  land-lookup load-addresses --from ${places.padEnd(11)}   the National Address Register (docs/importing.md)
  land-lookup load-addresses --sample             the small invented register that comes with this project
`;

/** Where the register may be. */
const placesOf = (fetcher: SourceFetcher | null): string => (fetcher === null ? 'DIR|ZIP' : 'DIR|ZIP|URL');

export async function register(program: Command, readers: ImportReaders): Promise<void> {
  const fetcher = await readers.fetcher();
  const orUrl = fetcher === null ? ' or its zip file' : ' its zip file, or the URL of the zip file';
  program
    .command('load-addresses')
    .description("import Statistics Canada's National Address Register into a new snapshot and put it into service")
    .option(`--from <${placesOf(fetcher)}>`, `folder with Addresses/ and Locations/ of the register,${orUrl}`)
    .option('--sample', 'import the small invented register that comes with this project')
    .option('--as-of <DATE>', "the register's date, YYYY-MM-DD (default: the newest file's)", parseDate)
    .option('--force', 'accept a register that lost more than 5 % of its addresses')
    .action(async (options: Parameters<typeof loadAddresses>[1]) => {
      process.exitCode = await loadAddresses(readers.config(), options, process.stdout, fetcher);
    });
}

/**
 * `land-lookup load-addresses`: replaces the gazetteer and keeps the layers. Returns the exit code: 0, or 1 when
 * nothing was published.
 */
export async function loadAddresses(
  { dataDir, minFreeDiskBytes: minFreeBytes = 0, ...folders }: ImportConfig,
  {
    from,
    asOf,
    sample,
    force,
  }: {
    /** Register folder with `Addresses/` and `Locations/`, a zip file that holds them, or the zip file's URL. */
    readonly from?: string;
    /** YYYY-MM-DD. */
    readonly asOf?: string;
    /** Import the bundled invented register. */
    readonly sample?: boolean;
    /** Accept a register that lost more than 5 % of its addresses. */
    readonly force?: boolean;
  },
  output: Output = process.stdout,
  fetcher: SourceFetcher | null = null,
): Promise<number> {
  const folder = folderOf(folders, from, sample);
  if (folder === null) {
    output.write(usage(placesOf(fetcher)));
    return 1;
  }
  const display = new ProgressDisplay(output);
  const read = {
    definitions: readCatalogue(folders).version,
    asOf: asOf ?? null,
    sample: sample === true,
    force: force === true,
  };
  const run = sample === true ? null : beginJob(dataDir, 'address_refresh');
  try {
    const take = (from: string): Promise<Imported> => importFrom(from, dataDir, { read, display, minFreeBytes });
    const result = /^https?:\/\//i.test(folder)
      ? await requireFetcher(fetcher, '--from DIR or ZIP').register(folder, { dataDir, minFreeBytes, display }, take)
      : await take(folder);
    display.end();
    output.write(report(result) + dateWarning(result.record, read));
    return endOf(result, run);
  } catch (cause) {
    display.end();
    const why = failureSentence(cause);
    run?.failed(why);
    output.write(`load-addresses: ${why}; the snapshot in service is unchanged\n`);
    return 1;
  }
}

/** Returns the exit code. */
function endOf({ chosen }: Imported, run: ReturnType<typeof beginJob> | null): number {
  if (chosen === null) run?.succeeded();
  else run?.failed('another snapshot was put into service meanwhile');
  return chosen === null ? 0 : 1;
}

/** Returns what to import, or null when that is not said, or said twice. */
function folderOf(
  { layersDir }: Pick<ImportConfig, 'layersDir'>,
  from: string | undefined,
  sample: boolean | undefined,
): string | null {
  if (sample !== true) return from ?? null;
  return from === undefined ? join(layersDir, 'sample', 'addresses') : null;
}

interface Imported extends ImportAddressesResult {
  /** As `publish` of a building gives it. */
  readonly chosen: string | null;
}

async function importFrom(
  from: string,
  dataDir: string,
  {
    read,
    display,
    minFreeBytes,
  }: {
    readonly read: Pick<ImportAddressesTask, 'definitions' | 'asOf' | 'sample' | 'force'>;
    readonly display: ProgressDisplay;
    readonly minFreeBytes: number;
  },
): Promise<Imported> {
  using building = startBuilding(dataDir, minFreeBytes);
  const { folder, current } = building;
  const result = await runWorker<ImportAddressesTask, ImportProgress, ImportAddressesResult>(
    'import-addresses',
    { building: { folder, current, minFreeBytes }, from, ...read },
    display.show,
  );
  return { ...result, chosen: building.publish(result.manifest) };
}

/** The register has no date inside: files that are as new as the import were probably copied or unpacked for it. */
function dateWarning(
  { asOf }: ImportAddressesResult['record'],
  { asOf: given, sample }: Pick<ImportAddressesTask, 'asOf' | 'sample'>,
): string {
  if (given !== null || sample || asOf < dayOf(Date.now())) return '';
  return (
    `Warning: the files of the register are of today, so ${asOf} stands as its date in answers and attributions. If they were copied, give the date ` +
    'of the release with --as-of.\n'
  );
}

function report({ manifest, record, chosen }: Imported): string {
  const head = ['rows', 'civic points', 'streets', 'doubtful', 'dropped', 'as of', ''];
  const dropped = Object.entries(record.dropped).map(([reason, count]) => `${grouped(count)} ${reason}`);
  const sum = Object.values(record.dropped).reduce((total, count) => total + count, 0);
  const { addressRows, civicPoints, streets, outliers, asOf } = record;
  const cells = [
    grouped(addressRows),
    grouped(civicPoints),
    grouped(streets),
    grouped(outliers),
    grouped(sum),
    asOf,
    dropped.join(', '),
  ];
  const layers = missingLayers(manifest);
  const next = layers === null ? '' : `It ${layers}.\n`;
  return `\n${textTable(head, [cells])}\n\n${publishedSentence(manifest, chosen)}${next}`;
}

function parseDate(text: string): string {
  if (isDay(text) && !isToCome(text)) return text;
  throw new InvalidArgumentError('a date as YYYY-MM-DD, and none to come');
}
