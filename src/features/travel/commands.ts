import { naming } from '../../core/outbound/failures.ts';
import type { Command } from 'commander';
import { parseKept, failureSentence } from '../../core/terminal/command.ts';
import type { Readers } from '../../feature.ts';
import { type DefinitionFolders, readCatalogue } from '../../catalogue/read/read-definitions.ts';
import type { Config } from '../../core/settings/config.ts';
import { beginJob } from '../../core/snapshots/jobs.ts';
import { patient } from '../../core/outbound/retry.ts';
import { LookupPool } from '../../core/pool/lookup-pool.ts';
import { runWorker } from '../../core/pool/run-worker.ts';
import type { ImportLayersTask, ImportProgress } from '../../messages/import.ts';
import { readableSnapshots, requireCurrentSnapshot } from '../../core/snapshots/current.ts';
import { type PulledSnapshot, pullSnapshot } from './pull-snapshot.ts';
import { type Output, ProgressDisplay, sayingWaits } from '../../core/terminal/progress-display.ts';
import {
  FolderPlace,
  type SnapshotPlace,
  currentText,
  NotThere,
  readCurrentId,
  snapshotFiles,
  UrlPlace,
} from './place.ts';
import type { StoredSnapshot } from '../../messages/manifest.ts';
import { existsSync, readFileSync } from 'node:fs';
import { userName } from '../../core/keys/user-name.ts';
import { join } from 'node:path';

/** Adds to `land-lookup snapshot` what moves snapshots between machines. */
export function register(program: Command, { config, configOfData }: Readers): void {
  const snapshot = program.commands.find((one) => one.name() === 'snapshot')!;
  snapshot
    .command('pull')
    .description('fetch the snapshot that another machine has in service, check it, and put it into service')
    .requiredOption(
      '--from <URL|DIR>',
      'admin port of the other machine (http://host:18081/snapshots), or where "snapshot push" stores',
    )
    .addHelpText('after', '\nOnly what differs is fetched. An interrupted pull goes on where it stopped.')
    .action(async ({ from }: { from: string }) => {
      process.exitCode = await pullCommand(config(), from);
    });
  snapshot
    .command('push')
    .description('store a snapshot in a folder, for "snapshot pull" on other machines')
    .argument('[id]', 'default: the snapshot in service')
    .requiredOption('--to <DIR>', 'a folder that other machines reach, or that a web server offers')
    .option('--keep <N>', 'number of newest snapshots that stay there', parseKept, 3)
    .action((id: string | undefined, options: Parameters<typeof pushCommand>[2]) =>
      pushCommand(configOfData(), id ?? null, options),
    );
}

/**
 * `land-lookup snapshot pull --from PLACE`. Returns the exit code: 0, or 1 when the snapshot of the place could not be put into service.
 */
async function pullCommand(
  config: DefinitionFolders & Pick<Config, 'dataDir' | 'lookupDeadlineMs'> & Partial<Pick<Config, 'minFreeDiskBytes'>>,
  from: string,
  output: Output = process.stdout,
): Promise<number> {
  const { dataDir, minFreeDiskBytes: minFreeBytes = 0 } = config;
  const display = new ProgressDisplay(output);
  const run = beginJob(dataDir, 'follow');
  try {
    const place = openPlace(from, minFreeBytes);
    try {
      const pulled = await pullSnapshot(place, {
        dataDir,
        minFreeBytes,
        retry: sayingWaits(patient, display, place.name),
        verify: (folder) => verifyForeign(folder, config, display),
        onProgress: (done, total, found) => {
          display.show({ kind: 'rows', name: 'land.gpkg (pull)', unit: 'bytes', done, total, found });
        },
      });
      display.end();
      run.succeeded();
      output.write(sentence(pulled));
      return 0;
    } finally {
      place[Symbol.dispose]();
    }
  } catch (cause) {
    display.end();
    const why = failureSentence(cause);
    run.failed(why);
    output.write(`snapshot pull: ${why}; the snapshot in service is unchanged\n`);
    return 1;
  }
}

/** @throws Error that says how to make the folder; a place that is none has its own errors. */
function requireFolder(to: string): void {
  if (to.includes('://') || existsSync(to)) return;
  throw new Error(
    `there is no folder ${to}: make it for the user of this command with "sudo install -d -o ${userName()} ${to}"`,
  );
}

