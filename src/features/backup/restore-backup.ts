import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Config } from '../../core/settings/config.ts';
import { moveIntoPlace, syncPath } from '../../core/files/replace.ts';
import { Opened } from '../../core/parts/parts.ts';
import { fileTime } from '../../messages/time.ts';
import { keysInFile } from '../../core/keys/open-key-store.ts';
import { Journal } from '../../core/usage/journal.ts';
import { carryOver, readKeys } from './carry-over.ts';
import { JOURNAL, KEY_LINES, KEYS, MANIFEST, SETTINGS, type BackupManifest } from '../../core/units/backup-folder.ts';
import { sha256OfFile } from '../../core/files/sha256.ts';
import { laterFormat } from '../../messages/stores.ts';
import { makeFolder } from '../../core/files/make-folder.ts';

interface Restored {
  readonly createdAt: string;
  /** Lookups that were pending at the time of the backup, and may have been delivered since. */
  readonly doubted: number;
  /** Folder with what was in the data folder before; null: nothing. */
  readonly before: string | null;
  /** What differs between the keys of the backup and those that were there before, in lines; null: these were not there, or cannot be read. */
  readonly differences: readonly string[] | null;
  /** File with the keys, which the caller imports into Redis; null: they are in place. */
  readonly keyLines: string | null;
  /** Copy of the settings, which nobody puts into place; null without one. */
  readonly settings: string | null;
}

/**
 * Puts keys and usage journal of a backup into the data folder. What was there is moved aside; what was ended since the backup stays ended, where the keys
 * that were there can be read. What was pending becomes `uncertain`,
 * because it may have been delivered after the backup: nothing is billed twice. Until it is done, no other process can open what it replaces.
 * @throws Error when the backup is not whole, does not fit the configuration, or the service runs; then nothing has changed.
 */
export async function restoreBackup(
  { dataDir, redisUrl }: Pick<Config, 'dataDir' | 'redisUrl'>,
  from: string,
): Promise<Restored> {
  const { createdAt, files } = await readBackup(from);
  requireFit(files, redisUrl);
  const databases = [JOURNAL, KEYS].filter((name) => name in files);
  makeFolder(dataDir);
  const present = databases.filter((name) => existsSync(join(dataDir, name)));
  await using locks = new Opened();
  const locked = new Map(present.map((name) => [name, locks.use(lockPresent(join(dataDir, name)))]));

  const staging = join(dataDir, 'restoring');
  const { doubted, differences } = await stage(from, staging, { databases, keysBefore: locked.get(KEYS) });
  for (const name of databases) if (!present.includes(name)) requireMissing(join(dataDir, name));
  const before = keepBefore(dataDir, present);
  for (const name of databases) moveIntoPlace(join(staging, name), join(dataDir, name));
  rmSync(staging, { recursive: true });
  return {
    createdAt,
    doubted,
    before,
    differences,
    keyLines: KEY_LINES in files ? join(from, KEY_LINES) : null,
    settings: SETTINGS in files ? join(from, SETTINGS) : null,
  };
}

/** @throws Error when the keys of the backup are not of the kind that is configured. */
function requireFit(files: BackupManifest['files'], redisUrl: string | null): void {
  if (KEYS in files && redisUrl !== null)
    throw new Error('the keys of this backup were in a file, but REDIS_URL is set: restore it without REDIS_URL');
  if (KEY_LINES in files && redisUrl === null)
    throw new Error('the keys of this backup were in Redis: set REDIS_URL to the Redis that gets them');
}

/** Copies the databases of a backup; they are as they are to be, and on the disk then. */
async function stage(
  from: string,
  staging: string,
  { databases, keysBefore }: { readonly databases: readonly string[]; readonly keysBefore: Locked | undefined },
): Promise<Pick<Restored, 'doubted' | 'differences'>> {
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { mode: 0o700 });
  for (const name of databases) copyFileSync(join(from, name), join(staging, name));
  const doubted = databases.includes(JOURNAL) ? await doubtPending(join(staging, JOURNAL)) : 0;
  const isWithoutKeys = !databases.includes(KEYS);
  const differences = isWithoutKeys ? [] : keysBefore ? await carryKeysOver(staging, keysBefore) : null;
  for (const name of databases) {
    lockUnused(join(staging, name))[Symbol.dispose]();
    syncPath(join(staging, name));
  }
  return { doubted, differences };
}

/** Returns what differs; null when the keys that were there before cannot be read. */
async function carryKeysOver(staging: string, locked: Locked): Promise<Restored['differences']> {
  const copy = join(staging, `before-${KEYS}`);
  const before = await keysOf(locked, copy).catch(() => null);
  if (!before) return null;
  await using restored = keysInFile(join(staging, KEYS));
  return await carryOver(restored, before);
}

