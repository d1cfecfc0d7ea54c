import { laterFormat } from '../../messages/store-format.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256OfFile } from '../files/sha256.ts';

/** Files of a backup. Keys are a database where a file holds them, and lines where Redis does. */
export const JOURNAL = 'usage.sqlite';
export const KEYS = 'accounts.sqlite';
export const KEY_LINES = 'keys.jsonl';
export const SETTINGS = 'settings.env';
export const MANIFEST = 'backup.json';

/** Of the folder of a backup. */
export const BACKUP_NAME = /^land-lookup-\d{8}T\d{6}Z$/;

/** The document beside the files of a backup. */
export interface BackupManifest {
  readonly format: 1;
  readonly createdAt: string;
  /** SHA-256 by file name. */
  readonly files: Readonly<Record<string, string>>;
}

/** Reads a backup's manifest and checks every file. @throws Error that names what is missing or has changed. */
export async function readBackup(folder: string): Promise<BackupManifest> {
  const manifest = parse(join(folder, MANIFEST));
  for (const [name, sha256] of Object.entries(manifest.files)) {
    const found = await sha256OfFile(join(folder, name)).catch((cause: unknown) => {
      throw new Error(`the backup ${folder} cannot be read: ${String(cause)}`, { cause });
    });
    if (found !== sha256)
      throw new Error(`${join(folder, name)} has changed since the backup was made: use another one`);
  }
  return manifest;
}

function parse(file: string): BackupManifest {
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
