import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SnapshotManifest } from '../../../src/messages/manifest.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { snapshotsFolder } from '../../../src/core/snapshots/folders.ts';
import { useSnapshot } from '../../../src/core/snapshots/publish.ts';
import { sampleDataDir } from './sample-data.ts';

/** Stores the bundled sample as snapshot number `n` of a data folder, without putting it into service. Gives its id. */
export function storeSample(dataDir: string, n: number): string {
  const { dir, manifest } = requireCurrentSnapshot(sampleDataDir());
  const id = `20260101T0000${String(n).padStart(2, '0')}Z-${manifest.checksum.sha256.slice(0, 12)}`;
  const copy = join(snapshotsFolder(dataDir), id);
  mkdirSync(copy, { recursive: true });
  copyFileSync(join(dir, 'land.gpkg'), join(copy, 'land.gpkg'));
  writeManifest(dataDir, { ...manifest, id });
  return id;
}

/** As `storeSample`, and puts it into service. */
export function serveSample(dataDir: string, n: number): string {
  const id = storeSample(dataDir, n);
  useSnapshot(dataDir, id);
  return id;
}

/** What the folder of snapshots holds, without what jobs and prunings note there. */
export function storedNames(dataDir: string): string[] {
  return readdirSync(snapshotsFolder(dataDir)).filter((name) => !/^(job-\w+\.json|pruned)$/.test(name));
}

export function writeManifest(dataDir: string, manifest: SnapshotManifest): void {
  writeFileSync(join(snapshotsFolder(dataDir), manifest.id, 'manifest.json'), JSON.stringify(manifest));
}

/** Ways in which a stored snapshot gets bad, by name. */
export const damages: Readonly<Record<string, (file: string) => void>> = {
  'a bit of the file is flipped': (file) => {
    const content = readFileSync(file);
    content[content.length >> 1]! ^= 1;
    writeFileSync(file, content);
  },
  'the file is truncated': (file) => {
    writeFileSync(file, readFileSync(file).subarray(0, -4096));
  },
  'the file is no GeoPackage': (file) => {
    writeFileSync(file, 'not a database');
  },
};
