import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { snapshotsFolder } from '../../../src/core/snapshots/folders.ts';
import { useSnapshot } from '../../../src/core/snapshots/publish.ts';
import { checksumChunks, writeChunkList } from '../../../workers/geopackage/checksum.ts';
import { sampleDataDir } from './sample-data.ts';
import { writeManifest } from './snapshot-copies.ts';

/**
 * Puts a snapshot into service that other machines can pull: the bundled sample, as large as is asked for by a table of noise. Gives its id.
 */
export function serveLeadingSample(dataDir: string, noiseBytes: number): string {
  const { dir, manifest } = requireCurrentSnapshot(sampleDataDir());
  const making = join(dataDir, 'making');
  mkdirSync(making, { recursive: true });
  const file = join(making, 'land.gpkg');
  copyFileSync(join(dir, 'land.gpkg'), file);
  addNoise(file, noiseBytes);
  const { chunks, sha256, bytes } = checksumChunks(file);
  const id = `20260101T000000Z-${sha256.slice(0, 12)}`;
  const folder = join(snapshotsFolder(dataDir), id);
  mkdirSync(folder, { recursive: true });
  renameSync(file, join(folder, 'land.gpkg'));
  writeChunkList(folder, chunks);
  writeManifest(dataDir, { ...manifest, id, checksum: { file: 'land.gpkg', sha256, bytes } });
  useSnapshot(dataDir, id);
  return id;
}

const ROW_BYTES = 1_000_000;

function addNoise(file: string, bytes: number): void {
  const db = new Database(file);
  db.exec('CREATE TABLE noise (fid INTEGER PRIMARY KEY, data BLOB NOT NULL)');
  const insert = db.prepare('INSERT INTO noise (data) VALUES (?)');
  for (let at = 0; at < bytes; at += ROW_BYTES) insert.run(randomBytes(ROW_BYTES));
  db.close();
}
