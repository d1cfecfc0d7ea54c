import { reversed, signedArea } from '../geometry/ring.ts';

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
