/** Sums and differences of areas, in square metres of EPSG:3161. */
import type Gdal from 'gdal-async';
import { gdal } from '../../geopackage/gdal.ts';
import { toGpkgGeometry, wkbOf, type StoredGeometry } from '../../geopackage/gpkg-geometry.ts';
import { toDegrees } from '../../geopackage/spatial-reference.ts';
import { project } from '../../geopackage/lambert.ts';

/** Returns all polygons as one geometry, without the edges where they overlap or touch. */
export function unionOf(polygons: readonly StoredGeometry[]): Gdal.Geometry {
  const all = new gdal.MultiPolygon();
  for (const { blob } of polygons)
    for (const polygon of polygonsOf(gdal.Geometry.fromWKB(wkbOf(blob)))) all.children.add(polygon);
  return all.children.count() === 0 ? all : all.unionCascaded();
}

/** Returns the polygons of a geometry; lines and points, where two areas merely touch, are left out. */
export function storedPolygons(geometry: Gdal.Geometry): readonly StoredGeometry[] {
  return polygonsOf(geometry).flatMap((polygon) => toGpkgGeometry(polygon.toWKB(gdal.wkbNDR)) ?? []);
}

export function polygonsOf(geometry: Gdal.Geometry): Gdal.Polygon[] {
  if (geometry instanceof gdal.Polygon) return geometry.isEmpty() ? [] : [geometry];
  if (geometry instanceof gdal.GeometryCollection) return geometry.children.map(polygonsOf).flat();
  return [];
}

export function squareMetres(geometry: Gdal.Geometry): number {
  return polygonsOf(geometry).reduce((sum, polygon) => sum + polygon.getArea(), 0);
}

/** Says whether a place, longitude first, lies in an area. */
export function contains(area: Gdal.Geometry, [lon, lat]: readonly [lon: number, lat: number]): boolean {
  const { x, y } = project({ lat, lon });
  return area.intersects(new gdal.Point(x, y));
}

/** Returns a place inside a polygon as people write it: `44.3000, -79.5000`. It is the middle of its longest west-east line half way up. */
export function placeIn(polygon: Gdal.Polygon): string {
  const { minX, minY, maxX, maxY } = polygon.getEnvelope();
  const y = (minY + maxY) / 2;
  const across = new gdal.LineString();
  across.points.add(new gdal.Point(minX - 1, y));
  across.points.add(new gdal.Point(maxX + 1, y));
  const lines = linesOf(polygon.intersection(across));
  const longest = lines.reduce((best, line) => (line.getLength() > best.getLength() ? line : best), lines[0] ?? across);
  const middle = longest.value(longest.getLength() / 2);
  middle.transform(toDegrees());
  return `${middle.y.toFixed(4)}, ${middle.x.toFixed(4)}`;
}

function linesOf(geometry: Gdal.Geometry): Gdal.LineString[] {
  if (geometry instanceof gdal.LineString) return [geometry];
  return geometry instanceof gdal.GeometryCollection ? geometry.children.map(linesOf).flat() : [];
}

/** Says whether two lists hold the same polygons, byte for byte. */
export function areSame(some: readonly StoredGeometry[], others: readonly StoredGeometry[]): boolean {
  return some.length === others.length && some.every(({ blob }, i) => blob.equals(others[i]!.blob));
}
