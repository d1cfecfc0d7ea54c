/**
 * The reference path: GDAL's spatial filter on whole features and GEOS for the exact distance. It is slow on big polygons, but simple enough to
 * trust, and every faster path is compared with it. For many places at a time it reads a feature once: comparisons ask at hundreds of thousands.
 */
import type Gdal from 'gdal-async';
import type { Attribute } from '../../geopackage/attribute.ts';
import { gdal } from '../../geopackage/gdal.ts';
import type { ProjectedPoint } from '../../geopackage/projection.ts';
import type { Snapshot } from '../../geopackage/snapshot.ts';
import { borderDistances, boxAround, distancesTo, reachOf, type Member } from './group-distances.ts';
import type { EdgeHit, Hit, PlaceView } from './view.ts';

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
    kept(queries, `${table} ${radiusM}`, () => findNear(snapshot, members, { table, radiusM }));
  const coverageEdges = (table: string, radiusM: number): ReadonlyMap<Member, number> =>
    kept(edges, `${table} ${radiusM}`, () => findCoverageEdges(snapshot, members, { table, radiusM }));

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

interface Query {
  /** Of the features, or the data set whose coverage is meant. */
  readonly table: string;
  readonly radiusM: number;
}

function findNear(
  snapshot: Snapshot,
  members: readonly Member[],
  { table, radiusM }: Query,
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
        ...{ id, distanceM, attributes },
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
  { table, radiusM }: Query,
): ReadonlyMap<Member, number> {
  const layer = snapshot.layer('coverage');
  const areas: Gdal.Geometry[] = [];
  setFilter(layer, members, radiusM);
  layer.features.forEach((feature) => {
    const geometry = feature.getGeometry();
    if (geometry && feature.fields.get('data_set') === table) areas.push(geometry);
  });
  if (areas.length === 0) return new Map();
  const edge = areas.reduce((known, area) => known.union(area)).boundary();
  return distancesTo(edge, members, radiusM);
}

function setFilter(layer: Gdal.Layer, members: readonly Member[], radiusM: number): void {
  const { minX, minY, maxX, maxY } = boxAround(members, radiusM);
  layer.setSpatialFilter(minX, minY, maxX, maxY);
}
