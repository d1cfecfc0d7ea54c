import { spanInside, type Box } from '../../geopackage/box.ts';
import type { ByteReader } from '../../geopackage/bytes.ts';
import { entryKind } from './format.ts';
import { squaredToSegment } from './leaf-reader.ts';

/**
 * Reads a polygon of a leaf and returns the distance from the origin of `box` to those parts of its edges that lie in the box; Infinity when
 * there are none. Clipping to a leaf adds edges, all of them outside of the leaf's reach. `x` and `y` are what the
 * leaf's coordinates have at the origin; all in centimetres.
 */
export function edgeDistanceWithin(cursor: ByteReader, x: number, y: number, box: Box): number {
  let squared = Infinity;
  for (let parts = cursor.varint(); parts > 0; parts--) {
    const count = cursor.varint();
    const firstX = cursor.zigzag() - x;
    const firstY = cursor.zigzag() - y;
    let [ax, ay] = [firstX, firstY];
    for (let i = 0; i < count; i++) {
      const isClosing = i === count - 1;
      const bx = isClosing ? firstX : ax + cursor.zigzag();
      const by = isClosing ? firstY : ay + cursor.zigzag();
      // Most edges are farther away than one before.
      if (squaredToSegment(ax, ay, bx, by) < squared) squared = Math.min(squared, squaredToPart(ax, ay, bx, by, box));
      ax = bx;
      ay = by;
    }
  }
  return Math.sqrt(squared);
}

/** Returns the squared distance from the origin to the part of a segment in a box. */
function squaredToPart(ax: number, ay: number, bx: number, by: number, box: Box): number {
  const inside = spanInside(ax, ay, bx, by, box);
  if (!inside) return Infinity;
  const [from, to] = inside;
  const [dx, dy] = [bx - ax, by - ay];
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
      let [x, y] = [-half, -half];
      for (let count = cursor.varint(); count > 0; count--) {
        x += cursor.zigzag();
        y += cursor.zigzag();
        const [dx, dy] = [Math.abs(x) + half, Math.abs(y) + half];
        least = Math.min(least, dx * dx + dy * dy);
      }
    }
  }
  return Math.sqrt(least);
}
