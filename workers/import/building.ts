import { constants, copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalogue } from '../../src/catalogue/read-definitions.ts';
import type { SnapshotManifest } from '../../src/contract/manifest.ts';
import { checksumFile } from '../../src/snapshots/checksum.ts';
import { currentSnapshot, type StoredSnapshot } from '../../src/snapshots/current.ts';
import { buildingPrefix, snapshotId, snapshotsFolder } from '../../src/snapshots/folders.ts';
import { takeImportLock } from '../../src/snapshots/import-lock.ts';
import { publishSnapshot } from '../../src/snapshots/publish.ts';
import { indexCells, verifyCells } from './index-cells.ts';
import { createLandFile, createSpatialIndexes, landFile } from './land-file.ts';
import type { OnProgress } from './progress.ts';
import { verifyLandFile } from './verify-land-file.ts';

/** A snapshot under construction, protected by the import lock. Disposing it without `publish` deletes it. */
export interface Building extends Disposable {
  readonly folder: string;
  /** The snapshot in service, from whose copy `land.gpkg` starts. */
  readonly current: StoredSnapshot | null;
  /** Indexes, verifies and publishes. Returns the snapshot's id. */
  publish(content: SnapshotContent, onProgress: OnProgress): Promise<string>;
}

export interface SnapshotContent extends Pick<SnapshotManifest, 'definitions' | 'dataSets' | 'gazetteer'> {
  /** The answers to build the cell index for; null keeps the index and the layers of the current snapshot. */
  readonly answers: Catalogue['answers'] | null;
}

/**
 * Starts a snapshot from a copy of the current one.
 * @throws Error when another import is running or the disk is full.
 */
export function startBuilding(dataDir: string): Building {
  const lock = takeImportLock(dataDir);
  try {
    removeLeftovers(dataDir);
    const folder = join(snapshotsFolder(dataDir), `${buildingPrefix}${process.pid}`);
    mkdirSync(folder, { recursive: true });
    const current = currentSnapshot(dataDir);
    if (current) copyFileSync(landFile(current.dir), landFile(folder), constants.COPYFILE_FICLONE);
    else createLandFile(folder);
    return {
      folder,
      current,
      publish: (content, onProgress) => publish({ dataDir, folder, content, current }, onProgress),
      [Symbol.dispose]: () => {
        rmSync(folder, { recursive: true, force: true });
        lock[Symbol.dispose]();
      },
    };
  } catch (cause) {
    lock[Symbol.dispose]();
    throw cause;
  }
}

/** Deletes what killed imports left. Nobody else builds while this process holds the lock. */
function removeLeftovers(dataDir: string): void {
  const folder = snapshotsFolder(dataDir);
  mkdirSync(folder, { recursive: true });
  const leftovers = readdirSync(folder).filter((name) => name.startsWith(buildingPrefix));
  for (const name of leftovers) rmSync(join(folder, name), { recursive: true });
}

interface Publication {
  readonly dataDir: string;
  readonly folder: string;
  readonly content: SnapshotContent;
  readonly current: StoredSnapshot | null;
}

async function publish({ dataDir, folder, content, current }: Publication, onProgress: OnProgress): Promise<string> {
  const onStep = (text: string): void => {
    onProgress({ kind: 'step', text });
  };
  const { answers, ...described } = content;
  createSpatialIndexes(folder, (table) => {
    onStep(`building the spatial index of ${table}`);
  });
  const cells = answers
    ? await indexCells(folder, { answers, content, onProgress })
    : (current?.manifest.cells ?? null);
  onStep('verifying the snapshot');
  verifyLandFile(folder, content.dataSets);
  const createdAt = new Date();
  const { sha256, bytes } = checksumFile(landFile(folder));
  const parts = [...Object.values(content.dataSets), ...(content.gazetteer ? [content.gazetteer] : [])];
  const manifest: SnapshotManifest = {
    format: 1,
    id: snapshotId(createdAt, sha256),
    createdAt: createdAt.toISOString(),
    sample: parts.some((part) => part.sample),
    ...described,
    cells,
    checksum: { file: 'land.gpkg', sha256, bytes },
  };
  if (answers && cells) verifyCells(folder, manifest, answers);
  rmSync(join(folder, 'unpacked'), { recursive: true, force: true });
  publishSnapshot(dataDir, folder, manifest);
  return manifest.id;
}
