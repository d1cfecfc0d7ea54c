import { readManifest } from '../../src/snapshots/current.ts';
import { checksumFile } from '../../src/snapshots/checksum.ts';
import { landFile } from './land-file.ts';
import type { OnProgress } from './progress.ts';
import { verifyLandFile } from './verify-land-file.ts';

/**
 * Checks a published snapshot: the file is the published one, and it is not damaged.
 * @throws Error that says what is wrong.
 */
export function verifySnapshot(folder: string, onProgress: OnProgress): void {
  onProgress({ kind: 'step', text: 'comparing the checksum' });
  verifyChecksum(folder);
  onProgress({ kind: 'step', text: 'verifying the tables' });
  verifyLandFile(folder, readManifest(folder).dataSets);
}

/** @throws Error when the file differs from the published one. */
export function verifyChecksum(folder: string): void {
  const { checksum } = readManifest(folder);
  const { sha256, bytes } = checksumFile(landFile(folder));
  if (sha256 !== checksum.sha256)
    throw new Error(
      `land.gpkg has changed: it has ${bytes} bytes with SHA-256 ${sha256}, but the manifest says ${checksum.bytes} with ${checksum.sha256}`,
    );
}
