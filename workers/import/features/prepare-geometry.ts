import { meets } from '../../geometry/box.ts';
import type Gdal from 'gdal-async';
import { gdal } from '../../geopackage/gdal.ts';
import { lambert } from '../../geopackage/spatial-reference.ts';
import { type GeometryFamily, partOfFamily, singles } from '../../geopackage/geometry-family.ts';
import { type MeasuredGeometry, toGpkgGeometry } from '../../geopackage/gpkg-geometry.ts';
import { ontarioBox } from '../../geopackage/ontario-box.ts';

/** A straight edge of the source is a curve in the projection, so longer edges first get vertices in between. */
const LONGEST_EDGE_M = 1000;

/** Length of a degree of latitude. A degree of longitude is shorter, so no edge becomes longer than the limit. */
const METRES_PER_DEGREE = 111_694;

/**
 * Limit for broken coordinates: no feature of Ontario is 10,000 km long, and such an edge would become a million
 * vertices.
 */
const MOST_EDGES = 10_000;

/** Reason why a feature is left out whose area nobody knows. */
export const NO_NUMBER = 'a coordinate that is no number';

/** Why a geometry is refused that neither the binding nor GDAL's straight copy holds. */
export const SURFACES =
  'has surfaces of several faces (multipatch, TIN or PolyhedralSurface) or curves in a collection, which are not read: export them as plain polygons';

/** Reasons why a feature is left out of which nobody knows where it is, or how far it reaches. */
export const placelessReasons = [
  'no geometry',
  NO_NUMBER,
  'other geometry type',
  'nothing left after the repair',
] as const;

/** Reason why a feature is left out. */
type DropReason = (typeof placelessReasons)[number] | 'coordinates that cannot be projected' | 'outside Ontario';

export type PreparedGeometry =
  | { readonly stored: MeasuredGeometry; readonly repaired: boolean }
  | {
      readonly dropped: DropReason;
      /** Its coordinates in the source, when they are not in Ontario. */
      readonly misplacedAt?: string;
    };

/** `hasShortParts`: rings or lines of fewer than two positions, which bound nothing and lead nowhere, are left out. */
export type GeometryPreparer = (geometry: Gdal.Geometry | null, hasShortParts?: boolean) => PreparedGeometry;

/**
 * Makes a function that converts flat source geometries of one file to stored ones: of one type, densified, in
 * EPSG:3161, valid.
 */
export function geometryPreparer(
  srs: Gdal.SpatialReference,
  family: GeometryFamily,
  nestedAreHoles = false,
): GeometryPreparer {
  const toLambert = new gdal.CoordinateTransformation(srs, lambert());
  const longestEdge = srs.isGeographic()
    ? LONGEST_EDGE_M / METRES_PER_DEGREE
    : LONGEST_EDGE_M / srs.getLinearUnits().value;

  return (geometry, hasShortParts = false) => {
    const wanted = partsOf(geometry, family, hasShortParts);
    if (typeof wanted === 'string') return { dropped: wanted };
    if (family === 'polygon') wanted.closeRings();
    const { minX, minY, maxX, maxY } = wanted.getEnvelope();
    const misplacedAs = (dropped: DropReason) => ({ dropped, misplacedAt: `(${minX}, ${minY})` });
    // No edge is longer than the box's diagonal, and most features are small.
    const diagonal = Math.hypot(maxX - minX, maxY - minY);
    if (!(diagonal < longestEdge * MOST_EDGES)) return misplacedAs('coordinates that cannot be projected');
    if (diagonal > longestEdge) wanted.segmentize(longestEdge);
    if (!projected(wanted, toLambert)) return misplacedAs('coordinates that cannot be projected');
    const result = validated(wanted, family, nestedAreHoles);
    if ('dropped' in result || meets(result.stored, ontarioBox())) return result;
    return misplacedAs('outside Ontario');
  };
}

/** Returns what of a geometry belongs to the data set, or why nothing does. */
function partsOf(
  geometry: Gdal.Geometry | null,
  family: GeometryFamily,
  hasShortParts: boolean,
): Gdal.Geometry | DropReason {
  if (!geometry || geometry.isEmpty()) return 'no geometry';
  const given = partOfFamily(geometry, family);
  if (!given) return 'other geometry type';
  return (hasShortParts ? withoutShortParts(given, family) : given) ?? 'nothing left after the repair';
}

function projected(geometry: Gdal.Geometry, toLambert: Gdal.CoordinateTransformation): boolean {
  try {
    geometry.transform(toLambert);
    return true;
  } catch {
    return false;
  }
}

/** GEOS reads neither a ring nor a line of one position, and a stored one has some. */
function withoutShortParts(geometry: Gdal.Geometry, family: GeometryFamily): Gdal.Geometry | null {
  const whole = family === 'polygon' ? new gdal.MultiPolygon() : new gdal.MultiLineString();
  for (const part of singles(geometry, family)) {
    const kept = part instanceof gdal.Polygon ? withoutShortRings(part) : part;
    if (!(kept instanceof gdal.LineString) || kept.points.count() > 1) whole.children.add(kept);
  }
  return partOfFamily(whole, family);
}

