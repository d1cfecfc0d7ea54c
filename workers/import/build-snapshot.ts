import { constants, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { type BuildingFolder, type SnapshotManifest, REPAIR, snapshotId } from '../../src/messages/manifest.ts';
import { checksumChunks, verifyChecksum, writeChunkList } from '../geopackage/checksum.ts';
import { createLandFile, createSpatialIndexes, landFile } from '../geopackage/land-file.ts';
import { verifyLandFile } from '../verify/verify-land-file.ts';
import type { OnProgress } from './progress.ts';
import { buildCells } from './cells/build.ts';
import { CELL_FORMAT } from '../engine/cells/format.ts';
import { indexedDataSets } from '../engine/kinds/indexed-data-sets.ts';
import { verifyCellIndex } from '../verify/verify-cell-index.ts';
import { withoutMapping } from '../geopackage/gdal.ts';
import { openSnapshot } from '../geopackage/snapshot.ts';

/**
 * Makes the `land.gpkg` that the import writes into: a copy of the current one.
 * @throws Error when the disk is full, or the current one is damaged: the new snapshot would have the damage, and a checksum that hides it.
 */
export function beginLandFile({ folder, current }: BuildingFolder): void {
  if (!current) {
    createLandFile(folder);
    return;
  }
  try {
    verifyChecksum(current.dir);
  } catch (cause) {
    throw new Error(`the snapshot in service, ${current.id}, is damaged (${(cause as Error).message}): ${REPAIR}`, {
      cause,
    });
  }
  copyFileSync(landFile(current.dir), landFile(folder), constants.COPYFILE_FICLONE);
}

/** Indexes and verifies the snapshot; gives the manifest under which it is published. */
export async function finishSnapshot(
  { folder, current }: BuildingFolder,
  {
    answers,
    ...described
  }: Pick<SnapshotManifest, 'definitions' | 'dataSets' | 'gazetteer'> & {
    /** The answers to build the cell index for; null keeps the index and the layers of the current snapshot. */
    readonly answers: Catalogue['answers'] | null;
  },
  onProgress: OnProgress,
): Promise<SnapshotManifest> {
  const onStep = (text: string): void => {
    onProgress({ kind: 'step', text });
  };
  createSpatialIndexes(folder, (table) => {
    onStep(`building the spatial index of ${table}`);
  });
  const cells = answers
    ? await indexCells(folder, { answers, content: described, onProgress })
    : (current?.manifest.cells ?? null);
  onStep('verifying the snapshot');
  verifyLandFile(folder, described.dataSets);
  const createdAt = new Date();
  const { sha256, bytes, chunks } = checksumChunks(landFile(folder));
  writeChunkList(folder, chunks);
  const parts = [...Object.values(described.dataSets), ...(described.gazetteer ? [described.gazetteer] : [])];
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
  return manifest;
}

// Builds the cell index from the feature tables during an import, and compares it with the reference path.

/** Places compared at the end of every import, which takes some seconds for the whole province. */
const VERIFIED_PLACES = 400;

/** Writes the index into `land.gpkg`, which nobody may have open. */
export async function indexCells(
  folder: string,
  {
    answers,
    content,
    onProgress,
  }: {
    readonly answers: Catalogue['answers'];
    readonly content: Pick<SnapshotManifest, 'dataSets'>;
    readonly onProgress: OnProgress;
  },
): Promise<NonNullable<SnapshotManifest['cells']>> {
  const { leaves } = await buildCells({
    gpkg: landFile(folder),
    dataSets: indexedDataSets(answers, content),
    onProgress: ({ phase, done, total }) => {
      onProgress({ kind: 'rows', name: `cell index: ${phase}`, unit: 'rows', done, total });
    },
  });
  return { format: CELL_FORMAT, leaves };
}

/**
 * @throws Error when the answers of the index and of the reference path differ by more than the rounding of vertices.
 */
function verifyCells(folder: string, manifest: SnapshotManifest, answers: Catalogue['answers']): void {
  // The check reads most of the file: without mapping, that does not count as the process's memory.
  const snapshot = withoutMapping(() => openSnapshot(folder, { manifest }));
  try {
    const { told, wrong, places } = verifyCellIndex(snapshot, {
      answers,
      withEvidence: false,
      places: VERIFIED_PLACES,
      seed: Date.now(),
    });
    if (wrong === 0) return;
    const { key, lat, lon, indexed, reference } = told[0]!;
    throw new Error(
      `the cell index and the feature tables differ in ${wrong} answers at ${places} places, ` +
        `the first: ${key} at ${lat}, ${lon} is ${indexed} instead of ${reference}`,
    );
  } finally {
    snapshot.close();
  }
}
