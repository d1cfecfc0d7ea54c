import type { Box } from '../geometry/box.ts';

export interface Position {
  readonly x: number;
  readonly y: number;
}

/**
 * Returns the point of a cell of which a row says whether polygons contain it: near the lower left corner, and between the centimetres at
 * which vertices lie, so that no vertex and no upright or level edge touches it. In centimetres, as the cell.
 */
export function referenceOf({ minX, minY }: Pick<Box, 'minX' | 'minY'>): Position {
  return { x: minX + 0.271, y: minY + 0.337 };
}

/**
 * Says whether a way from one point to another, first level and then upright, crosses segments an odd number of times: then exactly one of
 * the points is inside, if all segments of the rings that come into the box of the way are in `runs`.
 */
export function crossesOddly(
  runs: Iterable<{ readonly xy: ArrayLike<number> }>,
  from: Position,
  to: Position,
): boolean {
  let isOdd = false;
  const [lowX, highX] = from.x < to.x ? [from.x, to.x] : [to.x, from.x];
  const [lowY, highY] = from.y < to.y ? [from.y, to.y] : [to.y, from.y];
  for (const { xy } of runs) {
    let ax = xy[0]!;
    let ay = xy[1]!;
    for (let i = 2; i < xy.length; i += 2) {
      const bx = xy[i]!;
      const by = xy[i + 1]!;
      if (crosses(ay - from.y, by - from.y, ax, bx, lowX, highX)) isOdd = !isOdd;
      if (crosses(ax - to.x, bx - to.x, ay, by, lowY, highY)) isOdd = !isOdd;
      ax = bx;
      ay = by;
    }
  }
  return isOdd;
}

/** Whether a segment goes from one side of a line to the other between two places; `a` and `b`: distances from the line, then places along it. */
function crosses(a: number, b: number, alongA: number, alongB: number, low: number, high: number): boolean {
  if (a > 0 === b > 0) return false;
  const along = alongA + (a * (alongB - alongA)) / (a - b);
  return along > low && along <= high;
}
