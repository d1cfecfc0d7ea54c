import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { readConfig } from '../config.ts';
import type { Config } from '../settings/config.ts';
import { needsRegister, type GeocodingConfig } from '../settings/setting-groups.ts';
import { asJob } from './as-job.ts';
import type { ImportLayersTask, ImportProgress } from '../shared/contract/import.ts';
import { runWorker } from '../pool/run-worker.ts';
import {
  currentSnapshot,
  hasCurrentLink,
  idInService,
  listSnapshots,
  missingAddresses,
  missingLayers,
  readManifest,
} from '../snapshots/current.ts';
import type { SnapshotManifest } from '../shared/contract/manifest.ts';
import { isSnapshotId, REPAIR } from '../shared/snapshots.ts';
import { snapshotsFolder } from '../snapshots/folders.ts';
import { pruneSnapshots } from '../snapshots/prune.ts';
import { useSnapshot } from '../snapshots/publish.ts';
import { readConfigOfData } from './data-folder.ts';
import { ProgressDisplay, type Output } from './progress-display.ts';
import { pullCommand, pushCommand, type PushOptions } from './snapshot-transfer.ts';
import { textTable } from './text-table.ts';
import { grouped } from '../shared/words.ts';

type Data = Pick<Config, 'dataDir' | 'geocoding'>;

export function register(program: Command): void {
  const snapshot = program.command('snapshot').description('manage stored snapshots');
  snapshot
    .command('list')
    .description('print the stored snapshots, oldest first')
    .action(() => {
      listCommand(readConfigOfData());
    });
  snapshot
    .command('use')
    .description('put a stored snapshot into service; running servers change to it within seconds')
    .argument('<id>', 'as "snapshot list" shows it')
    .option('--force', 'also one without addresses, with which lookups of addresses get 503')
    .action((id: string, { force }: { force?: true }) => {
      useCommand(readConfigOfData(), id, { force: force === true });
    });
  snapshot
    .command('verify')
    .description('check the checksums, the file, its tables and indexes')
    .argument('[id]', 'default: the snapshot in service')
    .action((id: string | undefined) => verifyCommand(readConfigOfData(), id ?? null));
  snapshot
    .command('prune')
    .description('delete old snapshots, never the one in service or one that a batch needs')
    .option('--keep <N>', 'number of newest snapshots to keep', parseKeep, 3)
    .action(({ keep }: { keep: number }) => {
      const config = readConfigOfData();
      return asJob(config.dataDir, 'prune', () => {
        pruneCommand(config, keep);
      });
    });
  registerTransfer(snapshot);
}

function registerTransfer(snapshot: Command): void {
  snapshot
    .command('pull')
    .description('fetch the snapshot that another machine has in service, check it, and put it into service')
    .requiredOption(
      '--from <URL|DIR>',
      'admin port of the other machine (http://host:18081/snapshots), or where "snapshot push" stores',
    )
    .addHelpText('after', '\nOnly what differs is fetched. An interrupted pull goes on where it stopped.')
    .action(async ({ from }: { from: string }) => {
      process.exitCode = await pullCommand(readConfig(), from);
    });
  snapshot
    .command('push')
    .description('store a snapshot in a folder, for "snapshot pull" on other machines')
    .argument('[id]', 'default: the snapshot in service')
    .requiredOption('--to <DIR>', 'a folder that other machines reach, or that a web server offers')
    .option('--keep <N>', 'number of newest snapshots that stay there', parseKeep, 3)
    .action((id: string | undefined, options: PushOptions) => pushCommand(readConfigOfData(), id ?? null, options));
}

function parseKeep(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 1');
}

