/** Leaves out vertices of a line that are not farther than a tolerance from what remains (Douglas and Peucker). */
export function simplifyLine(xy: readonly number[], tolerance: number): number[] {
  const vertices = new Vertices(xy, xy.length / 2);
  vertices.keepBetween(0, vertices.count - 1, tolerance);
  return vertices.kept;
}

/** Does the same for a ring without a repeated vertex, of which at least three vertices remain. */
export function simplifyRing(xy: readonly number[], tolerance: number): number[] {
  const count = xy.length / 2;
  const closed = new Vertices(xy, count + 1);
  const far = closed.farthest(0, 0, 1, count).index;
  closed.keepBetween(0, far, tolerance);
  closed.keepBetween(far, count, tolerance);
  if (closed.keptCount <= 3) {
    const [a, b] = [closed.farthest(0, far, 1, far), closed.farthest(0, far, far + 1, count)];
    closed.keep(a.squared >= b.squared ? a.index : b.index);
  }
  return closed.kept.slice(0, -2);
}

class Vertices {
  readonly count: number;
  readonly #xy: Float64Array;
  readonly #isKept: Uint8Array;
  keptCount = 0;

  /** With one more than `xy` has, the first is the last again. */
  constructor(xy: readonly number[], count: number) {
    this.count = count;
    this.#xy = new Float64Array(count * 2);
    this.#xy.set(xy);
    if (count * 2 > xy.length) this.#xy.set([xy[0]!, xy[1]!], xy.length);
    this.#isKept = new Uint8Array(count);
  }

  keep(index: number): void {
    if (this.#isKept[index] === 0) this.keptCount++;
    this.#isKept[index] = 1;
  }

  /** Keeps both, and what lies between them farther than the tolerance from what is kept. */
  keepBetween(first: number, last: number, tolerance: number): void {
    this.keep(first);
    this.keep(last);
    const open = [first, last];
    while (open.length > 0) {
      const [end, start] = [open.pop()!, open.pop()!];
      const far = this.farthest(start, end, start + 1, end);
      if (far.squared <= tolerance * tolerance) continue;
      this.keep(far.index);
      open.push(start, far.index, far.index, end);
    }
  }

  /** The vertex from `from` to before `to` that is farthest from the segment between two vertices; none has -1. */
  farthest(first: number, last: number, from: number, to: number): { index: number; squared: number } {
    const xy = this.#xy;
    const [ax, ay] = [xy[first * 2]!, xy[first * 2 + 1]!];
    const [dx, dy] = [xy[last * 2]! - ax, xy[last * 2 + 1]! - ay];
    const length = dx * dx + dy * dy;
    let [index, squared] = [from, -1];
    for (let i = from; i < to; i++) {
      const [x, y] = [xy[i * 2]! - ax, xy[i * 2 + 1]! - ay];
      // As `squaredToSegment`, which would compute the same length for each vertex.
      const along = x * dx + y * dy;
      const t = along <= 0 ? 0 : along >= length ? 1 : along / length;
      const [nx, ny] = [x - t * dx, y - t * dy];
      const here = nx * nx + ny * ny;
      if (here > squared) [index, squared] = [i, here];
    }
    return { index, squared };
  }

  get kept(): number[] {
    const left: number[] = [];
    for (let i = 0; i < this.count; i++) if (this.#isKept[i] === 1) left.push(this.#xy[i * 2]!, this.#xy[i * 2 + 1]!);
    return left;
  }
}
