import { verifyChunks } from '../geopackage/checksum.ts';
import { readManifest } from '../geopackage/snapshot.ts';
import { verifyLandFile } from './verify-land-file.ts';

/**
 * Checks a published snapshot: the file is the published one, and it is not damaged. Writes the list of its chunks if an earlier version
 * published it without one.
 * @throws Error that says what is wrong.
 */
export function verifySnapshot(
  folder: string,
  onProgress: (step: { readonly kind: 'step'; readonly text: string }) => void,
): void {
  onProgress({ kind: 'step', text: 'comparing the checksum' });
  verifyChunks(folder);
  onProgress({ kind: 'step', text: 'verifying the tables' });
  verifyLandFile(folder, readManifest(folder).dataSets);
}
