import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredSnapshot } from '../shared/contract/manifest.ts';
import { parseChunkList, type ChunkList } from '../shared/chunk-list.ts';

/** Returns the chunks of a stored snapshot; null when an earlier version published it without, or the list is damaged. */
export function readChunks({ dir, manifest }: Pick<StoredSnapshot, 'dir' | 'manifest'>): ChunkList | null {
  const file = join(dir, 'chunks.json');
  try {
    return existsSync(file) ? parseChunkList(readFileSync(file, 'utf8'), file, manifest.checksum) : null;
  } catch {
    return null;
  }
}
