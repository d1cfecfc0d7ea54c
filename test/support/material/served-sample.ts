import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { issueKey } from '../../../src/core/keys/keys.ts';
import { openKeyStore } from '../../../src/core/keys/open-key-store.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { temporaryFolder } from '../drivers/folder.ts';
import { sampleDataDir } from './sample-data.ts';

/** An address of the bundled sample. */
export const SAMPLE_ADDRESS = { address: '12 Main St W, Sampleton, ON' } as const;

/** A data folder with the sample's snapshot and accounts of its own. */
export function ownSampleFolder(): Disposable & { readonly path: string } {
  const folder = temporaryFolder();
  symlinkSync(requireCurrentSnapshot(sampleDataDir()).dir, join(folder.path, 'current'));
  return folder;
}

export interface IssueOptions {
  readonly count: number;
  readonly limitPerHour?: number;
  /** Customers are this and a number; without it the keys are not billed. */
  readonly customer?: string;
}

/** New keys, straight into the store. */
export async function issueKeys(
  place: { readonly dataDir: string; readonly redisUrl?: string },
  { count, limitPerHour = 1_000_000, customer }: IssueOptions,
): Promise<string[]> {
  await using store = await openKeyStore({ dataDir: place.dataDir, redisUrl: place.redisUrl ?? null });
  const keys: string[] = [];
  for (let i = 0; i < count; i++) {
    const of = customer === undefined ? {} : { customer: customer + String(i) };
    keys.push((await issueKey(store, { name: 'load', limitPerHour, ...of })).key);
  }
  return keys;
}
