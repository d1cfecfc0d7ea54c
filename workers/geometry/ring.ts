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
