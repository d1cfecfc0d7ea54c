import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Config } from '../../config.ts';
import { moveIntoPlace, syncPath } from '../../files/replace.ts';
import { fileTime } from '../../shared/time.ts';
import { Journal } from '../usage/journal.ts';
import { JOURNAL, KEY_LINES, KEYS, readBackup, SETTINGS } from './folder.ts';

export interface Restored {
  readonly createdAt: string;
  /** Lookups that were pending at the time of the backup, and may have been delivered since. */
  readonly doubted: number;
  /** Folder with what was in the data folder before; null: nothing. */
  readonly before: string | null;
  /** File with the keys, which the caller imports into Redis; null: they are in place. */
  readonly keyLines: string | null;
  /** Copy of the settings, which nobody puts into place; null without one. */
  readonly settings: string | null;
}

/**
 * Puts keys and usage journal of a backup into the data folder. What was there is moved aside. What was pending becomes `uncertain`,
 * because it may have been delivered after the backup: nothing is billed twice.
 * @throws Error when the backup is not whole, does not fit the configuration, or the service runs; then nothing has changed.
 */
export async function restoreBackup(
  { dataDir, redisUrl }: Pick<Config, 'dataDir' | 'redisUrl'>,
  from: string,
): Promise<Restored> {
  const { createdAt, files } = await readBackup(from);
  if (KEYS in files && redisUrl !== null)
    throw new Error('the keys of this backup were in a file, but REDIS_URL is set: restore it without REDIS_URL');
  if (KEY_LINES in files && redisUrl === null)
    throw new Error('the keys of this backup were in Redis: set REDIS_URL to the Redis that gets them');
  const databases = [JOURNAL, KEYS].filter((name) => name in files);
  mkdirSync(dataDir, { recursive: true });
  for (const name of databases) requireUnused(join(dataDir, name));

  const staging = join(dataDir, 'restoring');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { mode: 0o700 });
  for (const name of databases) copyFileSync(join(from, name), join(staging, name));
  const doubted = JOURNAL in files ? await doubtPending(join(staging, JOURNAL)) : 0;
  for (const name of databases) requireUnused(join(staging, name));
  const before = moveAside(dataDir, databases);
  for (const name of databases) {
    syncPath(join(staging, name));
    moveIntoPlace(join(staging, name), join(dataDir, name));
  }
  rmSync(staging, { recursive: true });
  return {
    ...{ createdAt, doubted, before },
    keyLines: KEY_LINES in files ? join(from, KEY_LINES) : null,
    settings: SETTINGS in files ? join(from, SETTINGS) : null,
  };
}

/** Folds the log of a database into its file. @throws Error while another process has it open. */
function requireUnused(file: string): void {
  if (!existsSync(file)) return;
  const db = new Database(file, { timeout: 0 });
  try {
    // SQLite leaves the write-ahead log only for a single connection.
    db.pragma('journal_mode = DELETE');
  } catch (cause) {
    throw new Error(`${file} is in use: stop the service first`, { cause });
  } finally {
    db.close();
  }
}

async function doubtPending(file: string): Promise<number> {
  await using journal = await Journal.openFile(file);
  return await journal.do('doubtPending', { reason: 'pending in a restored backup, may have been delivered since' });
}

function moveAside(dataDir: string, names: readonly string[]): string | null {
  const present = names.filter((name) => existsSync(join(dataDir, name)));
  if (present.length === 0) return null;
  const before = join(dataDir, `before-restore-${fileTime(new Date())}`);
  mkdirSync(before, { mode: 0o700 });
  for (const name of present) moveIntoPlace(join(dataDir, name), join(before, name));
  return before;
}
