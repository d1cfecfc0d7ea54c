import type Gdal from 'gdal-async';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import { gdal } from './gdal.ts';

export type GeometryFamily = DataSetDefinition['geometry'];

/** GeoPackage type of a data set's table: one type per table, so that every reader knows it. */
export const tableTypes = { polygon: 'MULTIPOLYGON', line: 'MULTILINESTRING', point: 'POINT' } as const;

/**
 * Returns the part of a geometry that belongs to the family, or null when there is none. Repairing a polygon can
 * produce lines and points, and some files mix types.
 */
export function partOfFamily(geometry: Gdal.Geometry, family: GeometryFamily): Gdal.Geometry | null {
  if (isSingle(geometry, family)) return geometry;
  if (!(geometry instanceof gdal.GeometryCollection)) return null;
  const parts = singles(geometry, family);
  if (parts.length === 0) return null;
  // A data set of points has one point per row.
  if (family === 'point') return parts.length === 1 ? parts[0]! : null;
  const whole = family === 'polygon' ? new gdal.MultiPolygon() : new gdal.MultiLineString();
  for (const part of parts) whole.children.add(part);
  return whole;
}

/** Returns the single geometries of the family inside a geometry, at any depth. */
export function singles(geometry: Gdal.Geometry, family: GeometryFamily): Gdal.Geometry[] {
  if (geometry instanceof gdal.GeometryCollection)
    return geometry.children.map((child) => child).flatMap((child) => singles(child, family));
  return isSingle(geometry, family) ? [geometry] : [];
}

function isSingle(geometry: Gdal.Geometry, family: GeometryFamily): boolean {
  if (geometry.isEmpty()) return false;
  switch (family) {
    case 'polygon':
      return geometry instanceof gdal.Polygon;
    case 'line':
      return geometry instanceof gdal.LineString && !(geometry instanceof gdal.LinearRing);
    case 'point':
      return geometry instanceof gdal.Point;
  }
}
