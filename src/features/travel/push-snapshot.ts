import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredSnapshot } from '../../messages/manifest.ts';
import type { FolderPlace } from './folder-place.ts';
import { currentText, NotThere, readCurrentId, snapshotFiles } from './place.ts';

export interface SnapshotPush {
  /** Number of newest snapshots that the place keeps. */
  readonly keep: number;
  readonly onProgress: (done: number, total: number) => void;
}

export interface PushedSnapshot {
  readonly isNew: boolean;
  /** Ids of the snapshots that the place no longer has. */
  readonly removed: readonly string[];
}

/**
 * Stores a snapshot in a place and makes it the one to fetch. Whoever fetches meanwhile sees the one before, or this one whole. The caller has
 * verified it, and it has its list of chunks.
 * @throws Error that names the place.
 */
export async function pushSnapshot(
  place: FolderPlace,
  { id, dir, manifest }: StoredSnapshot,
  { keep, onProgress }: SnapshotPush,
): Promise<PushedSnapshot> {
  try {
    const before = await readCurrentId(place).catch(unlessNotThere);
    if (before === id) return { isNew: false, removed: [] };
    const total = manifest.checksum.bytes;
    for (const file of snapshotFiles) {
      const path = `${id}/${file}` as const;
      const from = join(dir, file);
      const onBytes = (bytes: number): void => {
        onProgress(bytes, total);
      };
      if (file === 'land.gpkg') await place.writeFile(path, from, onBytes);
      else await place.writeText(path, readFileSync(from, 'utf8'));
    }
    await place.writeText('current', currentText(id));
    return { isNew: true, removed: removeOld(place, { id, keep }) };
  } catch (cause) {
    if (cause instanceof Error) cause.message = `${place.name}: ${cause.message}`;
    throw cause;
  }
}

/** A place without a snapshot gets its first. */
function unlessNotThere(cause: unknown): null {
  if (cause instanceof NotThere) return null;
  throw cause;
}

/** Ids begin with the time. */
function removeOld(place: FolderPlace, { id, keep }: { readonly id: string; readonly keep: number }): string[] {
  const stored = [...place.list()].sort();
  const old = stored.slice(0, Math.max(0, stored.length - keep)).filter((one) => one !== id);
  for (const one of old) place.remove(one);
  return old;
}
