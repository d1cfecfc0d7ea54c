import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../core/settings/config.ts';
import { type DefinitionFolders, readCatalogue } from '../catalogue/read/read-definitions.ts';
import { needsRegister } from '../core/settings/config.ts';
import { asJob, parseKept, textTable } from '../core/terminal/command.ts';
import type { ImportLayersTask, ImportProgress } from '../messages/import.ts';
import { hasNotStarted, runWorker } from '../core/pool/run-worker.ts';
import {
  currentSnapshot,
  hasCurrentLink,
  idInService,
  listSnapshots,
  missingAddresses,
  missingLayers,
  readManifest,
  idNamedInService,
  readableSnapshots,
} from '../core/snapshots/current.ts';
import { type SnapshotManifest, type StoredSnapshot, isSnapshotId, REPAIR } from '../messages/manifest.ts';
import { snapshotsFolder, buildingPrefix } from '../core/snapshots/folders.ts';
import { useSnapshot } from '../core/snapshots/publish.ts';
import { readConfigOfData } from '../config.ts';
import { type Output, ProgressDisplay } from '../core/terminal/progress-display.ts';
import { grouped } from '../words.ts';
import { DAY_MS } from '../messages/time.ts';
import { removeLeftovers, takeImportLock, removeAbandoned } from '../core/snapshots/building.ts';
import { readNeeded } from '../core/snapshots/needed.ts';
import { notePruned } from '../core/snapshots/vintages.ts';

type Data = Pick<Config, 'dataDir' | 'geocoders'> & DefinitionFolders;

