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
