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
  closed.findFarthest(0, 0, 1, count);
  const far = closed.farIndex;
  closed.keepBetween(0, far, tolerance);
  closed.keepBetween(far, count, tolerance);
  if (closed.keptCount <= 3) {
    closed.findFarthest(0, far, 1, far);
    const { farIndex, farSquared } = closed;
    closed.findFarthest(0, far, far + 1, count);
    closed.keep(farSquared >= closed.farSquared ? farIndex : closed.farIndex);
  }
  const { kept } = closed;
  kept.length -= 2;
  return kept;
}

/** Room for the vertices of one line after another. */
let sharedXy = new Float64Array(4096);
let sharedIsKept = new Uint8Array(2048);

/** One at a time: the next one takes the same room. Its loops go over each vertex many times, so they make no objects and no arrays. */
class Vertices {
  readonly count: number;
  readonly #xy: Float64Array = sharedXy;
  readonly #isKept: Uint8Array = sharedIsKept;
  keptCount = 0;
  /** What `findFarthest` found: the vertex, and the square of its distance. */
  farIndex = 0;
  farSquared = -1;

  /** With one more than `xy` has, the first is the last again. */
  constructor(xy: readonly number[], count: number) {
    this.count = count;
    if (count > sharedIsKept.length) {
      this.#xy = sharedXy = new Float64Array(count * 4);
      this.#isKept = sharedIsKept = new Uint8Array(count * 2);
    }
    for (let i = 0; i < xy.length; i++) this.#xy[i] = xy[i]!;
    if (count * 2 > xy.length) {
      this.#xy[xy.length] = xy[0]!;
      this.#xy[xy.length + 1] = xy[1]!;
    }
    this.#isKept.fill(0, 0, count);
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
      const end = open.pop()!;
      const start = open.pop()!;
      if (end - start < 2) continue;
      this.findFarthest(start, end, start + 1, end);
      if (this.farSquared <= tolerance * tolerance) continue;
      this.keep(this.farIndex);
      open.push(start, this.farIndex, this.farIndex, end);
    }
  }

  /** Finds the vertex from `from` to before `to` that is farthest from the segment between two vertices; none has -1. */
  findFarthest(first: number, last: number, from: number, to: number): void {
    const xy = this.#xy;
    const ax = xy[first * 2]!;
    const ay = xy[first * 2 + 1]!;
    const dx = xy[last * 2]! - ax;
    const dy = xy[last * 2 + 1]! - ay;
    const length = dx * dx + dy * dy;
    let index = from;
    let squared = -1;
    for (let i = from; i < to; i++) {
      const x = xy[i * 2]! - ax;
      const y = xy[i * 2 + 1]! - ay;
      // As `squaredToSegment`, which would compute the same length for each vertex.
      const along = x * dx + y * dy;
      const t = along <= 0 ? 0 : along >= length ? 1 : along / length;
      const nx = x - t * dx;
      const ny = y - t * dy;
      const here = nx * nx + ny * ny;
      if (here > squared) {
        index = i;
        squared = here;
      }
    }
    this.farIndex = index;
    this.farSquared = squared;
  }

  get kept(): number[] {
    const left: number[] = [];
    for (let i = 0; i < this.count; i++) if (this.#isKept[i] === 1) left.push(this.#xy[i * 2]!, this.#xy[i * 2 + 1]!);
    return left;
  }
}
