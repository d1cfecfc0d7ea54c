import { FolderPlace } from './folder-place.ts';
import type { SnapshotPlace } from './place.ts';
import { UrlPlace } from './url-place.ts';

/** Longest silence of a server, before and in the middle of an answer. */
const IDLE_MS = 60_000;

/**
 * Opens the place that an argument names: a URL or a folder.
 * @param minFreeBytes free disk that is left there.
 * @throws Error when it is none.
 */
export function openPlace(text: string, minFreeBytes: number): SnapshotPlace {
  return /^https?:\/\//i.test(text) ? new UrlPlace(text, { idleMs: IDLE_MS }) : openFolder(text, minFreeBytes);
}

/** Opens a folder to fill. @param minFreeBytes free disk that a push leaves. @throws Error when it is no folder. */
export function openFolder(text: string, minFreeBytes: number): FolderPlace {
  if (/^s3:/i.test(text))
    throw new Error(
      'snapshots are not read from s3:// or stored there: push into a folder that another program copies to the bucket, and pull from the https:// address of the bucket (docs/operations.md, More machines)',
    );
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) throw new Error('a snapshot is stored in a folder: give the path of one');
  return new FolderPlace(text, minFreeBytes);
}
