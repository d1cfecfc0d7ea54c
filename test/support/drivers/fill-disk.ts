import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Leaves not a byte on the disk of a folder. @returns the file that takes the room. */
export function fillDisk(folder: string): string {
  const filler = join(folder, 'filler');
  for (let bytes = 1 << 20; bytes >= 1; bytes >>= 1) {
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOSPC') throw cause;
    }
  }
  return filler;
}