function withoutShortRings(polygon: Gdal.Polygon): Gdal.Polygon {
  const kept = new gdal.Polygon();
  for (let i = 0; i < polygon.rings.count(); i++) {
    const ring = polygon.rings.get(i);
    if (ring.points.count() > 1) kept.rings.add(ring);
  }
  return kept;
}

function validated(geometry: Gdal.Geometry, family: GeometryFamily, nestedAreHoles: boolean): PreparedGeometry {
  const repaired = !geometry.isValid();
  const valid = repaired ? repairGeometry(geometry, family, nestedAreHoles) : geometry;
  if (!valid) return { dropped: 'nothing left after the repair' };
  const stored = toGpkgGeometry(valid.toWKB(gdal.wkbNDR));
  return stored ? { stored, repaired } : { dropped: 'coordinates that cannot be projected' };
}

/**
 * Returns a valid geometry that covers the intended area of the invalid one, or null when nothing of its dimension is
 * left.
 *
 * Polygons are repaired ring by ring: shells without holes, then all shells as one. GEOS's makeValid on the whole
 * applies the even-odd rule to all rings. Two parts that overlap would leave a gap there, and the answer would be a
 * wrong "no".
 * @param nestedAreHoles of a format of Esri, which tells holes by their direction alone: where no ring is a hole by that, one that lies in another is.
 */
export function repairGeometry(
  geometry: Gdal.Geometry,
  family: GeometryFamily,
  nestedAreHoles = false,
): Gdal.Geometry | null {
  if (family !== 'polygon') return partOfFamily(geometry.makeValid(), family);
  const polygons = singles(geometry, 'polygon').filter((part) => part instanceof gdal.Polygon);
  const areas = polygons.flatMap((polygon) => repairPolygon(polygon) ?? []);
  if (areas.length === 0) return null;
  const isUntold = nestedAreHoles && areas.length > 1 && polygons.every(({ rings }) => rings.count() === 1);
  const land = isUntold ? withoutNested(areas) : unionOf(areas);
  return land && partOfFamily(land, 'polygon');
}

/** What lies in an odd number of others is cut out of them. */
function withoutNested(areas: readonly Gdal.Geometry[]): Gdal.Geometry | null {
  const boxes = areas.map((area) => area.getEnvelope());
  const around = areas.map((area, i) => {
    const { minX, minY, maxX, maxY } = boxes[i]!;
    const isAround = (other: Gdal.Geometry, k: number): boolean => {
      const box = boxes[k]!;
      const isLarger = box.minX <= minX && box.minY <= minY && box.maxX >= maxX && box.maxY >= maxY;
      return k !== i && isLarger && other.contains(area) && !area.contains(other);
    };
    return areas.filter(isAround).length;
  });
  const byDepth = areas.map((area, i) => ({ area, depth: around[i]! })).sort((a, b) => a.depth - b.depth);
  let land: Gdal.Geometry | null = null;
  for (const { area, depth } of byDepth) {
    if (depth % 2 === 1) land = land!.difference(area);
    else land = land === null ? area : land.union(area);
  }
  return land;
}

function repairPolygon(polygon: Gdal.Polygon): Gdal.Geometry | null {
  const [first, ...others] = Array.from({ length: polygon.rings.count() }, (_, i) => boundedBy(polygon.rings.get(i)));
  if (!first) return null;
  const inner = others.flatMap((ring) => ring ?? []);
  if (inner.length === 0) return first.area;
  const around = inner.find(({ area }) => !area.equals(first.area) && area.contains(first.area));
  // The outermost ring is the shell, wherever it stands.
  const [shell, rest] = around ? [around, [first, ...inner.filter((ring) => ring !== around)]] : [first, inner];
  // A ring beside the shell cuts nothing out of it: some writers put all parts of a multipolygon into one polygon.
  const isBeside = ({ area }: Bounded): boolean => area.disjoint(shell.area) || area.touches(shell.area);
  const beside = rest.filter(isBeside);
  const holes = beside.length === 0 ? rest : rest.filter((ring) => !beside.includes(ring));
  const land = holes.length === 0 ? shell.area : shell.area.difference(unionOf(holes.map(({ area }) => area)));
  const parts = beside.length === 0 ? null : areaOf(beside.map(({ ring }) => ring));
  return parts ? unionOf([land, parts]) : land;
}

interface Bounded {
  readonly ring: Gdal.LinearRing;
  /** Inside the ring. */
  readonly area: Gdal.Geometry;
}

/** Returns null for a ring that bounds nothing. */
function boundedBy(ring: Gdal.LinearRing): Bounded | null {
  const area = areaOf([ring]);
  return area && { ring, area };
}

/** Returns the area inside rings, by the even-odd rule; a ring that crosses itself bounds several areas. */
function areaOf(rings: readonly Gdal.LinearRing[]): Gdal.Geometry | null {
  const polygon = new gdal.Polygon();
  for (const ring of rings) polygon.rings.add(ring);
  return partOfFamily(polygon.makeValid(), 'polygon');
}

function unionOf(areas: readonly Gdal.Geometry[]): Gdal.Geometry {
  const parts = areas.flatMap((area) => singles(area, 'polygon'));
  if (parts.length === 1) return parts[0]!;
  const whole = new gdal.MultiPolygon();
  for (const part of parts) whole.children.add(part);
  return whole.unionCascaded();
}
