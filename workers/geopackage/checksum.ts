import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { landFile } from './land-file.ts';
import { readManifest } from './snapshot.ts';

const CHUNK_BYTES = 4 * 1024 * 1024;

/** Returns the SHA-256 of a file in hexadecimal, and its size. Blocks the thread, so it is for workers. */
export function checksumFile(file: string): { sha256: string; bytes: number } {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const descriptor = openSync(file, 'r');
  let bytes = 0;
  try {
    for (let read; (read = readSync(descriptor, chunk)) > 0; bytes += read) hash.update(chunk.subarray(0, read));
  } finally {
    closeSync(descriptor);
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** @throws Error when the file differs from the published one. */
export function verifyChecksum(folder: string): void {
  const { checksum } = readManifest(folder);
  const { sha256, bytes } = checksumFile(landFile(folder));
  if (sha256 !== checksum.sha256)
    throw new Error(
      `land.gpkg has changed: ${bytes} bytes with SHA-256 ${sha256}, published were ${checksum.bytes} with ${checksum.sha256}`,
    );
}
