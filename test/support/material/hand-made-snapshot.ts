/**
 * Writes a snapshot without the importer, from WKT in EPSG:3161 that a reader of the test can see: the read paths are tested
 * on geometry that is exactly what the test says.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sides, sideTable, type Side } from '../../../src/catalogue/side-tables.ts';
import type { DataSetRecord, SnapshotManifest } from '../../../src/messages/manifest.ts';
import { buildCells, type CellBuildOptions } from '../../../workers/import/cells/build.ts';
import { openCells, readDirectory, type CellIndex } from '../../../workers/engine/cells/open.ts';
import { openOutlines, readOutlineNodes, type Outlines } from '../../../workers/maps/outline-index.ts';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import { openSnapshot, type Snapshot } from '../../../workers/geopackage/snapshot.ts';

export interface HandMadeFeature {
  readonly wkt: string;
  readonly attributes?: Readonly<Record<string, string | number>>;
}

export interface HandMadeDataSet {
  readonly features: readonly HandMadeFeature[];
  /** Features that do not count, or of which nobody knows it. */
  readonly beside?: Readonly<Partial<Record<Side, readonly HandMadeFeature[]>>>;
  readonly coverage?: DataSetRecord['coverage'];
}

/** Fills `folder` with `land.gpkg` and `manifest.json`. Coverage areas go into the data set `coverage`, by `data_set`. */
export function writeSnapshot(folder: string, dataSets: Readonly<Record<string, HandMadeDataSet>>): void {
  const dataset = gdal.open(join(folder, 'land.gpkg'), 'w', 'GPKG');
  const tables = Object.entries(dataSets).flatMap(([id, { features, beside = {} }]) => [
    [id, features] as const,
    ...sides.flatMap((side) => (beside[side]?.length ? [[sideTable(id, side), beside[side]] as const] : [])),
  ]);
  for (const [table, features] of tables) {
    const layer = dataset.layers.create(table, gdal.SpatialReference.fromEPSG(3161), gdal.wkbUnknown);
    const fields = new Set(features.flatMap(({ attributes = {} }) => Object.keys(attributes)));
    for (const field of fields) layer.fields.add(new gdal.FieldDefn(field, gdal.OFTString));
    for (const { wkt, attributes = {} } of features) {
      const feature = new gdal.Feature(layer);
      for (const [name, value] of Object.entries(attributes)) feature.fields.set(name, String(value));
      feature.setGeometry(gdal.Geometry.fromWKT(wkt));
      layer.features.add(feature);
    }
  }
  dataset.close();
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifestOf(dataSets)));
}

/** Builds the cell index of what `writeSnapshot` wrote, and opens both. */
export async function openWithCells(
  folder: string,
  dataSets: CellBuildOptions['dataSets'],
): Promise<{ readonly snapshot: Snapshot; readonly cells: CellIndex }> {
  await buildCells({ gpkg: join(folder, 'land.gpkg'), dataSets });
  return openBuiltCells(folder, dataSets);
}

/** Opens what `openWithCells` built, also in another process. */
export function openBuiltCells(
  folder: string,
  dataSets: CellBuildOptions['dataSets'],
): { readonly snapshot: Snapshot; readonly cells: CellIndex } {
  const snapshot = openSnapshot(folder);
  return { snapshot, cells: openCells(snapshot, { directory: readDirectory(snapshot), needed: dataSets }) };
}

/** Opens the outline tree beside them; null when it has other features than these data sets show. */
export function openBuiltOutlines(
  { snapshot, cells }: { readonly snapshot: Snapshot; readonly cells: CellIndex },
  needed: CellBuildOptions['dataSets'],
): Outlines | null {
  const nodes = readOutlineNodes(snapshot);
  return nodes && openOutlines(snapshot, cells, { nodes, needed });
}

function manifestOf(dataSets: Readonly<Record<string, HandMadeDataSet>>): SnapshotManifest {
  const records = Object.entries(dataSets)
    .filter(([id]) => id !== 'coverage')
    .map(([id, { features, coverage = 'province', beside = {} }]): [string, DataSetRecord] => [
      id,
      {
        title: id,
        publisher: 'test',
        licence: 'none',
        attribution: 'none',
        asOf: '2026-01-01',
        asOfFrom: 'source manifest',
        files: [],
        coverage,
        fields: [...new Set(features.flatMap(({ attributes = {} }) => Object.keys(attributes)))],
        featureCount: features.length,
        beside: Object.fromEntries(sides.map((side) => [side, beside[side]?.length ?? 0])),
        vertexCount: 0,
        repaired: 0,
        dropped: {},
        sample: false,
        importedAt: '2026-01-01T00:00:00Z',
      },
    ]);
  return {
    format: 1,
    id: 'hand-made',
    createdAt: '2026-01-01T00:00:00Z',
    sample: false,
    definitions: '',
    checksum: { file: 'land.gpkg', sha256: '', bytes: 0 },
    dataSets: Object.fromEntries(records),
    gazetteer: null,
    cells: null,
  };
}
