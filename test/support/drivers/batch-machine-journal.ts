import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { BucketConfig } from '../../../src/settings/setting-groups.ts';

/** What a process of `batch-machine.ts` is told. */
export interface BatchMachineOptions {
  readonly machine: string;
  readonly dataDir: string;
  readonly redisUrl: string;
  readonly bucket: BucketConfig;
  readonly lockMs: number;
  readonly takeOverMs: number;
  /** Time that the rows of a chunk take. */
  readonly workMs: number;
}

/** What a machine has billed, as its usage journal would say, and which chunks it has finished. */
export function openJournal(dataDir: string): Database.Database {
  const db = new Database(join(dataDir, 'billed.sqlite'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE IF NOT EXISTS billed (lookup_id TEXT PRIMARY KEY) WITHOUT ROWID');
  db.exec('CREATE TABLE IF NOT EXISTS finished (chunk TEXT)');
  return db;
}
