/** Rings of an area and of polygons: cut by lines and boxes, and measured. All in centimetres of the projection. */
import type { Box } from '../../geopackage/box.ts';
import type { Part, Positions } from '../../geopackage/flat-geometry.ts';
import { clipRing, crossesInterior, isInside } from '../../geopackage/clip.ts';

/** Keeps the side `nx * x + ny * y >= limit` of a ring (Sutherland and Hodgman); edges that it adds lie on the line. */
export function cutRing(xy: Positions, nx: number, ny: number, limit: number): Positions {
  const count = xy.length;
  const out: number[] = [];
  let [ax, ay] = [xy[count - 2]!, xy[count - 1]!];
  let before = nx * ax + ny * ay - limit;
  let isWhole = before >= 0;
  for (let i = 0; i < count; i += 2) {
    const [bx, by] = [xy[i]!, xy[i + 1]!];
    const here = nx * bx + ny * by - limit;
    if (here >= 0 !== before >= 0) {
      const t = before / (before - here);
      out.push(ax + t * (bx - ax), ay + t * (by - ay));
      isWhole = false;
    }
    if (here >= 0) out.push(bx, by);
    [ax, ay, before] = [bx, by, here];
  }
  return isWhole ? xy : out;
}

export function clipRings(rings: readonly Part[], box: Box): Part[] {
  return rings.flatMap((ring) => clipRing(ring, box) ?? []);
}

/**
 * Returns what a polygon has in a box: 'all' of it, nothing (null), or its rings clipped to the box.
 */
export function partInBox(rings: readonly Part[], box: Box): 'all' | readonly Part[] | null {
  const clipped = clipRings(rings, box);
  if (clipped.some((ring) => crossesInterior(ring, box))) return clipped;
  return isInside(clipped, (box.minX + box.maxX) / 2, (box.minY + box.maxY) / 2) ? 'all' : null;
}

export function boxRing({ minX, minY, maxX, maxY }: Box): Positions {
  return [minX, minY, maxX, minY, maxX, maxY, minX, maxY];
}

/** Positive for a counterclockwise ring. */
export function signedArea(xy: Positions): number {
  // From the first vertex, so that large coordinates cost no digits.
  const [x, y] = [xy[0]!, xy[1]!];
  let twice = 0;
  let [ax, ay] = [xy[xy.length - 2]! - x, xy[xy.length - 1]! - y];
  for (let i = 0; i < xy.length; i += 2) {
    const [bx, by] = [xy[i]! - x, xy[i + 1]! - y];
    twice += ax * by - bx * ay;
    ax = bx;
    ay = by;
  }
  return twice / 2;
}

/** Returns the area of polygons of which outer rings and holes run in opposite directions and nothing overlaps. */
export function areaOf(rings: readonly Positions[]): number {
  let area = 0;
  for (const ring of rings) area += signedArea(ring);
  return Math.abs(area);
}

/** Returns the bounds of at least one ring. */
export function boundsOf(rings: readonly Part[]): Box {
  let { minX, minY, maxX, maxY } = rings[0]!.box;
  for (const { box } of rings) {
    minX = Math.min(minX, box.minX);
    minY = Math.min(minY, box.minY);
    maxX = Math.max(maxX, box.maxX);
    maxY = Math.max(maxY, box.maxY);
  }
  return { minX, minY, maxX, maxY };
}
