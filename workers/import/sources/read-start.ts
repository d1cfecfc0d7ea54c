import { closeSync, openSync, readSync } from 'node:fs';

const START_BYTES = 64;

/** Returns the first bytes of a file. */
export function readStart(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(START_BYTES);
    return start.subarray(0, readSync(descriptor, start));
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the message for a file that no driver reads. */
export function unreadable(bytes: number | null): string {
  const size = bytes === null ? '' : ` (${bytes} bytes)`;
  return `is not a readable GeoPackage, GeoJSON, Shapefile or FileGDB, or is truncated${size}`;
}

/** Says whether a file begins as a pointer of Git LFS (the specification, version 1), in place of the file itself. */
export function isLfsPointer(start: Buffer): boolean {
  return start.toString('latin1').startsWith('version https://git-lfs.github.com/spec/');
}

export const lfsPointer = 'is a pointer of Git LFS, not the file itself: fetch it with "git lfs pull"';
