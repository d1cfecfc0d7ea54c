/**
 * The reference path: GDAL's spatial filter on whole features and GEOS for the exact distance. It is slow on big
 * polygons, but simple enough to trust, and every faster path is compared with it.
 */
import type Gdal from 'gdal-async';
import { gdal } from '../../geopackage/gdal.ts';
import type { ProjectedPoint } from '../../geopackage/projection.ts';
import type { Snapshot } from '../../geopackage/snapshot.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import type { EdgeHit, Hit, PlaceView } from './view.ts';

/** Least size of the filter's box, so that it has an area; hits are tested exactly. */
export const LEAST_FILTER_M = 0.01;

export function referenceView(snapshot: Snapshot, at: ProjectedPoint): PlaceView {
  const point = new gdal.Point(at.x, at.y);
  const queries = new Map<string, readonly EdgeHit[]>();
  let coverage: { readonly radiusM: number; readonly areas: ReturnType<typeof readCoverage> } | null = null;

  const near = (dataSet: string, radiusM: number): readonly EdgeHit[] => {
    const key = `${dataSet} ${radiusM}`;
    let hits = queries.get(key);
    if (!hits)
      queries.set(key, (hits = ownOf(snapshot, dataSet, findNear(snapshot.layer(dataSet), { point, at, radiusM }))));
    return hits;
  };

  const coverageEdgeM = (dataSet: string, radiusM: number): number => {
    if (snapshot.dataSets.get(dataSet)?.coverage !== 'area') return Infinity;
    const query = { point, at, radiusM };
    // Called for one data set after another, with the same radius.
    if (coverage?.radiusM !== radiusM) coverage = { radiusM, areas: readCoverage(snapshot, query) };
    return edgeOfAreas(coverage.areas.get(dataSet), query);
  };

  return {
    has: (dataSet) => snapshot.dataSets.has(dataSet),
    near,
    edges: near,
    all: near,
    covers: (dataSet, withinM) => isCovered(snapshot, { dataSet, withinM }, { near, coverageEdgeM }),
    coverageEdgeM,
  };
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

interface NearQuery {
  readonly point: Gdal.Point;
  readonly at: ProjectedPoint;
  readonly radiusM: number;
}

function findNear(layer: Gdal.Layer, { point, at, radiusM }: NearQuery): readonly EdgeHit[] {
  const reach = Math.max(radiusM * at.scale, LEAST_FILTER_M);
  const hits: EdgeHit[] = [];
  layer.setSpatialFilter(at.x - reach, at.y - reach, at.x + reach, at.y + reach);
  layer.features.forEach((feature) => {
    const geometry = feature.getGeometry();
    if (!geometry) return;
    const distanceM = geometry.distance(point) / at.scale;
    if (distanceM > radiusM) return;
    hits.push({
      id: feature.fid,
      distanceM,
      get edgeDistanceM() {
        return distanceM > 0 ? distanceM : edgeDistance(geometry, point) / at.scale;
      },
      attributes: feature.fields.toObject() as Record<string, Attribute>,
    });
  });
  return hits.sort((a, b) => a.distanceM - b.distanceM || a.id - b.id);
}

/** Reads the coverage areas of data sets that come within a distance of the place. */
function readCoverage(snapshot: Snapshot, { at, radiusM }: NearQuery): ReadonlyMap<unknown, readonly Gdal.Geometry[]> {
  const reach = radiusM * at.scale;
  const layer = snapshot.layer('coverage');
  layer.setSpatialFilter(at.x - reach, at.y - reach, at.x + reach, at.y + reach);
  const areas = new Map<unknown, Gdal.Geometry[]>();
  layer.features.forEach((feature) => {
    const geometry = feature.getGeometry();
    if (!geometry) return;
    const dataSet: unknown = feature.fields.get('data_set');
    areas.set(dataSet, [...(areas.get(dataSet) ?? []), geometry]);
  });
  return areas;
}

/** Returns the edge of the united areas: where areas touch, both sides are covered. */
function edgeOfAreas(areas: readonly Gdal.Geometry[] | undefined, { point, at, radiusM }: NearQuery): number {
  if (!areas) return Infinity;
  const edgeM =
    edgeDistance(
      areas.reduce((known, area) => known.union(area)),
      point,
    ) / at.scale;
  return edgeM <= radiusM ? edgeM : Infinity;
}

/** Returns projection metres to a polygon's border; 0 for what has none. */
function edgeDistance(geometry: Gdal.Geometry, point: Gdal.Point): number {
  const isPolygon = geometry instanceof gdal.Polygon || geometry instanceof gdal.MultiPolygon;
  return isPolygon ? geometry.boundary().distance(point) : 0;
}
