import { statfsSync } from 'node:fs';
import { diskShortage, type DiskFloor } from '../../messages/disk-floor.ts';

/** @throws Error when the disk has less than the floor left after `neededBytes` more. */
export function checkDiskSpace(floor: DiskFloor, neededBytes = 0): void {
  const { bavail, bsize } = statfsSync(floor.folder);
  const shortage = diskShortage(bavail * bsize, neededBytes, floor);
  if (shortage !== null) throw new Error(shortage);
}
