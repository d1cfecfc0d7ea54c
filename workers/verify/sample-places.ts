/** Draws places for comparing the two read paths: at addresses, anywhere, and where answers change. */
import type Gdal from 'gdal-async';
import { featureTables } from '../../src/catalogue/side-tables.ts';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { Coordinate } from '../../src/messages/lookup.ts';
import { gdal } from '../geopackage/gdal.ts';
import { fromLambert } from '../geopackage/lambert.ts';
import { ontarioBox } from '../geopackage/ontario-box.ts';
import { toDegrees } from '../geopackage/spatial-reference.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import { CivicBlock } from '../engine/gazetteer/civic-block.ts';
import { tables } from '../engine/gazetteer/tables.ts';
import { kindOf } from '../engine/kinds/kinds.ts';

export const placeKinds = ['address', 'random', 'boundary', 'limit'] as const;
export type PlaceKind = (typeof placeKinds)[number];

/** Largest distance of a place from the boundary or limit that it is drawn for, in projection metres. */
const NEAR_M = 1;

/**
 * Makes a function that returns places of one kind, from numbers in [0, 1) of `random`: `boundary` is beside an edge of a feature or of an area
 * that a data set knows; `limit` is where the distance to such an edge changes an answer.
 */
export function placesOf(
  snapshot: Snapshot,
  kind: PlaceKind,
  { answers, random }: { readonly answers: Catalogue['answers']; readonly random: () => number },
): () => Coordinate {
  switch (kind) {
    case 'address':
      return () => (snapshot.manifest.gazetteer && somePoint(snapshot.dataset, random)) ?? anywhere(random);
    case 'random':
      return () => anywhere(random);
    case 'boundary':
      return besideOneOf(
        snapshot,
        tablesOf(snapshot).map((table) => ({ table, distanceM: 0 })),
        random,
      );
    case 'limit': {
      const tables = tablesOf(snapshot);
      return besideOneOf(
        snapshot,
        answerLimits(answers).filter(({ table }) => tables.includes(table)),
        random,
      );
    }
  }
}

/** Tables with features. Small data sets are as likely as large ones. */
function tablesOf({ manifest, dataSets }: Snapshot): string[] {
  const tables = featureTables(manifest.dataSets).flatMap(({ table, featureCount }) =>
    featureCount > 0 ? [table] : [],
  );
  return [...dataSets.values()].some(({ coverage }) => coverage === 'area') ? [...tables, COVERAGE_TABLE] : tables;
}

function anywhere(random: () => number): Coordinate {
  const { minX, minY, maxX, maxY } = ontarioBox();
  return coordinate(minX + random() * (maxX - minX), minY + random() * (maxY - minY));
}

function besideOneOf(snapshot: Snapshot, limits: readonly AnswerLimit[], random: () => number): () => Coordinate {
  if (limits.length === 0) return () => anywhere(random);
  return () => besideEdge(snapshot, limits[below(limits.length, random)]!, random);
}

/** Draws a place at a distance from a random edge of a random feature of a table, on either side. */
function besideEdge(snapshot: Snapshot, { table, distanceM }: AnswerLimit, random: () => number): Coordinate {
  const layer = snapshot.layer(table);
  // Removes a filter that a query left, which would change the count.
  layer.setSpatialFilter(null);
  const geometry = layer.features.get(1 + below(layer.features.count(), random)).getGeometry();
  const points = pathOf(geometry, random);
  const count = points.count();
  const i = below(Math.max(1, count - 1), random);
  const [a, b] = [points.get(i), points.get(Math.min(i + 1, count - 1))];
  const along = random();
  const [x, y] = [a.x + (b.x - a.x) * along, a.y + (b.y - a.y) * along];
  // At a right angle to the edge; round a point in any direction.
  const isPoint = a.x === b.x && a.y === b.y;
  const angle = isPoint
    ? random() * 2 * Math.PI
    : Math.atan2(b.y - a.y, b.x - a.x) + (random() < 0.5 ? 1 : -1) * (Math.PI / 2);
  const distance = distanceM * fromLambert(x, y).scale;
  const away = (): number => (random() * 2 - 1) * NEAR_M * Math.SQRT1_2;
  return coordinate(x + distance * Math.cos(angle) + away(), y + distance * Math.sin(angle) + away());
}

/** Returns the points of a random ring or path. */
function pathOf(
  geometry: Gdal.Geometry | null,
  random: () => number,
): { count(): number; get(index: number): { readonly x: number; readonly y: number } } {
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

/** Draws a civic point of a longer street, from numbers in [0, 1) of `random`; null when the register has none. */
function somePoint(dataset: Gdal.Dataset, random: () => number): Coordinate | null {
  const points = dataset.layers.get(tables.points);
  const rows = points.features.count();
  if (rows === 0) return null;
  const data: unknown = points.features.get(1 + Math.floor(random() * rows)).fields.get(0);
  const block = new CivicBlock(data as Buffer);
  const { lat, lon } = block.point(Math.floor(random() * block.count));
  return { lat, lon };
}

/** The table with the areas that data sets know. */
const COVERAGE_TABLE = 'coverage';

/** A distance from the edges of a table's features, in ground metres. */
interface AnswerLimit {
  readonly table: string;
  readonly distanceM: number;
}

/**
 * Returns each limit once, in a fixed order: those of answers round the features of their data sets, and for the areas that data sets know the edge
 * itself and each of these distances from it, because beyond it nothing is known.
 */
function answerLimits(answers: Catalogue['answers']): AnswerLimit[] {
  const limits = answers.flatMap(({ dataSet, answer }) => {
    const kind = kindOf(answer);
    const tables = [...kind.readings(dataSet.id, answer).map((reading) => reading.dataSet), COVERAGE_TABLE];
    return (kind.limitsM?.(answer) ?? []).flatMap((distanceM) => tables.map((table) => ({ table, distanceM })));
  });
  const all = [{ table: COVERAGE_TABLE, distanceM: 0 }, ...limits];
  return [...new Map(all.map((limit) => [`${limit.table} ${limit.distanceM}`, limit])).values()];
}
