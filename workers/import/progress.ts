import type { ImportProgress } from '../../src/messages/import.ts';
import { statfsSync } from 'node:fs';
import { diskShortage, type DiskFloor } from '../../src/messages/disk-floor.ts';

export type OnProgress = (progress: ImportProgress) => void;

const INTERVAL_MS = 200;

/**
 * Makes a function that passes on steps at once, and counts of rows at most five times per second, but always the last
 * count of a name.
 */
export function progressPoster(post: OnProgress): OnProgress {
  let nextMs = 0;
  return (progress) => {
    const isLast = progress.kind === 'step' || progress.done === progress.total;
    if (!isLast && Date.now() < nextMs) return;
    nextMs = Date.now() + INTERVAL_MS;
    post(progress);
  };
}

/** @throws Error when the disk has less than the floor left after `neededBytes` more. */
export function checkDiskSpace(floor: DiskFloor, neededBytes = 0): void {
  const { bavail, bsize } = statfsSync(floor.folder);
  const shortage = diskShortage(bavail * bsize, neededBytes, floor);
  if (shortage !== null) throw new Error(shortage);
}

/**
 * Returns a function that checks the disk and then passes on the progress. Every part of an import reports its progress after each
 * batch, so none writes far below the floor.
 */
export function watchingDisk(floor: DiskFloor, onProgress: OnProgress): OnProgress {
  return (progress) => {
    checkDiskSpace(floor);
    onProgress(progress);
  };
}
