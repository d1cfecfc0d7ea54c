/** Tells on which side of a chain an area is. */
import type { AreaPolygons } from '../../../src/messages/lookup.ts';
import type { Chain } from './chains.ts';
import { type Edges, sideOf } from './meetings.ts';
import { newInts } from '../../geometry/numbers.ts';

export class Sides {
  readonly #edges: Edges;
  readonly #columns: Strips;
  readonly #rows: Strips;
  readonly #inside: Inside;
  /** Whether an edge is along the chain that is asked for. */
  readonly #isAlong: Uint8Array;
  #comparisons = 0;

  constructor(polygons: AreaPolygons, edges: Edges) {
    this.#edges = edges;
    this.#columns = new Strips(edges.ax, edges.bx);
    this.#rows = new Strips(edges.ay, edges.by);
    this.#inside = new Inside(polygons);
    this.#isAlong = new Uint8Array(edges.ring.length);
  }

  /** Edges that were looked at: the time that all answers took. */
  get comparisons(): number {
    return this.#comparisons;
  }

  /** Returns what is beside the first of some chains along each other. */
  of(same: readonly Chain[]): { readonly left: boolean; readonly right: boolean } {
    const { ax, ay, bx, by } = same[0]!.longest;
    const [x, y] = [(ax + bx) / 2, (ay + by) / 2];
    const isUpright = Math.abs(by - ay) > Math.abs(bx - ax);
    for (const { longest } of same) this.#isAlong[longest.edge] = 1;
    const crossed = isUpright ? this.#toTheRight(x, y) : this.#above(x, y);
    for (const ring of crossed) this.#inside.cross(ring);
    const here = this.#inside.isInArea;
    for (const { ring, longest } of same) {
      crossed.push(ring);
      this.#inside.cross(ring);
      this.#isAlong[longest.edge] = 0;
    }
    const there = this.#inside.isInArea;
    for (const ring of crossed) this.#inside.cross(ring);
    // To the right of a line that leads up, and above one that leads to the left, is its right side.
    const isRight = isUpright ? by > ay : bx < ax;
    return isRight ? { left: there, right: here } : { left: here, right: there };
  }

  /** Returns the ring of each edge that a ray to the right crosses, apart from those along the chain. */
  #toTheRight(x: number, y: number): number[] {
    const { ay, by, ring } = this.#edges;
    const crossed: number[] = [];
    const row = this.#rows.around(y);
    for (const i of row) {
      const isUp = by[i]! > y;
      if (ay[i]! > y === isUp || this.#isAlong[i] === 1) continue;
      if (sideOf(this.#edges, i, x, y) > 0 === isUp) crossed.push(ring[i]!);
    }
    this.#comparisons += row.length;
    return crossed;
  }

  #above(x: number, y: number): number[] {
    const { ax, bx, ring } = this.#edges;
    const crossed: number[] = [];
    const column = this.#columns.around(x);
    for (const i of column) {
      const isRight = bx[i]! > x;
      if (ax[i]! > x === isRight || this.#isAlong[i] === 1) continue;
      if (sideOf(this.#edges, i, x, y) < 0 === isRight) crossed.push(ring[i]!);
    }
    this.#comparisons += column.length;
    return crossed;
  }
}

/** Follows whether a place is in a polygon and in none of its holes while rings are crossed on the way there, from outside. */
class Inside {
  readonly #polygonOf: Int32Array;
  readonly #isHole: Uint8Array;
  /** Of rings. */
  readonly #isIn: Uint8Array;
  /** Of polygons: what keeps a place out, which is its outer ring at first, and each of its holes that the place is in. */
  readonly #against: Int32Array;
  /** Polygons that nothing keeps the place out of. */
  #count = 0;

  constructor(polygons: AreaPolygons) {
    this.#polygonOf = Int32Array.from(polygons.flatMap((rings, polygon) => rings.map(() => polygon)));
    this.#isHole = Uint8Array.from(polygons.flatMap((rings) => rings.map((_, i) => (i > 0 ? 1 : 0))));
    this.#isIn = new Uint8Array(this.#isHole.length);
    this.#against = new Int32Array(polygons.length).fill(1);
  }

  get isInArea(): boolean {
    return this.#count > 0;
  }

  cross(ring: number): void {
    const polygon = this.#polygonOf[ring]!;
    const before = this.#against[polygon]!;
    const isIn = (this.#isIn[ring]! ^= 1);
    const after = before + (isIn === this.#isHole[ring] ? 1 : -1);
    this.#against[polygon] = after;
    if (before === 0) this.#count--;
    if (after === 0) this.#count++;
  }
}

/** The intervals that lie in each of some strips of equal width: finds those around a number without a look at the others. */
class Strips {
  readonly #least: number;
  readonly #width: number;
  /** Where the intervals of each strip begin. */
  readonly #starts: Int32Array;
  readonly #intervals: Int32Array;

  /** Both ends of each interval, in any order. */
  constructor(from: Float64Array, to: Float64Array) {
    const count = Math.min(MOST_STRIPS, from.length);
    this.#least = from.reduce((a, b) => Math.min(a, b), Infinity);
    const most = from.reduce((a, b) => Math.max(a, b), -Infinity);
    this.#width = (most - this.#least + 1) / count;
    const each = (visit: (interval: number, strip: number) => void): void => {
      for (let i = 0; i < from.length; i++) {
        const last = this.#stripOf(Math.max(from[i]!, to[i]!));
        for (let strip = this.#stripOf(Math.min(from[i]!, to[i]!)); strip <= last; strip++) visit(i, strip);
      }
    };
    this.#starts = newInts(count + 1);
    each((_, strip) => this.#starts[strip + 1]!++);
    for (let strip = 0; strip < count; strip++) this.#starts[strip + 1]! += this.#starts[strip]!;
    this.#intervals = newInts(this.#starts[count]!);
    const next = newInts(count + 1);
    next.set(this.#starts);
    each((interval, strip) => (this.#intervals[next[strip]!++] = interval));
  }

  /** Returns the numbers of all intervals around a place between the outermost ends, and of others. */
  around(place: number): Int32Array {
    const strip = this.#stripOf(place);
    return this.#intervals.subarray(this.#starts[strip], this.#starts[strip + 1]);
  }

  #stripOf(place: number): number {
    return Math.floor((place - this.#least) / this.#width);
  }
}

const MOST_STRIPS = 256;
