import Database from 'better-sqlite3';
import type Gdal from 'gdal-async';
import { fieldIndex } from '../../../src/catalogue/source-field.ts';
import { deletedRecords } from './check-shapefile.ts';

/**
 * Counts the features that fit the condition, as they are in the file. What a file keeps as their number may be old: the count of a GeoPackage's
 * `gpkg_ogr_contents`, or that of a Shapefile with records that are marked as deleted. GDAL hands a condition on a GeoPackage to SQLite, which looks at
 * it only now.
 * @throws Error when the condition does not fit the fields.
 */
export function countOf(path: string, layer: Gdal.Layer, where: string | null): number {
  if (where === null && layer.ds.driver.description === 'GPKG') return rowsOf(path, layer.name);
  const isShapefile = layer.ds.driver.description === 'ESRI Shapefile';
  const count = layer.features.count(true) - (where === null && isShapefile ? deletedRecords(path) : 0);
  if (count >= 0) return count;
  throw new Error(where === null ? 'is damaged: its features cannot be counted' : misfit(layer, where));
}

function rowsOf(path: string, table: string): number {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    db.pragma('trusted_schema = OFF');
    return db
      .prepare(`SELECT COUNT(*) FROM "${table.replaceAll('"', '""')}"`)
      .pluck()
      .get() as number;
  } finally {
    db.close();
  }
}

function misfit(layer: Gdal.Layer, where: string): string {
  return `the condition "${where}" does not fit its fields (${layer.fields.getNames().join(', ')})`;
}

/**
 * Sets the condition. In a GeoPackage it is SQL, and a query in it may read other tables, or never end.
 * @throws Error when it contains a query or does not fit the fields, or a name in it may be several fields.
 */
export function setFilter(layer: Gdal.Layer, where: string): void {
  if (/\b(select|with)\b/i.test(where.replaceAll(/'[^']*'|"[^"]*"/g, '')))
    throw new Error(`the condition "${where}" contains a query: compare the file's own fields only`);
  checkNames(layer, where);
  try {
    layer.setAttributeFilter(where);
  } catch (cause) {
    throw new Error(misfit(layer, where), { cause });
  }
}

/** What a condition may name besides fields (OGR SQL, "special fields"). */
const specialNames = /^(fid|ogr_geometry|ogr_style|ogr_geom_wkt|ogr_geom_area)$/i;

/** SQLite takes a quoted name that no column has for a text, and the condition is then true or false for every feature. */
function checkNames(layer: Gdal.Layer, where: string): void {
  const present = layer.fields.getNames();
  const own = [...present, layer.fidColumn, layer.geomColumn];
  for (const [, quotedName, word] of where
    .replaceAll(/'[^']*'/g, "''")
    .matchAll(/"((?:[^"]|"")*)"|([\p{L}_][\p{L}\p{N}_]*)/gu)) {
    const name = quotedName?.replaceAll('""', '"') ?? word!;
    const index = fieldIndex(name, present);
    if (index === null && quotedName !== undefined && !specialNames.test(name) && fieldIndex(name, own) === null)
      throw new Error(misfit(layer, where));
  }
}
