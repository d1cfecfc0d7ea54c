/** Finds out whether an area is valid, and repairs it where it is not. */
import type Gdal from 'gdal-async';
import type { AreaPolygons } from '../../../src/shared/contract/lookup.ts';
import { gdal } from '../../geopackage/gdal.ts';
import { repairGeometry } from '../../geopackage/repair-geometry.ts';
import { wkbType } from '../../geopackage/wkb.ts';

/** Crossings of edges that are repaired; with many more, a repair takes minutes. */
export const MOST_CROSSINGS = 1000;

export type Repaired =
  | { readonly polygons: AreaPolygons; readonly isRepaired: boolean }
  | { readonly fault: 'crosses itself too often' | 'has no area' };

/**
 * Returns the polygons as they are when they are valid. Otherwise each ring bounds what it surrounds, also where it crosses itself, holes are
 * cut out, and polygons that overlap are united.
 */
export function repairArea(polygons: AreaPolygons): Repaired {
  if (polygons.length === 1 && polygons[0]!.length === 1 && isSimple(polygons[0]![0]!))
    return { polygons, isRepaired: false };
  const geometry = gdal.Geometry.fromWKB(multiPolygonWkb(polygons));
  if (geometry.isValid()) return { polygons, isRepaired: false };
  if (crossings(polygons.flat(), MOST_CROSSINGS) > MOST_CROSSINGS) return { fault: 'crosses itself too often' };
  const repaired = repairGeometry(geometry, 'polygon');
  return repaired ? { polygons: polygonsOf(repaired), isRepaired: true } : { fault: 'has no area' };
}

/** Whether the edges of a ring are certain to meet nowhere but at the vertex between two of them. In doubt the answer is no, and GEOS decides. */
export function isSimple(xy: readonly number[]): boolean {
  if (xy.length < 6 || xy.length > MOST_SIMPLE) return false;
  const edges = edgesOf(xy);
  const last = edges.length - 1;
  for (const [i, a] of edges.entries()) {
    for (let j = i + 1; j <= last; j++) {
      const b = edges[j]!;
      const areNeighbours = j === i + 1 || (i === 0 && j === last);
      if (areNeighbours ? areInLine(a, b) : !areApart(a, b)) return false;
    }
  }
  return true;
}

/** Numbers of a ring beyond which GEOS is quicker. */
const MOST_SIMPLE = 200;

function areInLine(a: Edge, b: Edge): boolean {
  return side(a, b.ax, b.ay) === 0 && side(a, b.bx, b.by) === 0;
}

/** Whether a line along one of two edges has the other on one side. */
function areApart(a: Edge, b: Edge): boolean {
  return (
    Math.max(a.ax, a.bx) < Math.min(b.ax, b.bx) ||
    Math.max(b.ax, b.bx) < Math.min(a.ax, a.bx) ||
    side(a, b.ax, b.ay) * side(a, b.bx, b.by) > 0 ||
    side(b, a.ax, a.ay) * side(b, a.bx, a.by) > 0
  );
}

function multiPolygonWkb(polygons: AreaPolygons): Buffer {
  const [count, header] = [Buffer.alloc(4), (type: number): Buffer => Buffer.from([1, type, 0, 0, 0])];
  const counted = (n: number): Buffer => {
    count.writeUInt32LE(n);
    return Buffer.from(count);
  };
  const ring = (xy: readonly number[]): Buffer[] => [
    counted(xy.length / 2 + 1),
    Buffer.from(Float64Array.from([...xy, xy[0]!, xy[1]!]).buffer),
  ];
  const polygon = (rings: AreaPolygons[number]): Buffer[] => [
    ...[header(wkbType.Polygon), counted(rings.length)],
    ...rings.flatMap(ring),
  ];
  return Buffer.concat([header(wkbType.MultiPolygon), counted(polygons.length), ...polygons.flatMap(polygon)]);
}

interface GeoJsonPolygons {
  readonly type: 'Polygon' | 'MultiPolygon';
  readonly coordinates: readonly unknown[];
}

function polygonsOf(geometry: Gdal.Geometry): AreaPolygons {
  const { type, coordinates } = JSON.parse(geometry.toJSON()) as GeoJsonPolygons;
  const polygons = (type === 'Polygon' ? [coordinates] : coordinates) as number[][][][];
  return polygons.map((rings) => rings.map((ring) => ring.slice(0, -1).flatMap(([lon, lat]) => [lon!, lat!])));
}

interface Edge {
  readonly ax: number;
  readonly ay: number;
  readonly bx: number;
  readonly by: number;
}

/** Counts the crossings of edges, up to one more than `most`. */
export function crossings(rings: readonly (readonly number[])[], most: number): number {
  const edges = rings.flatMap(edgesOf).sort((a, b) => Math.min(a.ax, a.bx) - Math.min(b.ax, b.bx));
  let count = 0;
  for (const [i, a] of edges.entries()) {
    const end = Math.max(a.ax, a.bx);
    for (let j = i + 1; j < edges.length && Math.min(edges[j]!.ax, edges[j]!.bx) <= end; j++) {
      if (cross(a, edges[j]!) && ++count > most) return count;
    }
  }
  return count;
}

function edgesOf(xy: readonly number[]): Edge[] {
  const edges: Edge[] = [];
  for (let i = 0, j = xy.length - 2; i < xy.length; j = i, i += 2)
    edges.push({ ax: xy[j]!, ay: xy[j + 1]!, bx: xy[i]!, by: xy[i + 1]! });
  return edges;
}

function cross(a: Edge, b: Edge): boolean {
  return side(a, b.ax, b.ay) * side(a, b.bx, b.by) < 0 && side(b, a.ax, a.ay) * side(b, a.bx, a.by) < 0;
}

function side({ ax, ay, bx, by }: Edge, x: number, y: number): number {
  return Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax));
}
