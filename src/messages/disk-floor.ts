import { roomMegabytes } from '../words.ts';
/** Free bytes that an import leaves on a disk: without them the usage journal cannot be written, and lookups stop. */
export interface DiskFloor {
  readonly folder: string;
  readonly minFreeBytes: number;
}

/**
 * Returns why `neededBytes` more do not fit on a disk, or null when they do.
 * @param freeBytes of the folder's disk, for users without privileges.
 */
export function diskShortage(
  freeBytes: number,
  neededBytes: number,
  { folder, minFreeBytes }: DiskFloor,
): string | null {
  if (neededBytes + minFreeBytes <= freeBytes) return null;
  const start = `the disk of ${folder} has ${roomMegabytes(freeBytes)} free`;
  if (minFreeBytes === 0) return `${start}; ${roomMegabytes(neededBytes)} more are needed: free some space`;
  const needed = neededBytes > 0 ? `${roomMegabytes(neededBytes)} more are needed, and ` : '';
  return (
    `${start}; ${needed}${roomMegabytes(minFreeBytes)} stay free for lookups ` +
    '(MIN_FREE_DISK_MB): free some space, for example with "land-lookup snapshot prune"'
  );
}
