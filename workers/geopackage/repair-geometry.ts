import type Gdal from 'gdal-async';
import { gdal } from './gdal.ts';
import { partOfFamily, singles, type GeometryFamily } from './geometry-family.ts';

/**
 * Returns a valid geometry that covers the intended area of the invalid one, or null when nothing of its dimension is
 * left.
 *
 * Polygons are repaired ring by ring: shells without holes, then all shells as one. GEOS's makeValid on the whole
 * applies the even-odd rule to all rings. Two parts that overlap would leave a gap there, and the answer would be a
 * wrong "no".
 */
export function repairGeometry(geometry: Gdal.Geometry, family: GeometryFamily): Gdal.Geometry | null {
  if (family !== 'polygon') return partOfFamily(geometry.makeValid(), family);
  const polygons = singles(geometry, 'polygon').filter((part) => part instanceof gdal.Polygon);
  const areas = polygons.flatMap((polygon) => repairPolygon(polygon) ?? []);
  return areas.length === 0 ? null : partOfFamily(unionOf(areas), 'polygon');
}

function repairPolygon(polygon: Gdal.Polygon): Gdal.Geometry | null {
  const rings = Array.from({ length: polygon.rings.count() }, (_, i) => polygon.rings.get(i));
  const [shell, ...holes] = rings.map(areaOf);
  if (!shell) return null;
  const areas = holes.flatMap((hole) => hole ?? []);
  return areas.length === 0 ? shell : shell.difference(unionOf(areas));
}

/** Returns the area inside one ring; a ring that crosses itself bounds several areas. */
function areaOf(ring: Gdal.LinearRing): Gdal.Geometry | null {
  const polygon = new gdal.Polygon();
  polygon.rings.add(ring);
  return partOfFamily(polygon.makeValid(), 'polygon');
}

function unionOf(areas: readonly Gdal.Geometry[]): Gdal.Geometry {
  const parts = areas.flatMap((area) => singles(area, 'polygon'));
  if (parts.length === 1) return parts[0]!;
  const whole = new gdal.MultiPolygon();
  for (const part of parts) whole.children.add(part);
  return whole.unionCascaded();
}
