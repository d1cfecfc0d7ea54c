import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { readCatalogue, type DefinitionFolders } from '../../catalogue/read/read-definitions.ts';
import type { Config } from '../../core/settings/config.ts';
import { beginJob } from '../../core/snapshots/jobs.ts';
import { patient } from '../../core/outbound/retry.ts';
import { LookupPool } from '../../core/pool/lookup-pool.ts';
import { runWorker } from '../../core/pool/run-worker.ts';
import type { ImportLayersTask, ImportProgress } from '../../messages/import.ts';
import { readableSnapshots, requireCurrentSnapshot } from '../../core/snapshots/current.ts';
import { openFolder, openPlace } from './open-place.ts';
import { pullSnapshot, type PulledSnapshot } from './pull-snapshot.ts';
import { pushSnapshot } from './push-snapshot.ts';
import { failureSentence } from '../../core/terminal/failure.ts';
import { ProgressDisplay, type Output } from '../../core/terminal/progress-display.ts';
import { sayingWaits } from '../../core/terminal/waits.ts';

/**
 * `land-lookup snapshot pull --from PLACE`. Returns the exit code: 0, or 1 when the snapshot of the place could not be put into service.
 */
export async function pullCommand(
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
        ...{ dataDir, minFreeBytes, retry: sayingWaits(patient, display, place.name) },
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
  const { username } = userInfo();
  throw new Error(
    `there is no folder ${to}: make it for the user of this command with "sudo install -d -o ${username} ${to}"`,
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
    ...{ threads: 1, deadlineMs: lookupDeadlineMs, catalogue: readCatalogue(folders) },
    ...{ isCommand: true, snapshotDir: folder },
  });
  await pool[Symbol.asyncDispose]();
}

export interface PushOptions {
  readonly to: string;
  /** Number of newest snapshots that the place keeps. */
  readonly keep: number;
}

/**
 * `land-lookup snapshot push [ID] --to PLACE`; without an id, the one in service.
 * @throws Error when it is not sound, or the place does not take it.
 */
export async function pushCommand(
  { dataDir, minFreeDiskBytes }: Pick<Config, 'dataDir' | 'minFreeDiskBytes'>,
  id: string | null,
  { to, keep, output = process.stdout }: PushOptions & { readonly output?: Output },
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
