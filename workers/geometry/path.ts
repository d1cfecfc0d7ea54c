/** Rings, paths and points as flat numbers. */
import { boundsOf, type Box } from './box.ts';

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
