import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { KeyStore } from './key-store.ts';
import { SqliteKeyStore } from './sqlite-key-store.ts';

/** The store that the configuration names. */
export function openKeyStore({ dataDir }: Pick<Config, 'dataDir'>): KeyStore {
  return new SqliteKeyStore(join(dataDir, 'accounts.sqlite'));
}
