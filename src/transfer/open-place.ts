import type { BucketConfig } from '../settings/setting-groups.ts';
import { FolderPlace } from './folder-place.ts';
import type { SnapshotPlace, WritablePlace } from './place.ts';
import { UrlPlace } from './url-place.ts';

/** Longest silence of a server, before and in the middle of an answer. */
const IDLE_MS = 60_000;

/** Attempts of one request to an object store; a pull tries again on top of them. */
const BUCKET_ATTEMPTS = 4;

export interface PlaceSettings {
  /** Returns the settings of the bucket of an address. */
  readonly readBucket: (url: string) => BucketConfig;
  /** Free disk that a push into a folder leaves. */
  readonly minFreeBytes: number;
}

/** Opens the place that an argument names: a URL, `s3://bucket/prefix` or a folder. @throws Error when it is none. */
export async function openPlace(text: string, settings: PlaceSettings): Promise<SnapshotPlace> {
  return /^https?:\/\//i.test(text) ? new UrlPlace(text, { idleMs: IDLE_MS }) : await openWritablePlace(text, settings);
}

/** Opens a place to fill. @throws Error when it is no bucket and no folder. */
export async function openWritablePlace(text: string, settings: PlaceSettings): Promise<WritablePlace> {
  const { readBucket, minFreeBytes } = settings;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return new FolderPlace(text, minFreeBytes);
  if (!text.startsWith('s3://')) throw new Error('a snapshot can be stored in a folder or in s3://bucket/prefix');
  const { BucketPlace } = await import('./bucket-place.ts');
  return new BucketPlace(readBucket(text), { idleMs: IDLE_MS, attempts: BUCKET_ATTEMPTS });
}