async function keysOf(locked: Locked, copy: string): ReturnType<typeof readKeys> {
  locked.copyTo(copy);
  await using store = keysInFile(copy);
  return await readKeys(store);
}

interface Locked extends Disposable {
  /** Copies the database as it is. @throws Error when it cannot be read. */
  copyTo(file: string): void;
}

/**
 * Folds the log of a database into its file, and keeps everybody else out until the lock is disposed: SQLite would apply the log that they leave to the
 * restored database, because a log belongs to whatever has the name. Who waits with the old file open finds that it was moved.
 * @throws Error while another process has it open; Damaged when it is no database.
 */
function lockUnused(file: string): Locked {
  const db = new Database(file, { timeout: 0 });
  try {
    // SQLite leaves the write-ahead log only for a single connection.
    db.pragma('journal_mode = DELETE');
    db.exec('BEGIN EXCLUSIVE');
    if (db.pragma('journal_mode', { simple: true }) !== 'delete') throw new Error('it was opened meanwhile');
    return {
      copyTo(copy) {
        if (db.pragma('quick_check', { simple: true }) !== 'ok') throw new Error('it is damaged');
        writeFileSync(copy, db.serialize(), { mode: 0o600 });
      },
      [Symbol.dispose]: () => db.close(),
    };
  } catch (cause) {
    db.close();
    if (/^SQLITE_(?:NOTADB|CORRUPT)/.test((cause as { readonly code?: string }).code ?? ''))
      throw new Damaged(`${file} is damaged`, { cause });
    throw inUse(file, cause);
  }
}

class Damaged extends Error {}

/** Does the same for a database that is to be replaced. Nobody can use one that is none any more, so there is nothing to lock. */
function lockPresent(file: string): Locked {
  try {
    return lockUnused(file);
  } catch (cause) {
    if (!(cause instanceof Damaged)) throw cause;
    return {
      copyTo() {
        throw cause;
      },
      [Symbol.dispose]: () => undefined,
    };
  }
}

/** SQLite would apply a log whose database is gone to the one that is restored. @throws Error when the database or its log is there. */
function requireMissing(file: string): void {
  if (existsSync(file)) throw inUse(file);
  const log = [`${file}-wal`, `${file}-journal`].find((name) => existsSync(name));
  if (log !== undefined) throw new Error(`${log} is the log of a database that is not there: move it away first`);
}

function inUse(file: string, cause?: unknown): Error {
  return new Error(`${file} is in use: stop the service first`, { cause });
}

async function doubtPending(file: string): Promise<number> {
  await using journal = await Journal.openFile(file);
  return await journal.do('doubtPending', { reason: 'pending in a restored backup, may have been delivered since' });
}

/** Gives what is there a second name. The first one is never missing, or another process could begin an empty database under it. */
function keepBefore(dataDir: string, present: readonly string[]): string | null {
  if (present.length === 0) return null;
  const before = join(dataDir, `before-restore-${fileTime(new Date())}`);
  mkdirSync(before, { mode: 0o700 });
  // Not a copy: the system ends all locks of a process on a file when the process closes the file once.
  for (const name of present) linkSync(join(dataDir, name), join(before, name));
  // A damaged database may have left its log, which would be applied to what is restored.
  for (const log of present.flatMap((name) => [`${name}-wal`, `${name}-shm`, `${name}-journal`]))
    if (existsSync(join(dataDir, log))) renameSync(join(dataDir, log), join(before, log));
  syncPath(before);
  return before;
}

/** Reads a backup's manifest and checks every file. @throws Error that names what is missing or has changed. */
async function readBackup(folder: string): Promise<BackupManifest> {
  const manifest = readManifest(join(folder, MANIFEST));
  for (const [name, sha256] of Object.entries(manifest.files)) {
    const found = await sha256OfFile(join(folder, name)).catch((cause: unknown) => {
      throw new Error(`the backup ${folder} cannot be read: ${String(cause)}`, { cause });
    });
    if (found !== sha256)
      throw new Error(`${join(folder, name)} has changed since the backup was made: use another one`);
  }
  return manifest;
}

function readManifest(file: string): BackupManifest {
  let format: unknown;
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as BackupManifest;
    format = manifest.format;
    if (format === 1) return manifest;
  } catch (cause) {
    throw new Error(`${file} cannot be read: name the folder of one backup`, { cause });
  }
  throw new Error(laterFormat(file, format, 1));
}
