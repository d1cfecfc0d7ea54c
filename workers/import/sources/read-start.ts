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
