import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Config } from '../../core/settings/config.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { moveFolderIntoPlace } from '../../core/files/replace.ts';
import { sha256OfFile } from '../../core/files/sha256.ts';
import { checkDiskSpace } from '../../core/snapshots/building.ts';
import { onStore } from '../../messages/stores.ts';
import { fileTime, HOUR_MS } from '../../messages/time.ts';
import { exportKeysTo } from '../../core/keys/keys-transfer.ts';
import { openKeyStore } from '../../core/keys/open-key-store.ts';
import { backupRefused, requireLasting } from './refused.ts';
import {
  BACKUP_NAME,
  JOURNAL,
  KEY_LINES,
  KEYS,
  MANIFEST,
  SETTINGS,
  type BackupManifest,
} from '../../core/units/backup-folder.ts';

/** Time that another process may hold a database before the copy fails. */
const BUSY_TIMEOUT_MS = 5000;

/** Ends the name of a backup that is being made. */
const UNFINISHED = '.unfinished';
const UNFINISHED_NAME = /^land-lookup-\d{8}T\d{6}Z(\.\d+)?\.unfinished$/;

/** Time without a write after which a backup is no longer being made; its unit has an hour in all. */
const ABANDONED_MS = 2 * HOUR_MS;

/**
 * Copies keys, usage journal and settings while the service runs. Each database is copied in one read transaction, which holds up no
 * lookup (docs/decisions/0072). @returns the folder of the backup. @throws Error when something cannot be copied; then there is none.
 */
export async function makeBackup(
  config: Pick<Config, 'dataDir' | 'redisUrl' | 'minFreeDiskBytes'>,
  {
    to,
    settings,
    keep,
  }: {
    /** Folder that gets a folder for this backup. */
    readonly to: string;
    /** File with the settings of the service; null: they are not copied. */
    readonly settings: string | null;
    /** Backups that stay; older ones are deleted. */
    readonly keep: number;
  },
): Promise<string> {
  requireLasting(to);
  const now = new Date();
  const folder = join(to, `land-lookup-${fileTime(now)}`);
  requireNew(folder);
  // Another backup may begin in the same second.
  const unfinished = `${folder}.${process.pid}${UNFINISHED}`;
  try {
    makeFolder(unfinished, 0o700);
    removeAbandoned(to, now.getTime());
  } catch (cause) {
    throw backupRefused(to, cause as NodeJS.ErrnoException);
  }
  try {
    requireRoom(unfinished, config);
    copyDatabase(join(config.dataDir, JOURNAL), join(unfinished, JOURNAL));
    if (config.redisUrl === null) copyDatabase(join(config.dataDir, KEYS), join(unfinished, KEYS));
    else await copyKeys(config, join(unfinished, KEY_LINES));
    if (settings !== null) copyFileSync(settings, join(unfinished, SETTINGS));
    await seal(unfinished, now.toISOString());
    nameFinished(unfinished, folder);
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true });
    throw cause;
  }
  deleteOld(folder, keep);
  return folder;
}

/** @throws Error when another backup of the same second has the name. */
function nameFinished(unfinished: string, folder: string): void {
  try {
    moveFolderIntoPlace(unfinished, folder);
  } catch (cause) {
    requireNew(folder);
    throw cause;
  }
}

function requireNew(folder: string): void {
  if (existsSync(folder)) throw new Error(`${folder} already exists: wait a second and try again`);
}

/**
 * Deletes what backups left that were killed, by the system or by the limit of their unit: each is a copy of all keys and lookups. Other machines may
 * back up into the same folder, so only what nobody has written for longer than a backup may take.
 */
function removeAbandoned(to: string, nowMs: number): void {
  for (const name of readdirSync(to).filter((one) => UNFINISHED_NAME.test(one))) {
    const folder = join(to, name);
    const isOld = (path: string): boolean => nowMs - statSync(path).mtimeMs > ABANDONED_MS;
    if (isOld(folder) && readdirSync(folder).every((file) => isOld(join(folder, file))))
      rmSync(folder, { recursive: true });
  }
}

/**
 * The copies have no more than what the databases have now. On the disk of the data folder, lookups must still be recorded afterwards.
 * @throws Error when they do not fit.
 */
function requireRoom(
  folder: string,
  { dataDir, minFreeDiskBytes }: Pick<Config, 'dataDir' | 'minFreeDiskBytes'>,
): void {
  const parts = [JOURNAL, KEYS].flatMap((name) => [name, `${name}-wal`]).map((name) => join(dataDir, name));
  const neededBytes = parts.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
  const isSameDisk = statSync(folder).dev === statSync(dataDir, { throwIfNoEntry: false })?.dev;
  checkDiskSpace({ folder, minFreeBytes: isSameDisk ? minFreeDiskBytes : 0 }, neededBytes);
}

/** A machine that has answered no lookup, or has no key, has no such file. */
function copyDatabase(from: string, to: string): void {
  if (!existsSync(from)) return;
  const db = onStore(from, () => new Database(from, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true }));
  try {
    // Not the backup interface, which begins anew whenever another process writes.
    onStore(`${from}, or its copy ${to},`, () => db.prepare<[string]>('VACUUM INTO ?').run(to));
  } finally {
    db.close();
  }
}

async function copyKeys(config: Pick<Config, 'dataDir' | 'redisUrl'>, to: string): Promise<void> {
  await using store = await openKeyStore(config);
  await exportKeysTo(store, to);
}

async function seal(folder: string, createdAt: string): Promise<void> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    chmodSync(join(folder, name), 0o600);
    files[name] = await sha256OfFile(join(folder, name));
  }
  const manifest: BackupManifest = { format: 1, createdAt, files };
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
}

/** The backup that was just made stays whatever its name: the clock may be behind that of earlier backups. */
function deleteOld(made: string, keep: number): void {
  const to = dirname(made);
  const others = readdirSync(to).filter((name) => BACKUP_NAME.test(name) && name !== basename(made));
  const newestFirst = others.sort().reverse();
  for (const name of newestFirst.slice(keep - 1)) rmSync(join(to, name), { recursive: true });
}
