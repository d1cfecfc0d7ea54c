/** Clipping to axis-aligned boxes. */
import { isWithin, meets, spanInside, type Box } from './box.ts';
import { partOf, type Part, type Positions } from './ring.ts';

/**
 * Clips a ring to a box by the algorithm of Sutherland and Hodgman, one side after another. The edges that it adds lie
 * on the box's border, so the even-odd rule over all clipped rings of a polygon is right everywhere strictly inside the
 * box.
 */
export function clipRing(ring: Part, box: Box): Part | null {
  const bounds = ring.box;
  if (isWithin(bounds, box)) return ring;
  if (!meets(bounds, box)) return null;
  let clipped = ring.xy;
  if (bounds.minX < box.minX) clipped = clipSide(clipped, 0, box.minX, 1);
  if (bounds.maxX > box.maxX) clipped = clipSide(clipped, 0, box.maxX, -1);
  if (bounds.minY < box.minY) clipped = clipSide(clipped, 1, box.minY, 1);
  if (bounds.maxY > box.maxY) clipped = clipSide(clipped, 1, box.maxY, -1);
  return clipped.length >= 6 ? partOf(clipped) : null;
}

/**
 * Keeps the half plane in which `sign * coordinate[axis] >= sign * limit`. A crossing is computed in the same direction
 * whichever way the edge runs, so that neighbours with a common edge get the same vertex.
 */
function clipSide(ring: Positions, axis: 0 | 1, limit: number, sign: 1 | -1): Positions {
  const out: number[] = [];
  const other = 1 - axis;
  let before = ring[ring.length - 2 + axis]!;
  let otherBefore = ring[ring.length - 2 + other]!;
  let wasIn = sign * before >= sign * limit;
  for (let i = 0; i < ring.length; i += 2) {
    const here = ring[i + axis]!;
    const otherHere = ring[i + other]!;
    const isIn = sign * here >= sign * limit;
    if (isIn !== wasIn) {
      const crossing =
        before < here
          ? otherBefore + ((limit - before) / (here - before)) * (otherHere - otherBefore)
          : otherHere + ((limit - here) / (before - here)) * (otherBefore - otherHere);
      if (axis === 0) out.push(limit, crossing);
      else out.push(crossing, limit);
    }
    if (isIn) out.push(ring[i]!, ring[i + 1]!);
    before = here;
    otherBefore = otherHere;
    wasIn = isIn;
  }
  return out;
}

/** Returns the pieces of a path inside a box, without edges outside and with crossing edges cut. */
export function clipPath(path: Part, box: Box): Part[] {
  if (isWithin(path.box, box)) return [path];
  if (!meets(path.box, box)) return [];
  const { xy } = path;
  const pieces: number[][] = [];
  let open: number[] | null = null;
  for (let i = 0; i + 3 < xy.length; i += 2) {
    const ax = xy[i]!;
    const ay = xy[i + 1]!;
    const bx = xy[i + 2]!;
    const by = xy[i + 3]!;
    const inside = spanInside(ax, ay, bx, by, box);
    if (!inside) {
      open = null;
      continue;
    }
    const [from, to] = inside;
    if (!open || from > 0) pieces.push((open = [ax + from * (bx - ax), ay + from * (by - ay)]));
    if (to === 1) open.push(bx, by);
    else open.push(ax + to * (bx - ax), ay + to * (by - ay));
    if (to < 1) open = null;
  }
  return pieces.map(partOf);
}

/** Says whether an edge of the ring has a point strictly inside the box. */
export function crossesInterior({ xy, box: bounds }: Part, box: Box): boolean {
  if (isStrictlyWithin(bounds, box)) return true;
  if (!meets(bounds, box)) return false;
  const count = xy.length;
  for (let i = 0, j = count - 2; i < count; j = i, i += 2) {
    const ax = xy[j]!;
    const ay = xy[j + 1]!;
    const bx = xy[i]!;
    const by = xy[i + 1]!;
    if (Math.max(ax, bx) <= box.minX || Math.min(ax, bx) >= box.maxX) continue;
    if (Math.max(ay, by) <= box.minY || Math.min(ay, by) >= box.maxY) continue;
    const inside = spanInside(ax, ay, bx, by, box);
    if (!inside) continue;
    // The middle of a segment's part in a convex box is inside, or the whole part is on the border.
    const middle = (inside[0] + inside[1]) / 2;
    if (isStrictlyInside(ax + middle * (bx - ax), ay + middle * (by - ay), box)) return true;
  }
  return false;
}

/** Applies the even-odd rule over all rings to a point that is on none of them. */
export function isInside(rings: readonly Part[], x: number, y: number): boolean {
  let inside = false;
  for (const { xy, box } of rings) {
    if (y < box.minY || y > box.maxY || x > box.maxX) continue;
    for (let i = 0, j = xy.length - 2; i < xy.length; j = i, i += 2) {
      const ay = xy[j + 1]!;
      const by = xy[i + 1]!;
      if (ay > y === by > y) continue;
      if (x < xy[j]! + ((y - ay) / (by - ay)) * (xy[i]! - xy[j]!)) inside = !inside;
    }
  }
  return inside;
}

function isStrictlyWithin(inner: Box, outer: Box): boolean {
  return inner.minX > outer.minX && inner.maxX < outer.maxX && inner.minY > outer.minY && inner.maxY < outer.maxY;
}

function isStrictlyInside(x: number, y: number, box: Box): boolean {
  return x > box.minX && x < box.maxX && y > box.minY && y < box.maxY;
}
