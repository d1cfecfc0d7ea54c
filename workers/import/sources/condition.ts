import type Gdal from 'gdal-async';
import { fieldIndex } from '../../../src/shared/catalogue/source-field.ts';

/**
 * Counts the features that fit the condition. GDAL hands a condition on a GeoPackage to SQLite, which looks at it only now.
 * @throws Error when the condition does not fit the fields.
 */
export function countOf(layer: Gdal.Layer, where: string | null): number {
  const count = layer.features.count(true);
  if (count >= 0) return count;
  throw new Error(where === null ? 'is damaged: its features cannot be counted' : misfit(layer, where));
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