export function register(program: Command): void {
  const snapshot = program.command('snapshot').description('manage stored snapshots');
  snapshot
    .command('list')
    .description('print the stored snapshots, oldest first')
    .option('--json', 'print one JSON document, with what each lacks and what could not be refreshed')
    .action(({ json }: { json?: true }) => {
      listCommand(readConfigOfData(), process.stdout, json === true);
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
    .option('--keep <N>', 'number of newest snapshots to keep', parseKept, 3)
    .option('--monthly <M>', 'keep also the last one of each of the last M months (UTC)', parseKept)
    .action(({ keep, monthly = 0 }: { keep: number; monthly?: number }) => {
      const config = readConfigOfData();
      return asJob(config.dataDir, 'prune', () => {
        pruneCommand(config, { keep, monthly });
      });
    });
}

/** A line of the list. */
interface ListedSnapshot {
  readonly id: string;
  readonly inService: boolean;
  /** Why it cannot be served; all that follows is missing then. */
  readonly fault?: string;
  readonly createdAt?: string;
  readonly dataSets?: readonly string[];
  /** Data sets that have a definition here, and are not in it. */
  readonly lacks?: readonly string[];
  /** Since when and why data sets are those of an earlier import. */
  readonly refreshFailed?: Readonly<Record<string, { readonly since: string; readonly reason: string }>>;
  /** Null: it has no address register. */
  readonly addresses?: number | null;
  readonly bytes?: number;
  readonly remarks?: readonly string[];
}

/** `land-lookup snapshot list`. */
export function listCommand(data: Data, output: Output = process.stdout, asJson = false): void {
  const { dataDir } = data;
  const defined = readCatalogue(data).dataSets.map(({ id }) => id);
  const listed = listSnapshots(dataDir).map((one) => describeSnapshot(one, data, defined));
  if (asJson) {
    output.write(`${JSON.stringify(listed)}\n`);
    return;
  }
  const table = textTable(['snapshot', '', 'data sets', 'not refreshed', 'addresses', 'MB', ''], listed.map(rowOf));
  output.write(listed.length > 0 ? `${table}\n` : 'There is no snapshot.\n');
  if (idInService(dataDir) === null && hasCurrentLink(dataDir)) {
    output.write(`None is in service, because the link "current" leads to one that does not exist: ${REPAIR}.\n`);
  }
}

function describeSnapshot(
  one: ReturnType<typeof listSnapshots>[number],
  data: Data,
  defined: readonly string[],
): ListedSnapshot {
  const { id } = one;
  const inService = id === idInService(data.dataDir);
  if (!('manifest' in one)) return { id, inService, fault: one.fault };
  const { createdAt, dataSets, gazetteer, checksum } = one.manifest;
  const failed = Object.entries(dataSets).flatMap(([name, { refreshFailed }]) =>
    refreshFailed ? [[name, refreshFailed]] : [],
  );
  return {
    id,
    inService,
    createdAt,
    dataSets: Object.keys(dataSets),
    lacks: defined.filter((name) => !(name in dataSets)),
    refreshFailed: Object.fromEntries(failed) as NonNullable<ListedSnapshot['refreshFailed']>,
    addresses: gazetteer?.civicPoints ?? null,
    bytes: checksum.bytes,
    remarks: remarksOn(one.manifest, data),
  };
}

function rowOf(snapshot: ListedSnapshot): string[] {
  const {
    id,
    inService,
    fault,
    dataSets = [],
    lacks = [],
    refreshFailed = {},
    addresses,
    bytes = 0,
    remarks = [],
  } = snapshot;
  const state = inService ? 'in service' : '';
  if (fault !== undefined) return [id, state, '', '', '', '', `cannot be served: ${fault}`];
  return [
    ...[id, state, `${dataSets.length} of ${dataSets.length + lacks.length}`, notRefreshed(refreshFailed)],
    typeof addresses === 'number' ? grouped(addresses) : 'none',
    grouped(Math.ceil(bytes / 1e6)),
    remarks.join(', '),
  ];
}

/** For example `greenbelt since 2026-10-03`, or `3 since 2026-10-03`. */
function notRefreshed(failed: NonNullable<ListedSnapshot['refreshFailed']>): string {
  const names = Object.keys(failed);
  const [since] = Object.values(failed)
    .map((one) => one.since)
    .sort();
  return since === undefined ? '' : `${names.length === 1 ? names[0]! : names.length} since ${since.slice(0, 10)}`;
}

function remarksOn(manifest: SnapshotManifest, data: Data): string[] {
  return [
    ...(manifest.sample ? ['sample'] : []),
    ...(missingLayers(manifest) === null ? [] : ['cannot be served without layers']),
    ...(needsRegister(data) && manifest.gazetteer === null ? ['cannot answer lookups of addresses'] : []),
  ];
}

/**
 * `land-lookup snapshot use ID`.
 * @throws Error when there is no such snapshot, or it cannot answer what the one in service may answer.
 */
export function useCommand(
  data: Data,
  id: string,
  {
    force,
    output = process.stdout,
  }: {
    /** Also a snapshot that cannot answer lookups of addresses. */
    readonly force: boolean;
  } & { readonly output?: Output },
): void {
  const manifest = findManifest(data.dataDir, id);
  const layers = missingLayers(manifest);
  if (layers !== null) throw new Error(`snapshot ${id} ${layers}`);
  const addresses = needsRegister(data) ? missingAddresses(manifest) : null;
  if (addresses !== null && !force)
    throw new Error(`snapshot ${id} ${addresses}, or use another one, or this one with --force`);
  useSnapshot(data.dataDir, id);
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
    if (hasNotStarted(cause)) throw cause;
    const next = chosen === idInService(dataDir) ? `: ${REPAIR}` : '';
    throw new Error(`snapshot ${chosen} is damaged (${(cause as Error).message})${next}`, { cause });
  }
  output.write(`Snapshot ${chosen} is valid.\n`);
}

/** `land-lookup snapshot prune`: keeps the newest `keep`, the last of `monthly` months, the one in service and those that batches need. */
function pruneCommand(
  { dataDir }: Pick<Config, 'dataDir'>,
  { keep, monthly }: Readonly<Record<'keep' | 'monthly', number>>,
  output: Output = process.stdout,
): void {
  const gone = pruneSnapshots(dataDir, keep, monthly);
  output.write(gone.length > 0 ? `Deleted: ${gone.join(', ')}\n` : 'Nothing to delete.\n');
}

/** Time in ms after which nobody goes back to the release before: its snapshot may go. */
const WAY_BACK_MS = 60 * DAY_MS;

/**
 * Deletes all but the newest `keep` snapshots and the last of each of the last `monthly` months that have one (UTC), never the one in service, one that a batch needs, one whose manifest cannot be read or, for 60 days, the newest whose addresses
 * an earlier release reads, and what imports left that did not finish.
 * Returns the names of the deleted folders.
 * @throws LockHeld while an import is running: it may copy from an old snapshot, and its own is not in service yet.
 */
export function pruneSnapshots(dataDir: string, keep: number, monthly = 0): string[] {
  const lock = takeImportLock(dataDir);
  try {
    return [...removeLeftovers(dataDir), ...removeAbandoned(dataDir), ...removeOld(dataDir, keep, monthly)];
  } finally {
    lock[Symbol.dispose]();
  }
}

function removeOld(dataDir: string, keep: number, monthly: number): string[] {
  const all = readableSnapshots(dataDir);
  const kept = new Set([idInService(dataDir), ...readNeeded(dataDir), wayBack(all), ...lastOfMonths(all, monthly)]);
  const old = all.slice(keep).filter(({ id }) => !kept.has(id));
  const ids = old.map(({ id }) => id);
  const oldestFirst = old.reverse();
  const gone: StoredSnapshot[] = [];
  const removeNext = (): void => {
    const one = oldestFirst.shift();
    if (one && remove(dataDir, one)) gone.push(one);
  };
  if (old.length > 0 && !hasNoted(dataDir, ids)) {
    // On a full disk the oldest makes room for the note.
    removeNext();
    notePruned(dataDir, ids);
  }
  while (oldestFirst.length > 0) removeNext();
  return gone.map(({ id }) => id);
}

/** False: the disk is full. */
function hasNoted(dataDir: string, ids: readonly string[]): boolean {
  try {
    notePruned(dataDir, ids);
    return true;
  } catch (cause) {
    if (['ENOSPC', 'EDQUOT'].includes((cause as NodeJS.ErrnoException).code ?? '')) return false;
    throw cause;
  }
}

/**
 * Ids of the last snapshots of the last months that have one which can be served. The present time does not count: by a clock that is ahead, all would be
 * too old. @param all newest first.
 */
function lastOfMonths(all: readonly StoredSnapshot[], months: number): string[] {
  const last = new Map<string, string>();
  for (const { id, manifest } of all) {
    const month = manifest.createdAt.slice(0, 'yyyy-mm'.length);
    if (missingLayers(manifest) === null && !last.has(month)) last.set(month, id);
  }
  return [...last.values()].slice(0, months);
}

/** Id of the newest young snapshot that addresses of an earlier kind make readable to earlier releases; null: none. @param all newest first. */
function wayBack(all: readonly StoredSnapshot[]): string | null {
  const normaliser = ({ manifest }: StoredSnapshot): number => manifest.gazetteer?.normaliser ?? Infinity;
  const newest = Math.max(...all.map(normaliser).filter(Number.isFinite));
  const earlier = all.find((one) => normaliser(one) < newest);
  const isYoung = earlier && Date.now() - Date.parse(earlier.manifest.createdAt) < WAY_BACK_MS;
  return isYoung ? earlier.id : null;
}

/** Deletes a snapshot, unless somebody has put it into service meanwhile. Returns whether it did. */
function remove(dataDir: string, { id, dir }: Pick<StoredSnapshot, 'id' | 'dir'>): boolean {
  // First its name: from here on nobody can put it into service. When this process ends here, the next one deletes it.
  const leftover = join(snapshotsFolder(dataDir), buildingPrefix + id);
  renameSync(dir, leftover);
  if (idNamedInService(dataDir) === id) {
    renameSync(leftover, dir);
    return false;
  }
  rmSync(leftover, { recursive: true });
  return true;
}
