/** Exact distances from the places of a group to a geometry, by GEOS. Of a large geometry only the part round the places is measured. */
import type Gdal from 'gdal-async';
import { gdal } from '../../geopackage/gdal.ts';
import type { ProjectedPoint } from '../../geopackage/projection.ts';
import { EDGE_SEARCH_M } from '../../../src/messages/edge-search.ts';

/** Least size of the filter's box, so that it has an area; hits are tested exactly. */
const LEAST_FILTER_M = 0.01;

/** A place of a group with its point for GEOS. */
export interface Member {
  readonly at: ProjectedPoint;
  readonly point: Gdal.Point;
}

/** Returns the largest distance of a feature within the radius, in projection metres. */
export function reachOf({ at }: Member, radiusM: number): number {
  return Math.max(radiusM * at.scale, LEAST_FILTER_M);
}

export function boxAround(members: readonly Member[], radiusM: number) {
  const boxes = members.map((member) => {
    const [{ x, y }, by] = [member.at, reachOf(member, radiusM)];
    return { minX: x - by, minY: y - by, maxX: x + by, maxY: y + by };
  });
  return {
    minX: Math.min(...boxes.map((box) => box.minX)),
    minY: Math.min(...boxes.map((box) => box.minY)),
    maxX: Math.max(...boxes.map((box) => box.maxX)),
    maxY: Math.max(...boxes.map((box) => box.maxY)),
  };
}

/**
 * Returns a function that gives the ground metres from a place to a polygon's border, and 0 for what has none. It is exact up to the radius within which evidence is
 * sought: of a large border only the part round the places is kept, once for all of them.
 */
export function borderDistances(geometry: Gdal.Geometry, members: readonly Member[]): (member: Member) => number {
  if (!isPolygon(geometry)) return () => 0;
  let border: Gdal.Geometry | null | undefined;
  return ({ at, point }) => {
    if (border === undefined) border = nearPart(geometry.boundary(), members, EDGE_SEARCH_M);
    return border === null ? Infinity : border.distance(point) / at.scale;
  };
}

function isPolygon(geometry: Gdal.Geometry): boolean {
  return geometry instanceof gdal.Polygon || geometry instanceof gdal.MultiPolygon;
}

/** Returns ground metres from the places within the radius. */
export function distancesTo(geometry: Gdal.Geometry, members: readonly Member[], radiusM: number): Map<Member, number> {
  if (radiusM === 0 && isPolygon(geometry) && members.length > 1) {
    const inside = membersInside(geometry, members);
    if (inside) return new Map(inside.map((member) => [member, 0]));
  }
  const near = nearPart(geometry, members, radiusM);
  if (near === null) return new Map();
  const measured = members.map((member) => [member, near.distance(member.point) / member.at.scale] as const);
  return new Map(measured.filter(([, distanceM]) => distanceM <= radiusM));
}

/** Size from which only a part of a geometry is measured, because GEOS converts the geometry at each call. */
const LARGE_WKB = 16_384;
const MANY_PLACES = 8;

/**
 * Returns the part of a geometry that can be within the radius of any of the places, plus a metre; null when there is
 * none.
 */
function nearPart(geometry: Gdal.Geometry, members: readonly Member[], radiusM: number): Gdal.Geometry | null {
  if (geometry.wkbSize < LARGE_WKB || members.length < MANY_PLACES) return geometry;
  const frame = new gdal.Envelope(boxAround(members, radiusM + 1)).toPolygon();
  const part = intersectionOf(geometry, frame);
  if (part === null) return geometry;
  return part.isEmpty() ? null : part;
}

/** Null when GEOS refuses the geometry because its rings cross: an import repairs such polygons, a generated province has some. */
function intersectionOf(geometry: Gdal.Geometry, other: Gdal.Geometry): Gdal.Geometry | null {
  try {
    return geometry.intersection(other);
  } catch (cause) {
    if (String(cause).includes('TopologyException')) return null;
    throw cause;
  }
}

/**
 * Returns the places inside or on the border, with one call for all, because GEOS converts the whole polygon for each
 * call, which costs more than the test. Null when GEOS cannot tell.
 */
function membersInside(polygon: Gdal.Geometry, members: readonly Member[]): readonly Member[] | null {
  const all = new gdal.MultiPoint();
  for (const { point } of members) all.children.add(point);
  const common = intersectionOf(polygon, all);
  if (common === null) return null;
  const inside = new Set(pointsOf(common).map(({ x, y }) => `${x} ${y}`));
  return members.filter(({ at }) => inside.has(`${at.x} ${at.y}`));
}

function pointsOf(geometry: Gdal.Geometry | null): readonly Gdal.Point[] {
  if (!geometry || geometry.isEmpty()) return [];
  if (geometry instanceof gdal.Point) return [geometry];
  if (geometry instanceof gdal.MultiPoint) return geometry.children.map(pointsOf).flat();
  throw new Error(`points in a polygon came as ${geometry.name}`);
}
