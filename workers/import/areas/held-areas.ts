/**
 * The areas in which parts of data sets know the answer. An area belongs to the part and is stored with it, so that it outlives the name
 * from which it was first taken (decision 0253).
 */
import type { Database } from 'better-sqlite3';
import { createFeatureTable, dropFeatureTable } from '../features/feature-table.ts';
import { fromGpkgGeometry, type StoredGeometry } from '../../geopackage/gpkg-geometry.ts';
import { authorityAreas } from '../../../src/catalogue/catalogue.ts';

/** A part that knows the answer in an area. */
export interface Holder {
  /** As reports call it. */
  readonly part: string;
  /** Of its layer of features. */
  readonly address: string;
}

export interface HeldArea {
  /** Several, where nobody can tell any more what belongs to which: then it is known only while all of them are in use. */
  readonly holders: readonly Holder[];
  readonly polygons: readonly StoredGeometry[];
}

/** By data set id. */
export type HeldAreas = Map<string, readonly HeldArea[]>;

const table = {
  name: 'part_area',
  title: 'Where each part of a data set knows the answer, also while the part is not in use',
  family: 'polygon',
  columns: [
    { name: 'data_set', type: 'string' },
    { name: 'holders', type: 'string' },
  ],
} as const;

/** Reads the areas of the snapshot that the file was copied from; empty for a snapshot of a version that did not store them. */
export function storedAreas(db: Database): HeldAreas {
  const areas: HeldAreas = new Map();
  if ((db.pragma(`table_info("${table.name}")`) as unknown[]).length === 0) return areas;
  const rows = db.prepare(`SELECT data_set, holders, geom FROM "${table.name}" ORDER BY fid`).all() as {
    data_set: string;
    holders: string;
    geom: Buffer;
  }[];
  const polygons = new Map<string, StoredGeometry[]>();
  for (const { data_set: id, holders, geom } of rows) {
    const key = `${id} ${holders}`;
    const own = polygons.get(key) ?? [];
    if (own.push(fromGpkgGeometry(geom)) > 1) continue;
    polygons.set(key, own);
    areas.set(id, [...(areas.get(id) ?? []), { holders: JSON.parse(holders) as Holder[], polygons: own }]);
  }
  return areas;
}

/** Replaces the table of the areas. A snapshot without any has no such table. */
export function writeAreas(db: Database, areas: HeldAreas): void {
  const writer = createFeatureTable(db, table);
  for (const [dataSet, held] of areas)
    for (const { holders, polygons } of held)
      for (const polygon of polygons) writer.add(polygon, [dataSet, JSON.stringify(holders)]);
  if (writer.count > 0) writer.finish();
  else dropFeatureTable(db, table.name);
}

/** Says whether a part is among the holders of an area. */
export function isHeldBy({ holders }: HeldArea, { part, address }: Holder): boolean {
  return holders.some((holder) => holder.part === part || holder.address === address);
}

/**
 * Reads the area of a conservation authority from the snapshot under construction, by its name or number. Empty when the data set of the
 * authorities does not name it, or is not there at all.
 */
export function authorityArea(db: Database, authority: string): readonly StoredGeometry[] {
  return polygonsOf(db, authority).map(fromGpkgGeometry);
}

/** Says whether the snapshot under construction has the areas of the authorities. */
export function hasAuthorityAreas(db: Database): boolean {
  return columnsOf(db).length > 0;
}

/** Searches every column for the name, because publishers rename columns from time to time. */
function polygonsOf(db: Database, authority: string): Buffer[] {
  const columns = columnsOf(db);
  if (columns.length === 0) return [];
  const isNamed = columns.map((name) => `CAST("${name}" AS TEXT) = @authority COLLATE NOCASE`).join(' OR ');
  const rows = db.prepare(`SELECT geom FROM "${authorityAreas}" WHERE ${isNamed} ORDER BY fid`);
  return rows.pluck().all({ authority }) as Buffer[];
}

function columnsOf(db: Database): string[] {
  const columns = db.pragma(`table_info("${authorityAreas}")`) as { name: string }[];
  return columns.map(({ name }) => name).filter((name) => name !== 'fid' && name !== 'geom');
}
