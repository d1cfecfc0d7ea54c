/** Draws places for comparing the two read paths: at addresses, anywhere, and where answers change. */
import type Gdal from 'gdal-async';
import type { Coordinate } from '../../src/shared/contract/lookup.ts';
import { gdal } from '../geopackage/gdal.ts';
import { somePoint } from '../lookup/gazetteer/some-point.ts';
import { ontarioBox } from '../geopackage/ontario-box.ts';
import { toDegrees } from '../geopackage/projection.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';

export const placeKinds = ['address', 'random', 'boundary'] as const;
export type PlaceKind = (typeof placeKinds)[number];

/** Largest distance of a `boundary` place from its boundary, in projection metres. */
const NEAR_BOUNDARY_M = 1;

/** Largest distance from an edge of coverage: answers change up to the outermost band inside it. */
const NEAR_COVERAGE_EDGE_M = 150;

/** Makes a function that returns places of one kind, from numbers in [0, 1) of `random`. */
export function placesOf(snapshot: Snapshot, kind: PlaceKind, random: () => number): () => Coordinate {
  switch (kind) {
    case 'address':
      return () => (snapshot.manifest.gazetteer && somePoint(snapshot.dataset, random)) ?? anywhere(random);
    case 'random':
      return () => anywhere(random);
    case 'boundary':
      return () => nearBoundary(snapshot, random);
  }
}

function anywhere(random: () => number): Coordinate {
  const { minX, minY, maxX, maxY } = ontarioBox();
  return coordinate(minX + random() * (maxX - minX), minY + random() * (maxY - minY));
}

/**
 * Draws a place beside a random edge of a random feature of a random data set, or of a coverage area. Small data sets
 * are as likely as large ones.
 */
function nearBoundary(snapshot: Snapshot, random: () => number): Coordinate {
  const tables = Object.entries(snapshot.manifest.dataSets).flatMap(([id, { featureCount }]) =>
    featureCount > 0 ? [id] : [],
  );
  if ([...snapshot.dataSets.values()].some(({ coverage }) => coverage === 'area')) tables.push('coverage');
  if (tables.length === 0) return anywhere(random);
  const table = tables[below(tables.length, random)]!;
  const layer = snapshot.layer(table);
  // Removes a filter that a query left, which would change the count.
  layer.setSpatialFilter(null);
  const geometry = layer.features.get(1 + below(layer.features.count(), random)).getGeometry();
  const points = pathOf(geometry, random);
  const count = points.count();
  const i = below(Math.max(1, count - 1), random);
  const [a, b] = [points.get(i), points.get(Math.min(i + 1, count - 1))];
  const along = random();
  const mostM = table === 'coverage' ? NEAR_COVERAGE_EDGE_M : NEAR_BOUNDARY_M;
  const away = (): number => (random() * 2 - 1) * mostM * Math.SQRT1_2;
  return coordinate(a.x + (b.x - a.x) * along + away(), a.y + (b.y - a.y) * along + away());
}

interface Points {
  count(): number;
  get(index: number): { readonly x: number; readonly y: number };
}

/** Returns the points of a random ring or path. */
function pathOf(geometry: Gdal.Geometry | null, random: () => number): Points {
  if (geometry instanceof gdal.GeometryCollection) {
    return pathOf(geometry.children.get(below(geometry.children.count(), random)), random);
  }
  if (geometry instanceof gdal.Polygon) return geometry.rings.get(below(geometry.rings.count(), random)).points;
  if (geometry instanceof gdal.LineString) return geometry.points;
  const { x, y } = geometry as Gdal.Point;
  return { count: () => 1, get: () => ({ x, y }) };
}

function below(count: number, random: () => number): number {
  return Math.floor(random() * count);
}

function coordinate(x: number, y: number): Coordinate {
  const { x: lon, y: lat } = toDegrees().transformPoint(x, y);
  return { lat, lon };
}
