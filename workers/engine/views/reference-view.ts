/**
 * The reference path: GDAL's spatial filter on whole features and GEOS for the exact distance. It is slow on big polygons, but simple enough to
 * trust, and every faster path is compared with it. For many places at a time it reads a feature once: comparisons ask at hundreds of thousands.
 */
import type Gdal from 'gdal-async';
import type { Attribute } from '../../geopackage/attribute.ts';
import { gdal } from '../../geopackage/gdal.ts';
import type { ProjectedPoint } from '../../geopackage/lambert.ts';
import type { Snapshot } from '../../geopackage/snapshot.ts';
import { ON_EDGE_M } from '../../geometry/segment.ts';
import type { EdgeHit, Hit, PlaceView } from './view.ts';
import { EDGE_SEARCH_M } from '../../../src/messages/lookup.ts';

/** Returns the view of one place. */
export function referenceView(snapshot: Snapshot, at: ProjectedPoint): PlaceView {
  return referenceViews(snapshot, [at])[0]!;
}

/**
 * Returns views of the places, in their order. Any places are allowed; the nearer they are to each other, the fewer
 * features are read in vain.
 */
export function referenceViews(snapshot: Snapshot, places: readonly ProjectedPoint[]): PlaceView[] {
  const members = places.map((at): Member => ({ at, point: new gdal.Point(at.x, at.y) }));
  const queries = new Map<string, ReadonlyMap<Member, readonly EdgeHit[]>>();
  const edges = new Map<string, ReadonlyMap<Member, number>>();

  const nearAll = (table: string, radiusM: number): ReadonlyMap<Member, readonly EdgeHit[]> =>
    kept(queries, `${table} ${radiusM}`, () => findNear(snapshot, members, table, radiusM));
  const coverageEdges = (table: string, radiusM: number): ReadonlyMap<Member, number> =>
    kept(edges, `${table} ${radiusM}`, () => findCoverageEdges(snapshot, members, table, radiusM));

  return members.map((member) => {
    const near: PlaceView['edges'] = (table, radiusM) => nearAll(table, radiusM).get(member) ?? [];
    const coverageEdgeM: PlaceView['coverageEdgeM'] = (dataSet, radiusM) =>
      snapshot.dataSets.get(dataSet)?.coverage === 'area'
        ? (coverageEdges(dataSet, radiusM).get(member) ?? Infinity)
        : Infinity;
    return {
      has: (dataSet) => snapshot.dataSets.has(dataSet),
      near,
      edges: near,
      all: near,
      covers: (dataSet, withinM) => isCovered(snapshot, { dataSet, withinM }, { near, coverageEdgeM }),
      coverageEdgeM,
    };
  });
}

function kept<Value>(all: Map<string, Value>, key: string, find: () => Value): Value {
  let value = all.get(key);
  if (value === undefined) all.set(key, (value = find()));
  return value;
}

/** Says whether the coverage includes a place, with its edge at least `withinM` ground metres away. */
export function isCovered(
  snapshot: Snapshot,
  { dataSet, withinM }: { readonly dataSet: string; readonly withinM: number },
  place: Pick<PlaceView, 'near' | 'coverageEdgeM'>,
): boolean {
  const kind = snapshot.dataSets.get(dataSet)?.coverage;
  if (kind !== 'area') return kind === 'province';
  if (!place.near('coverage', 0).some((hit) => hit.attributes['data_set'] === dataSet)) return false;
  return withinM === 0 || place.coverageEdgeM(dataSet, withinM) >= withinM;
}

/** Leaves out features that belong to another table by the rules of now. */
export function ownOf<H extends Pick<Hit, 'attributes'>>(
  { judged }: Pick<Snapshot, 'judged'>,
  table: string,
  hits: readonly H[],
): readonly H[] {
  const own = judged.get(table);
  return own ? hits.filter(({ attributes }) => own.owns(attributes)) : hits;
}

