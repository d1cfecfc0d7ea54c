import { statfsSync } from 'node:fs';
import { diskShortage, type DiskFloor } from '../../src/messages/disk-floor.ts';
import type { OnProgress } from './progress.ts';

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
