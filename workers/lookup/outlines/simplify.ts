import { squaredToSegment } from '../cells/leaf-reader.ts';

/** Leaves out vertices of a line that are not farther than a tolerance from what remains (Douglas and Peucker). */
export function simplifyLine(xy: readonly number[], tolerance: number): number[] {
  const isKept = new Uint8Array(xy.length / 2);
  isKept[0] = isKept[isKept.length - 1] = 1;
  keepBetween(xy, isKept, { first: 0, last: isKept.length - 1, squared: tolerance * tolerance });
  return kept(xy, isKept);
}

/** Does the same for a ring without a repeated vertex, of which at least three vertices remain. */
export function simplifyRing(xy: readonly number[], tolerance: number): number[] {
  const count = xy.length / 2;
  const closed = xy.slice();
  closed.push(xy[0]!, xy[1]!);
  const isKept = new Uint8Array(count + 1);
  const far = farthest(closed, { first: 0, last: 0, from: 1, to: count });
  const squared = tolerance * tolerance;
  isKept[0] = isKept[far.index] = 1;
  keepBetween(closed, isKept, { first: 0, last: far.index, squared });
  keepBetween(closed, isKept, { first: far.index, last: count, squared });
  if (isKept.reduce((sum, one) => sum + one, 0) < 3) {
    const [a, b] = [[1, far.index] as const, [far.index + 1, count] as const].map(([from, to]) =>
      farthest(closed, { first: 0, last: far.index, from, to }),
    );
    isKept[a!.squared >= b!.squared ? a!.index : b!.index] = 1;
  }
  return kept(xy, isKept);
}

function keepBetween(
  xy: readonly number[],
  isKept: Uint8Array,
  { first, last, squared }: { first: number; last: number; squared: number },
): void {
  const open: [number, number][] = [[first, last]];
  for (let range = open.pop(); range; range = open.pop()) {
    const [start, end] = range;
    const far = farthest(xy, { first: start, last: end, from: start + 1, to: end });
    if (far.squared <= squared) continue;
    isKept[far.index] = 1;
    open.push([start, far.index], [far.index, end]);
  }
}

/** The vertex from `from` to before `to` that is farthest from the segment between two vertices. */
function farthest(
  xy: readonly number[],
  { first, last, from, to }: { first: number; last: number; from: number; to: number },
): { index: number; squared: number } {
  const [ax, ay, bx, by] = [xy[first * 2]!, xy[first * 2 + 1]!, xy[last * 2]!, xy[last * 2 + 1]!];
  let [index, squared] = [from, -1];
  for (let i = from; i < to; i++) {
    const [x, y] = [xy[i * 2]!, xy[i * 2 + 1]!];
    const here = squaredToSegment(ax - x, ay - y, bx - x, by - y);
    if (here > squared) [index, squared] = [i, here];
  }
  return { index, squared };
}

function kept(xy: readonly number[], isKept: Uint8Array): number[] {
  const left: number[] = [];
  for (let i = 0; i < xy.length; i += 2) if (isKept[i / 2]) left.push(xy[i]!, xy[i + 1]!);
  return left;
}
