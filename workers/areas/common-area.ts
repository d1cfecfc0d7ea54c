/** The area that two sets of rings have in common. */
import type { Segments } from './segments.ts';

/** Numbers of an edge: x of its left end and of its right end, height above the base at the left end, slope, and 1 where it bounds from above, otherwise -1. */
const EACH = 5;

/** Room for the edges of one set. */
let edges = new Float64Array(EACH * 256);

/**
 * Returns the area that lies in both of two sets of rings, in each of which nothing overlaps, and holes run against outer rings. For each pair of edges, what lies below both of them is added where both bound from above or both from below, otherwise subtracted. Nothing is
 * decided, so vertices on vertices and edges on edges are no special cases. The time grows with the product of the numbers of edges.
 * @param base A height just below the edges, so that large coordinates cost no digits.
 */
export function commonArea(a: Segments, b: Segments, base: number): number {
  const end = writeEdges(b, base);
  let area = 0;
  for (let i = 0; i < a.length; i += 4) {
    const ax = a[i]!;
    const ay = a[i + 1]!;
    const bx = a[i + 2]!;
    const by = a[i + 3]!;
    area += bx < ax ? underBoth(bx, by - base, ax, ay - base, end) : -underBoth(ax, ay - base, bx, by - base, end);
  }
  return Math.abs(area);
}

function writeEdges(segments: Segments, base: number): number {
  const end = (segments.length / 4) * EACH;
  if (edges.length < end) edges = new Float64Array(2 * end);
  for (let i = 0, at = 0; i < segments.length; i += 4, at += EACH) {
    const ax = segments[i]!;
    const ay = segments[i + 1]!;
    const bx = segments[i + 2]!;
    const by = segments[i + 3]!;
    const isAbove = bx < ax;
    edges[at] = isAbove ? bx : ax;
    edges[at + 1] = isAbove ? ax : bx;
    edges[at + 2] = (isAbove ? by : ay) - base;
    edges[at + 3] = (by - ay) / (bx - ax);
    edges[at + 4] = isAbove ? 1 : -1;
  }
  return end;
}

/** Returns the area under an edge and in the rings of which `edges` has the edges. */
function underBoth(x0: number, y0: number, x1: number, y1: number, end: number): number {
  const slope = (y1 - y0) / (x1 - x0);
  let area = 0;
  for (let k = 0; k < end; k += EACH) {
    const from = edges[k]!;
    const left = from > x0 ? from : x0;
    const right = edges[k + 1]! < x1 ? edges[k + 1]! : x1;
    if (left >= right) continue;
    const ownLeft = y0 + (left - x0) * slope;
    const ownRight = y0 + (right - x0) * slope;
    const otherLeft = edges[k + 2]! + (left - from) * edges[k + 3]!;
    const otherRight = edges[k + 2]! + (right - from) * edges[k + 3]!;
    const apartLeft = Math.abs(ownLeft - otherLeft);
    const apartRight = Math.abs(ownRight - otherRight);
    const isCrossed = ownLeft < otherLeft !== ownRight < otherRight && apartLeft + apartRight > 0;
    // Twice the mean of how far they are apart. Where they cross, it is of two triangles.
    const apart = isCrossed
      ? (apartLeft * apartLeft + apartRight * apartRight) / (apartLeft + apartRight)
      : apartLeft + apartRight;
    area += edges[k + 4]! * (right - left) * (ownLeft + ownRight + otherLeft + otherRight - apart);
  }
  return area / 4;
}
