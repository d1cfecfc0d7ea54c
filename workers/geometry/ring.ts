import { type Box, boundsOf } from './box.ts';

/** Returns the area of a ring that does not repeat its first vertex, positive for a counterclockwise ring. */
export function signedArea(xy: Positions): number {
  // From the first vertex, so that large coordinates cost no digits.
  const x = xy[0]!;
  const y = xy[1]!;
  let twice = 0;
  let ax = xy[xy.length - 2]! - x;
  let ay = xy[xy.length - 1]! - y;
  for (let i = 0; i < xy.length; i += 2) {
    const bx = xy[i]! - x;
    const by = xy[i + 1]! - y;
    twice += ax * by - bx * ay;
    ax = bx;
    ay = by;
  }
  return twice / 2;
}

/** Returns the ring in the other direction. */
export function reversed(xy: Positions): number[] {
  const back: number[] = [];
  for (let i = xy.length - 2; i >= 0; i -= 2) back.push(xy[i]!, xy[i + 1]!);
  return back;
}

// Rings, paths and points as flat numbers.

/** Flat x0, y0, x1, y1, ...; a ring does not repeat its first vertex. */
export type Positions = Float64Array | readonly number[];

/** A ring, a path or some points, with their bounding box, which alone decides most clipping. */
export interface Part {
  readonly xy: Positions;
  readonly box: Box;
}

export function partOf(xy: Positions): Part {
  return { xy, box: boundsOf(xy) };
}

/** Puts rings without repeated vertices together as polygons: outer rings counterclockwise, each with its holes clockwise (RFC 7946). */
export function nestRings(rings: readonly number[][]): number[][][] {
  if (rings.length === 1) return [[turned(rings[0]!, true)]];
  const within = rings.map((ring, i) => rings.flatMap((other, j) => (i !== j && isWithin(ring, other) ? [j] : [])));
  const polygons = new Map<number, number[][]>();
  for (const [i, ring] of rings.entries()) {
    if (within[i]!.length % 2 === 0) polygons.set(i, [turned(ring, true)]);
  }
  for (const [i, ring] of rings.entries()) {
    const around = within[i]!;
    if (around.length % 2 === 0) continue;
    // The innermost of the rings around it.
    const outer = around.reduce((a, b) => (within[b]!.length > within[a]!.length ? b : a));
    polygons.get(outer)?.push(turned(ring, false));
  }
  return [...polygons.values()];
}

/** Whether a ring lies within another: rings do not cross, so a point of it says so, and not a corner, because rings may share corners. */
function isWithin(ring: readonly number[], other: readonly number[]): boolean {
  const x = (ring[0]! + ring[2]!) / 2;
  const y = (ring[1]! + ring[3]!) / 2;
  let isOdd = false;
  let ax = other[other.length - 2]!;
  let ay = other[other.length - 1]!;
  for (let i = 0; i < other.length; i += 2) {
    const bx = other[i]!;
    const by = other[i + 1]!;
    if (ay > y !== by > y && x < ax + ((y - ay) * (bx - ax)) / (by - ay)) isOdd = !isOdd;
    ax = bx;
    ay = by;
  }
  return isOdd;
}

function turned(ring: number[], isCounterclockwise: boolean): number[] {
  if (signedArea(ring) > 0 === isCounterclockwise) return ring;
  return reversed(ring);
}
