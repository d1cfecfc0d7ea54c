import { join } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { readConfig, type Config } from '../config.ts';
import type { ImportLayersTask, ImportProgress } from '../shared/contract/import.ts';
import { runWorker } from '../pool/run-worker.ts';
import { currentSnapshot, listSnapshots } from '../snapshots/current.ts';
import { isSnapshotId } from '../shared/snapshots.ts';
import { snapshotsFolder } from '../snapshots/folders.ts';
import { pruneSnapshots } from '../snapshots/prune.ts';
import { useSnapshot } from '../snapshots/publish.ts';
import { ProgressDisplay, type Output } from './progress-display.ts';
import { pullCommand, pushCommand, type PushOptions } from './snapshot-transfer.ts';
import { textTable } from './text-table.ts';

type Data = Pick<Config, 'dataDir'>;

export function register(program: Command): void {
  const snapshot = program.command('snapshot').description('manage stored snapshots');
  snapshot
    .command('list')
    .description('print the stored snapshots, oldest first')
    .action(() => {
      listCommand(readConfig());
    });
  snapshot
    .command('use')
    .description('put a stored snapshot into service; running servers change to it within seconds')
    .argument('<id>', 'as "snapshot list" shows it')
    .action((id: string) => {
      useCommand(readConfig(), id);
    });
  snapshot
    .command('verify')
    .description('check the checksums, the file, its tables and indexes')
    .argument('[id]', 'default: the snapshot in service')
    .action((id: string | undefined) => verifyCommand(readConfig(), id ?? null));
  snapshot
    .command('prune')
    .description('delete old snapshots, never the one in service or one that a batch needs')
    .option('--keep <N>', 'number of newest snapshots to keep', parseKeep, 3)
    .action(({ keep }: { keep: number }) => {
      pruneCommand(readConfig(), keep);
    });
  registerTransfer(snapshot);
}

function registerTransfer(snapshot: Command): void {
  snapshot
    .command('pull')
    .description('fetch the snapshot that another machine has in service, check it, and put it into service')
    .requiredOption(
      '--from <URL|DIR|s3://…>',
      'admin port of the other machine (http://host:18081/snapshots), or where "snapshot push" stores',
    )
    .addHelpText('after', '\nOnly what differs is fetched. An interrupted pull goes on where it stopped.')
    .action(async ({ from }: { from: string }) => {
      process.exitCode = await pullCommand(readConfig(), from);
    });
  snapshot
    .command('push')
    .description('store a snapshot in a folder or a bucket, for "snapshot pull" on other machines')
    .argument('[id]', 'default: the snapshot in service')
    .requiredOption('--to <DIR|s3://…>', 'folder, or s3://bucket/prefix (settings: docs/operations.md)')
    .option('--keep <N>', 'number of newest snapshots that stay there', parseKeep, 3)
    .action((id: string | undefined, options: PushOptions) => pushCommand(readConfig(), id ?? null, options));
}

function parseKeep(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 1');
}

/** `land-lookup snapshot list`. */
export function listCommand({ dataDir }: Data, output: Output = process.stdout): void {
  const current = currentSnapshot(dataDir)?.id;
  const rows = listSnapshots(dataDir).map(({ id, manifest }) => [
    id,
    id === current ? 'in service' : '',
    String(Object.keys(manifest.dataSets).length),
    manifest.gazetteer ? manifest.gazetteer.civicPoints.toLocaleString('en-CA') : 'none',
    Math.ceil(manifest.checksum.bytes / 1e6).toLocaleString('en-CA'),
    manifest.sample ? 'sample' : '',
  ]);
  const table = textTable(['snapshot', '', 'data sets', 'addresses', 'MB', ''], rows);
  output.write(rows.length > 0 ? `${table}\n` : 'There is no snapshot.\n');
}

/** `land-lookup snapshot use ID`. @throws Error when there is no such snapshot. */
export function useCommand({ dataDir }: Data, id: string, output: Output = process.stdout): void {
  useSnapshot(dataDir, id);
  output.write(`Snapshot ${id} is in service.\n`);
}

/**
 * `land-lookup snapshot verify [ID]`; without an id, the one in service.
 * @throws Error that says what is wrong with it.
 */
export async function verifyCommand(
  { dataDir }: Data,
  id: string | null,
  output: Output = process.stdout,
): Promise<void> {
  const chosen = id ?? currentSnapshot(dataDir)?.id;
  if (chosen === undefined) throw new Error('there is no snapshot');
  if (!isSnapshotId(chosen)) throw new Error(`there is no snapshot "${chosen}"`);
  const display = new ProgressDisplay(output);
  const task: ImportLayersTask = { kind: 'verify', folder: join(snapshotsFolder(dataDir), chosen) };
  await runWorker<ImportLayersTask, ImportProgress, null>('import-layers', task, display.show);
  output.write(`Snapshot ${chosen} is valid.\n`);
}

/** `land-lookup snapshot prune`: keeps the newest `keep`, the one in service and those that batches need. */
export function pruneCommand({ dataDir }: Data, keep: number, output: Output = process.stdout): void {
  const gone = pruneSnapshots(dataDir, keep);
  output.write(gone.length > 0 ? `Deleted: ${gone.join(', ')}\n` : 'Nothing to delete.\n');
}