function findNear(
  snapshot: Snapshot,
  members: readonly Member[],
  table: string,
  radiusM: number,
): ReadonlyMap<Member, EdgeHit[]> {
  const layer = snapshot.layer(table);
  const owns = snapshot.judged.get(table)?.owns;
  const hits = new Map<Member, EdgeHit[]>();
  setFilter(layer, members, radiusM);
  layer.features.forEach((feature) => {
    const geometry = feature.getGeometry();
    if (!geometry) return;
    const { minX, minY, maxX, maxY } = geometry.getEnvelope();
    const candidates = members.filter((member) => {
      const { x, y } = member.at;
      const by = reachOf(member, radiusM);
      return x >= minX - by && x <= maxX + by && y >= minY - by && y <= maxY + by;
    });
    if (candidates.length === 0) return;
    const distances = distancesTo(geometry, candidates, radiusM);
    if (distances.size === 0) return;
    const [id, attributes] = [feature.fid, feature.fields.toObject() as Record<string, Attribute>];
    if (owns && !owns(attributes)) return;
    const toBorder = borderDistances(geometry, candidates);
    for (const [member, distanceM] of distances) {
      const hit: EdgeHit = {
        id,
        distanceM,
        attributes,
        get edgeDistanceM() {
          return distanceM > 0 ? distanceM : toBorder(member);
        },
      };
      const others = hits.get(member);
      if (others) others.push(hit);
      else hits.set(member, [hit]);
    }
  });
  for (const found of hits.values()) found.sort((a, b) => a.distanceM - b.distanceM || a.id - b.id);
  return hits;
}

/** Returns ground metres to the edge of what a data set knows. Areas are united: where they touch, both sides are covered. */
function findCoverageEdges(
  snapshot: Snapshot,
  members: readonly Member[],
  dataSet: string,
  radiusM: number,
): ReadonlyMap<Member, number> {
  const layer = snapshot.layer('coverage');
  const areas: Gdal.Geometry[] = [];
  setFilter(layer, members, radiusM);
  layer.features.forEach((feature) => {
    const geometry = feature.getGeometry();
    if (geometry && feature.fields.get('data_set') === dataSet) areas.push(geometry);
  });
  if (areas.length === 0) return new Map();
  const edge = areas.reduce((known, area) => known.union(area)).boundary();
  return distancesTo(edge, members, radiusM);
}

function setFilter(layer: Gdal.Layer, members: readonly Member[], radiusM: number): void {
  const { minX, minY, maxX, maxY } = boxAround(members, radiusM);
  layer.setSpatialFilter(minX, minY, maxX, maxY);
}

// Exact distances from the places of a group to a geometry, by GEOS. Of a large geometry only the part round the places is measured.

/** Least size of the filter's box, so that it has an area; hits are tested exactly. */
const LEAST_FILTER_M = 0.01;

/** A place of a group with its point for GEOS. */
interface Member {
  readonly at: ProjectedPoint;
  readonly point: Gdal.Point;
}

/** Returns the largest distance of a feature within the radius, in projection metres. */
function reachOf({ at }: Member, radiusM: number): number {
  return Math.max(radiusM * at.scale, LEAST_FILTER_M);
}

function boxAround(members: readonly Member[], radiusM: number) {
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
function borderDistances(geometry: Gdal.Geometry, members: readonly Member[]): (member: Member) => number {
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
function distancesTo(geometry: Gdal.Geometry, members: readonly Member[], radiusM: number): Map<Member, number> {
  if (radiusM === 0 && isPolygon(geometry) && members.length > 1) {
    const inside = membersInside(geometry, members);
    if (inside) return new Map(inside.map((member) => [member, 0]));
  }
  const near = nearPart(geometry, members, radiusM);
  if (near === null) return new Map();
  const measured = members.map((member) => [member, fromEdge(near.distance(member.point)) / member.at.scale] as const);
  return new Map(measured.filter(([, distanceM]) => distanceM <= radiusM));
}

/** A place on the edge is inside. */
function fromEdge(distanceM: number): number {
  return distanceM <= ON_EDGE_M ? 0 : distanceM;
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
