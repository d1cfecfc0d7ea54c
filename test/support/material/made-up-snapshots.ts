/** Snapshots whose file is noise: for tests of bringing them from machine to machine, which never open the file. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useSnapshot } from '../../../src/core/snapshots/publish.ts';
import type { SnapshotManifest } from '../../../src/messages/manifest.ts';
import { checksumChunks, writeChunkList } from '../../../workers/geopackage/checksum.ts';

export const MIB = 1024 ** 2;

/** Some chunks and a half. */
export const noise = (): Buffer => randomBytes(5.5 * MIB);

/** Stores a snapshot with this content as number `n` of a data folder, and puts it into service. Gives its manifest. */
export function serveMadeUp(
  dataDir: string,
  n: number,
  content: Buffer,
  change: Partial<SnapshotManifest> = {},
): SnapshotManifest {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const id = `20260101T0000${String(n).padStart(2, '0')}Z-${sha256.slice(0, 12)}`;
  const manifest: SnapshotManifest = {
    ...{ format: 1, id, createdAt: `2026-01-01T00:00:${String(n).padStart(2, '0')}.000Z`, sample: false },
    ...{ definitions: 'made up', dataSets: {}, gazetteer: null, cells: null },
    checksum: { file: 'land.gpkg', sha256, bytes: content.length },
    ...change,
  };
  const folder = join(dataDir, 'snapshots', id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'land.gpkg'), content);
  writeChunkList(folder, checksumChunks(join(folder, 'land.gpkg')).chunks);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  useSnapshot(dataDir, id);
  return manifest;
}