function sentence({ id, was, fetchedBytes, bytes }: PulledSnapshot): string {
  if (was === 'in service') return `Snapshot ${id} is in service already.\n`;
  const how =
    was === 'stored' ? 'it was stored here' : `${megabytes(fetchedBytes)} of ${megabytes(bytes)} were fetched`;
  return `Snapshot ${id} is in service (${how}).\n`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString('en-CA', { maximumFractionDigits: 1 })} MB`;
}

/** Compares a snapshot of another machine with its manifest, then answers a lookup from it, as a service does when it starts. */
async function verifyForeign(
  folder: string,
  { lookupDeadlineMs, ...folders }: DefinitionFolders & Pick<Config, 'lookupDeadlineMs'>,
  display: ProgressDisplay,
): Promise<void> {
  display.end();
  const task: ImportLayersTask = { kind: 'verify', folder, isForeign: true };
  await runWorker<ImportLayersTask, ImportProgress, null>('import-layers', task, display.show);
  const pool = await LookupPool.start({
    threads: 1,
    deadlineMs: lookupDeadlineMs,
    catalogue: readCatalogue(folders),
    isCommand: true,
    snapshotDir: folder,
  });
  await pool[Symbol.asyncDispose]();
}

/**
 * `land-lookup snapshot push [ID] --to PLACE`; without an id, the one in service.
 * @throws Error when it is not sound, or the place does not take it.
 */
async function pushCommand(
  { dataDir, minFreeDiskBytes }: Pick<Config, 'dataDir' | 'minFreeDiskBytes'>,
  id: string | null,
  {
    to,
    keep,
    output = process.stdout,
  }: {
    readonly to: string;
    /** Number of newest snapshots that the place keeps. */
    readonly keep: number;
    readonly output?: Output;
  },
): Promise<void> {
  const snapshot =
    id === null ? requireCurrentSnapshot(dataDir) : readableSnapshots(dataDir).find((one) => one.id === id);
  if (!snapshot) throw new Error(`there is no snapshot "${id}"`);
  requireFolder(to);
  const place = openFolder(to, minFreeDiskBytes);
  try {
    const display = new ProgressDisplay(output);
    const task: ImportLayersTask = { kind: 'verify', folder: snapshot.dir };
    await runWorker<ImportLayersTask, ImportProgress, null>('import-layers', task, display.show);
    const { isNew, removed } = await pushSnapshot(place, snapshot, {
      keep,
      onProgress: (done, total) => {
        display.show({ kind: 'rows', name: 'land.gpkg (push)', unit: 'bytes', done, total });
      },
    });
    display.end();
    output.write(`${place.name} ${isNew ? 'offers' : 'offers already'} snapshot ${snapshot.id}.\n`);
    if (removed.length > 0) output.write(`Deleted there: ${removed.join(', ')}\n`);
  } finally {
    place[Symbol.dispose]();
  }
}

/** Longest silence of a server, before and in the middle of an answer. */
const IDLE_MS = 60_000;

/**
 * Opens the place that an argument names: a URL or a folder.
 * @param minFreeBytes free disk that is left there.
 * @throws Error when it is none.
 */
function openPlace(text: string, minFreeBytes: number): SnapshotPlace {
  return /^https?:\/\//i.test(text) ? new UrlPlace(text, { idleMs: IDLE_MS }) : openFolder(text, minFreeBytes);
}

/** Opens a folder to fill. @param minFreeBytes free disk that a push leaves. @throws Error when it is no folder. */
function openFolder(text: string, minFreeBytes: number): FolderPlace {
  if (/^s3:/i.test(text))
    throw new Error(
      'snapshots are not read from s3:// or stored there: push into a folder that another program copies to the bucket, and pull from the https:// address of the bucket (docs/operations.md, More machines)',
    );
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) throw new Error('a snapshot is stored in a folder: give the path of one');
  return new FolderPlace(text, minFreeBytes);
}

/**
 * Stores a snapshot in a place and makes it the one to fetch. Whoever fetches meanwhile sees the one before, or this one whole. The caller has
 * verified it, and it has its list of chunks.
 * @param keep number of newest snapshots that the place keeps.
 * @throws Error that names the place.
 */
export async function pushSnapshot(
  place: FolderPlace,
  { id, dir, manifest }: StoredSnapshot,
  { keep, onProgress }: { keep: number; onProgress: (done: number, total: number) => void },
): Promise<{
  readonly isNew: boolean;
  /** Ids of the snapshots that the place no longer has. */
  readonly removed: readonly string[];
}> {
  return await naming(place.name, async () => {
    const before = await readCurrentId(place).catch(unlessNotThere);
    if (before === id) return { isNew: false, removed: [] };
    const total = manifest.checksum.bytes;
    for (const file of snapshotFiles) {
      const path = `${id}/${file}` as const;
      const from = join(dir, file);
      const onBytes = (bytes: number): void => {
        onProgress(bytes, total);
      };
      if (file === 'land.gpkg') await place.writeFile(path, from, onBytes);
      else await place.writeText(path, readFileSync(from, 'utf8'));
    }
    await place.writeText('current', currentText(id));
    return { isNew: true, removed: removeOld(place, { id, keep }) };
  });
}

/** A place without a snapshot gets its first. */
function unlessNotThere(cause: unknown): null {
  if (cause instanceof NotThere) return null;
  throw cause;
}

/** Ids begin with the time. */
function removeOld(place: FolderPlace, { id, keep }: { readonly id: string; readonly keep: number }): string[] {
  const stored = [...place.list()].sort();
  const old = stored.slice(0, Math.max(0, stored.length - keep)).filter((one) => one !== id);
  for (const one of old) place.remove(one);
  return old;
}
