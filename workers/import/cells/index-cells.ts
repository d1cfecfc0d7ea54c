/** Builds the cell index from the feature tables during an import, and compares it with the reference path. */
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { SnapshotManifest } from '../../../src/messages/manifest.ts';
import { buildCells } from './build.ts';
import { CELL_FORMAT } from '../../engine/cells/format.ts';
import { indexedDataSets } from '../../engine/kinds/indexed-data-sets.ts';
import { verifyCellIndex } from '../../verify/verify-cell-index.ts';
import { withoutMapping } from '../../geopackage/gdal.ts';
import { openSnapshot } from '../../geopackage/snapshot.ts';
import { landFile } from '../../geopackage/land-file.ts';
import type { OnProgress } from '../progress.ts';

/** Places compared at the end of every import, which takes some seconds for the whole province. */
const VERIFIED_PLACES = 400;

interface Indexing {
  readonly answers: Catalogue['answers'];
  readonly content: Pick<SnapshotManifest, 'dataSets'>;
  readonly onProgress: OnProgress;
}

/** Writes the index into `land.gpkg`, which nobody may have open. */
export async function indexCells(
  folder: string,
  { answers, content, onProgress }: Indexing,
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
export function verifyCells(folder: string, manifest: SnapshotManifest, answers: Catalogue['answers']): void {
  // The check reads most of the file: without mapping, that does not count as the process's memory.
  const snapshot = withoutMapping(() => openSnapshot(folder, { manifest }));
  try {
    const { told, wrong, places } = verifyCellIndex(snapshot, {
      ...{ answers, withEvidence: false, places: VERIFIED_PLACES, seed: Date.now() },
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
