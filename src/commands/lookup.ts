import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import type { Command } from 'commander';
import { readCatalogue } from '../catalogue/read-definitions.ts';
import { readConfig } from '../config.ts';
import type { Coordinate, LookupTask } from '../shared/contract/lookup.ts';
import { parseCoordinate } from '../shared/coordinate.ts';
import { Geocoding } from '../geocoders/geocoding.ts';
import type { Caller } from '../pool/caller.ts';
import { LookupPool } from '../pool/lookup-pool.ts';
import { AppError } from '../shared/problems.ts';
import { requireCurrentSnapshot } from '../snapshots/current.ts';

interface LookupOptions {
  readonly at?: string;
  readonly file?: string;
}

export function register(program: Command): void {
  program
    .command('lookup')
    .description('print full answers without a server, one JSON document per line')
    .argument('[address]', 'an Ontario street address')
    .option('--at <LAT,LON>', 'a place in decimal degrees')
    .option('--file <IN.csv>', 'a CSV file with a column "address", or columns "lat" and "lon"')
    .action(lookup);
}

async function lookup(address: string | undefined, options: LookupOptions): Promise<void> {
  if ([address, options.at, options.file].filter((given) => given !== undefined).length !== 1) {
    throw new Error('give exactly one of: an address, --at LAT,LON, --file IN.csv');
  }
  const config = readConfig();
  await using pool = await LookupPool.start({
    threads: config.workerThreads,
    // Nobody waits for the next lookup of a batch, so a slow answer is better than none.
    deadlineMs: 600_000,
    snapshotDir: requireCurrentSnapshot(config.dataDir).dir,
    catalogue: readCatalogue(config.layersDir),
  });
  using lookups = new Geocoding({ lookup: (task) => pool.lookup(task) }, config.geocoding);
  const tasks = options.file === undefined ? [taskOf({ address, at: options.at })] : readTasks(options.file);
  let failures = 0;
  for await (const line of inOrder(tasks, config.workerThreads * 2, (task) => answerLine(lookups, task))) {
    process.stdout.write(`${line.text}\n`);
    if (!line.ok) failures++;
  }
  if (failures > 0 && options.file === undefined) process.exitCode = 1;
  if (options.file !== undefined) console.error(`${failures} lookups found no answer`);
}

function taskOf({ address, at }: { address?: string | undefined; at?: string | undefined }): LookupTask {
  if (at === undefined) return { kind: 'address', address: address ?? '', full: true };
  const [lat = '', lon = '', ...rest] = at.split(',');
  if (rest.length > 0) throw new Error(`"${at}" is not LAT,LON in decimal degrees`);
  return { kind: 'point', full: true, ...pointOf(lat, lon) };
}

function pointOf(lat: string, lon: string): Coordinate {
  const point = parseCoordinate(lat, lon);
  if (!point) throw new Error(`"${lat},${lon}" is not LAT,LON in decimal degrees`);
  return point;
}

/** Yields one task per row. @throws Error that names the line when the file has neither column. */
async function* readTasks(file: string): AsyncGenerator<LookupTask> {
  const rows = createReadStream(file).pipe(parse({ columns: true, bom: true, trim: true, skip_empty_lines: true }));
  for await (const row of rows as AsyncIterable<Record<string, string | undefined>>) {
    const { address, lat, lon } = row;
    if (address !== undefined) yield { kind: 'address', address, full: true };
    else if (lat !== undefined && lon !== undefined) yield { kind: 'point', full: true, ...pointOf(lat, lon) };
    else throw new Error(`${file} needs a column "address", or columns "lat" and "lon"`);
  }
}

interface Line {
  readonly ok: boolean;
  readonly text: string;
}

const OPERATOR: Caller = { keyId: 'operator', isGone: () => false };

/** Returns a line for a failure too, so that line n always belongs to row n. */
async function answerLine(lookups: Geocoding, task: LookupTask): Promise<Line> {
  try {
    return { ok: true, text: (await lookups.lookup(task, OPERATOR)).json };
  } catch (cause) {
    const { code, message, extras } = AppError.from(cause);
    return { ok: false, text: JSON.stringify({ code, detail: message, ...extras }) };
  }
}

/** Maps with up to `atOnce` under way, and yields the results in the order of the input. */
async function* inOrder<In, Out>(
  input: Iterable<In> | AsyncIterable<In>,
  atOnce: number,
  work: (item: In) => Promise<Out>,
): AsyncGenerator<Out> {
  const running: Promise<Out>[] = [];
  for await (const item of input) {
    running.push(work(item));
    if (running.length >= atOnce) yield await running.shift()!;
  }
  for (const last of running) yield await last;
}