/** `land-lookup snapshot list`. */
export function listCommand({ dataDir, geocoding }: Data, output: Output = process.stdout): void {
  const current = idInService(dataDir);
  const rows = listSnapshots(dataDir).map((one) => {
    const state = one.id === current ? 'in service' : '';
    if (!('manifest' in one)) return [one.id, state, '', '', '', `cannot be served: ${one.fault}`];
    const { dataSets, gazetteer, checksum } = one.manifest;
    return [
      one.id,
      state,
      String(Object.keys(dataSets).length),
      gazetteer ? grouped(gazetteer.civicPoints) : 'none',
      grouped(Math.ceil(checksum.bytes / 1e6)),
      remarksOn(one.manifest, geocoding).join(', '),
    ];
  });
  const table = textTable(['snapshot', '', 'data sets', 'addresses', 'MB', ''], rows);
  output.write(rows.length > 0 ? `${table}\n` : 'There is no snapshot.\n');
  if (current === null && hasCurrentLink(dataDir)) {
    output.write(`None is in service, because the link "current" leads to one that does not exist: ${REPAIR}.\n`);
  }
}

function remarksOn(manifest: SnapshotManifest, geocoding: GeocodingConfig): string[] {
  return [
    ...(manifest.sample ? ['sample'] : []),
    ...(missingLayers(manifest) === null ? [] : ['cannot be served without layers']),
    ...(needsRegister(geocoding) && manifest.gazetteer === null ? ['cannot answer lookups of addresses'] : []),
  ];
}

export interface UseOptions {
  /** Also a snapshot that cannot answer lookups of addresses. */
  readonly force: boolean;
}

/**
 * `land-lookup snapshot use ID`.
 * @throws Error when there is no such snapshot, or it cannot answer what the one in service may answer.
 */
export function useCommand(
  { dataDir, geocoding }: Data,
  id: string,
  { force, output = process.stdout }: UseOptions & { readonly output?: Output },
): void {
  const manifest = findManifest(dataDir, id);
  const layers = missingLayers(manifest);
  if (layers !== null) throw new Error(`snapshot ${id} ${layers}`);
  const addresses = needsRegister(geocoding) ? missingAddresses(manifest) : null;
  if (addresses !== null && !force)
    throw new Error(`snapshot ${id} ${addresses}, or use another one, or this one with --force`);
  useSnapshot(dataDir, id);
  output.write(`Snapshot ${id} is in service.\n`);
  if (addresses !== null) output.write(`It ${addresses}.\n`);
}

/** @throws Error when there is no such snapshot, or its manifest cannot be read. */
function findManifest(dataDir: string, id: string): SnapshotManifest {
  const dir = join(snapshotsFolder(dataDir), id);
  if (!isSnapshotId(id) || !existsSync(dir))
    throw new Error(`there is no snapshot "${id}": "land-lookup snapshot list" shows them`);
  return readManifest(dir);
}

/**
 * `land-lookup snapshot verify [ID]`; without an id, the one in service.
 * @throws Error that says what is wrong with it.
 */
export async function verifyCommand(
  { dataDir }: Pick<Config, 'dataDir'>,
  id: string | null,
  output: Output = process.stdout,
): Promise<void> {
  const chosen = id ?? currentSnapshot(dataDir)?.id;
  if (chosen === undefined) throw new Error(`there is no snapshot in ${dataDir}`);
  findManifest(dataDir, chosen);
  const display = new ProgressDisplay(output);
  const task: ImportLayersTask = { kind: 'verify', folder: join(snapshotsFolder(dataDir), chosen) };
  try {
    await runWorker<ImportLayersTask, ImportProgress, null>('import-layers', task, display.show);
  } catch (cause) {
    const next = chosen === idInService(dataDir) ? `: ${REPAIR}` : '';
    throw new Error(`snapshot ${chosen} is damaged (${(cause as Error).message})${next}`, { cause });
  }
  output.write(`Snapshot ${chosen} is valid.\n`);
}

/** `land-lookup snapshot prune`: keeps the newest `keep`, the one in service and those that batches need. */
function pruneCommand({ dataDir }: Pick<Config, 'dataDir'>, keep: number, output: Output = process.stdout): void {
  const gone = pruneSnapshots(dataDir, keep);
  output.write(gone.length > 0 ? `Deleted: ${gone.join(', ')}\n` : 'Nothing to delete.\n');
}
