import { spanInside, type Box } from '../../geometry/box.ts';
import { squaredToSegment } from '../../geometry/segment.ts';
import type { ByteReader } from '../../geopackage/bytes.ts';
import { entryKind } from './format.ts';
import { stepsOf } from './leaf-reader.ts';

/**
 * Reads a polygon of a leaf and returns the distance from the origin of `box` to those parts of its edges that lie in the box; Infinity when
 * none is nearer than `most`. Clipping to a leaf adds edges, all of them outside of the leaf's reach. `x` and `y` are what the
 * leaf's coordinates have at the origin; all in centimetres.
 */
export function edgeDistanceWithin(
  cursor: ByteReader,
  { x, y, most }: { readonly x: number; readonly y: number; readonly most: number },
  box: Box,
): number {
  let squared = most * most;
  for (let parts = cursor.varint(); parts > 0; parts--) squared = nearestInBox(cursor, { x, y, box }, squared);
  return squared < most * most ? Math.sqrt(squared) : Infinity;
}

/** Returns the lesser of `nearest` and the squared distance to the next ring's edges in the box. */
function nearestInBox(
  cursor: ByteReader,
  { x, y, box }: { readonly x: number; readonly y: number; readonly box: Box },
  nearest: number,
): number {
  const count = cursor.varint();
  const steps = stepsOf(cursor, count);
  const firstX = steps[0]! - x;
  const firstY = steps[1]! - y;
  let squared = nearest;
  let limit = Math.sqrt(nearest);
  let ax = firstX;
  let ay = firstY;
  for (let i = 1; i <= count; i++) {
    const bx = i === count ? firstX : ax + steps[i * 2]!;
    const by = i === count ? firstY : ay + steps[i * 2 + 1]!;
    // Most edges are farther away than one before, or beyond one side of the box.
    let here = isBeyond(ax, bx, limit) || isBeyond(ay, by, limit) ? Infinity : squaredToSegment(ax, ay, bx, by);
    if (here < squared) {
      if (!isInside(ax, ay, box) || !isInside(bx, by, box)) here = squaredToPart(ax, ay, bx, by, box);
      if (here < squared) {
        squared = here;
        limit = Math.sqrt(here);
      }
    }
    ax = bx;
    ay = by;
  }
  return squared;
}

/** Whether two numbers are both on the same side of zero and at least so far from it. */
function isBeyond(a: number, b: number, limit: number): boolean {
  return a > 0 ? a >= limit && b >= limit : a <= -limit && b <= -limit;
}

function isInside(x: number, y: number, { minX, minY, maxX, maxY }: Box): boolean {
  return x >= minX && x <= maxX && y >= minY && y <= maxY;
}

/** Returns the squared distance from the origin to the part of a segment in a box. */
function squaredToPart(ax: number, ay: number, bx: number, by: number, box: Box): number {
  const inside = spanInside(ax, ay, bx, by, box);
  if (!inside) return Infinity;
  const [from, to] = inside;
  const dx = bx - ax;
  const dy = by - ay;
  return squaredToSegment(ax + from * dx, ay + from * dy, ax + to * dx, ay + to * dy);
}

/**
 * Returns how far around its square a leaf holds a data set of which it keeps only the nearest features (`farthestNearest` of the build): no
 * point of the square has its nearest vertex farther away. Reads the entries of the data set.
 */
export function nearestReach(
  cursor: ByteReader,
  { entries, set, size, most }: { entries: number; set: number; size: number; most: number },
): number {
  const half = size / 2;
  let least = most * most;
  for (let left = entries; left > 0; left--) {
    const tag = cursor.varint();
    if (tag >>> 2 !== set) break;
    cursor.varint();
    cursor.varint();
    const kind = tag & 3;
    if (kind === entryKind.full) least = 0;
    for (let parts = kind === entryKind.full ? 0 : cursor.varint(); parts > 0; parts--) {
      const count = cursor.varint();
      least = leastFarthest(stepsOf(cursor, count), { count, half }, least);
    }
  }
  return Math.sqrt(least);
}

/** Returns the lesser of `least` and the squares of how far each vertex is from the farthest corner of a square. */
function leastFarthest(
  steps: Float64Array,
  { count, half }: { readonly count: number; readonly half: number },
  least: number,
): number {
  let found = least;
  let x = -half;
  let y = -half;
  for (let i = 0; i < count; i++) {
    x += steps[i * 2]!;
    y += steps[i * 2 + 1]!;
    const dx = Math.abs(x) + half;
    const dy = Math.abs(y) + half;
    if (dx * dx + dy * dy < found) found = dx * dx + dy * dy;
  }
  return found;
}
