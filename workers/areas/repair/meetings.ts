/** Finds where the edges of an area meet: cross, touch or overlap. */
import { newFloats, newInts } from '../../geometry/numbers.ts';

// The edges of an area's rings on a raster, where equal places have equal numbers and nearly all decisions are exact.

/** Steps per degree: one is at most 6.5 micrometres, far below any survey, and places stay whole numbers far below 2^53. */
export const STEPS_PER_DEGREE = 2 ** 34;

/** Flat, one number per edge; the edges of a ring follow one another. */
export interface Edges {
  readonly ax: Float64Array;
  readonly ay: Float64Array;
  readonly bx: Float64Array;
  readonly by: Float64Array;
  readonly ring: Int32Array;
  /** Where the edges of each ring begin, and last the number of all edges. */
  readonly starts: readonly number[];
}

/** Returns the edges of rings of degrees, without those that have no length on the raster. */
export function edgesOf(rings: readonly (readonly number[])[]): Edges {
  const most = rings.reduce((sum, ring) => sum + ring.length / 2, 0);
  const ax = newFloats(most);
  const ay = newFloats(most);
  const bx = newFloats(most);
  const by = newFloats(most);
  const ring = newInts(most);
  const starts = [0];
  let count = 0;
  for (const [number, degrees] of rings.entries()) {
    let x = onRaster(degrees[degrees.length - 2]!);
    let y = onRaster(degrees[degrees.length - 1]!);
    for (let i = 0; i < degrees.length; i += 2) {
      ax[count] = x;
      ay[count] = y;
      x = bx[count] = onRaster(degrees[i]!);
      y = by[count] = onRaster(degrees[i + 1]!);
      ring[count] = number;
      if (x !== ax[count] || y !== ay[count]) count++;
    }
    starts.push(count);
  }
  const used = (all: Float64Array): Float64Array => all.subarray(0, count);
  return { ax: used(ax), ay: used(ay), bx: used(bx), by: used(by), ring: ring.subarray(0, count), starts };
}

function onRaster(degrees: number): number {
  return Math.round(degrees * STEPS_PER_DEGREE);
}

/** Returns on which side of an edge a place lies: positive is left of it, 0 on its line or too near to tell. */
export function sideOf({ ax, ay, bx, by }: Edges, edge: number, x: number, y: number): number {
  const left = (bx[edge]! - ax[edge]!) * (y - ay[edge]!);
  const right = (by[edge]! - ay[edge]!) * (x - ax[edge]!);
  const side = left - right;
  return Math.abs(side) <= DOUBT * (Math.abs(left) + Math.abs(right)) ? 0 : side;
}

/** More than two products and their difference can be wrong by, as a share of the products. */
const DOUBT = 2 ** -51;

/** Places of the raster, by number. */
export class Places {
  readonly x: number[] = [];
  readonly y: number[] = [];
  readonly #numbers = new Map<number, Map<number, number>>();

  add(x: number, y: number): number {
    let column = this.#numbers.get(x);
    if (!column) this.#numbers.set(x, (column = new Map<number, number>()));
    let number = column.get(y);
    if (number === undefined) {
      column.set(y, (number = this.x.length));
      this.x.push(x);
      this.y.push(y);
    }
    return number;
  }

  /** Returns null where none was added. */
  find(x: number, y: number): number | null {
    return this.#numbers.get(x)?.get(y) ?? null;
  }
}

export interface Meetings {
  readonly places: Places;
  /** The places on each edge where others meet it, its ends included, and some of them several times. */
  readonly onEdge: ReadonlyMap<number, readonly number[]>;
  /** Pairs of edges that meet, besides neighbours that only share an end. */
  readonly count: number;
  /** Whether edges of one ring are among them. */
  readonly withinRing: boolean;
}

/** Returns where edges meet. Stops after `most` pairs. */
export function meetingsOf(edges: Edges, most: number): Meetings {
  const found = new Found(edges);
  const ordered = fromLeft(edges);
  const surely = surelyOneSided(edges);
  for (let u = 0; u < ordered.order.length && found.count <= most; u++) compareWithNext(ordered, u, surely, found);
  return found;
}

/** Compares an edge with those that begin farther to the right. Takes most of the time of a tangle, so it decides most pairs by itself. */
function compareWithNext(
  { order, ax, ay, bx, by }: ReturnType<typeof fromLeft>,
  u: number,
  surely: number,
  found: Found,
): void {
  const x = ax[u]!;
  const y = ay[u]!;
  const toX = bx[u]!;
  const dx = toX - x;
  const dy = by[u]! - y;
  const low = Math.min(y, y + dy);
  const high = Math.max(y, y + dy);
  for (let v = u + 1; v < order.length; v++) {
    const fromX = ax[v]!;
    if (fromX > toX) return;
    const fromY = ay[v]!;
    const endY = by[v]!;
    if (fromY < low ? endY < low : fromY > high && endY > high) continue;
    const from = dx * (fromY - y) - dy * (fromX - x);
    const to = dx * (endY - y) - dy * (bx[v]! - x);
    if (from > surely ? to > surely : from < -surely && to < -surely) continue;
    found.compare(order[u]!, order[v]!);
  }
}

/** Returns edges in the order of their left ends, each from the left to the right. */
function fromLeft(edges: Edges): Pick<Edges, 'ax' | 'ay' | 'bx' | 'by'> & {
  /** Their numbers. */
  readonly order: Int32Array;
} {
  const count = edges.ring.length;
  const left = newFloats(count);
  const order = newInts(count);
  for (let i = 0; i < count; i++) {
    left[i] = Math.min(edges.ax[i]!, edges.bx[i]!);
    order[i] = i;
  }
  order.sort((a, b) => left[a]! - left[b]!);
  const ax = newFloats(count);
  const ay = newFloats(count);
  const bx = newFloats(count);
  const by = newFloats(count);
  for (let k = 0; k < count; k++) {
    const i = order[k]!;
    const isTurned = edges.ax[i]! > edges.bx[i]!;
    ax[k] = left[i]!;
    ay[k] = isTurned ? edges.by[i]! : edges.ay[i]!;
    bx[k] = isTurned ? edges.ax[i]! : edges.bx[i]!;
    by[k] = isTurned ? edges.ay[i]! : edges.by[i]!;
  }
  return { order, ax, ay, bx, by };
}

/** Returns what no rounding makes of a place on the line of an edge (`sideOf`). */
function surelyOneSided({ ax, ay }: Edges): number {
  return 2 * DOUBT * extentOf(ax) * extentOf(ay);
}

function extentOf(values: Float64Array): number {
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < values.length; i++) {
    least = Math.min(least, values[i]!);
    most = Math.max(most, values[i]!);
  }
  return most - least;
}

/** Of an edge: on which sides of another its ends lie (`sideOf`). */
interface Ends {
  readonly from: number;
  readonly to: number;
}

class Found implements Meetings {
  readonly places = new Places();
  readonly onEdge = new Map<number, number[]>();
  count = 0;
  withinRing = false;
  readonly #edges: Edges;

  constructor(edges: Edges) {
    this.#edges = edges;
  }

  /** Notes where two edges meet of which the boxes do. */
  compare(i: number, j: number): void {
    const aboutI = this.#endsAbout(i, j);
    if (aboutI.from * aboutI.to > 0) return;
    const aboutJ = this.#endsAbout(j, i);
    if (aboutJ.from * aboutJ.to > 0) return;
    const areInLine = aboutI.from === 0 && aboutI.to === 0;
    if (this.#areNeighbours(i, j) && !(areInLine && this.#overlap(i, j))) return;
    this.count++;
    if (this.#edges.ring[i] === this.#edges.ring[j]) this.withinRing = true;
    const doTouch = [this.#touch(i, j, aboutI), this.#touch(j, i, aboutJ)].includes(true);
    if (!doTouch) this.#cross(i, j, aboutJ);
  }

  /** The sides of an edge on which the ends of another lie. */
  #endsAbout(edge: number, other: number): Ends {
    const { ax, ay, bx, by } = this.#edges;
    return {
      from: sideOf(this.#edges, edge, ax[other]!, ay[other]!),
      to: sideOf(this.#edges, edge, bx[other]!, by[other]!),
    };
  }

  /** Notes the ends of another edge that are on an edge. Returns whether some are on its line. */
  #touch(edge: number, other: number, { from, to }: Ends): boolean {
    const { ax, ay, bx, by } = this.#edges;
    if (from === 0) this.#meetIfNear(edge, other, ax[other]!, ay[other]!);
    if (to === 0) this.#meetIfNear(edge, other, bx[other]!, by[other]!);
    return from === 0 || to === 0;
  }

  #cross(i: number, j: number, { from, to }: Ends): void {
    const { ax, ay, bx, by } = this.#edges;
    const t = from / (from - to);
    const x = ax[i]! + t * (bx[i]! - ax[i]!);
    const y = ay[i]! + t * (by[i]! - ay[i]!);
    this.#meet(i, j, onFineRaster(x), onFineRaster(y));
  }

  #areNeighbours(i: number, j: number): boolean {
    const { ring, starts } = this.#edges;
    const of = ring[i]!;
    if (ring[j] !== of) return false;
    const distance = Math.abs(i - j);
    return distance === 1 || distance === starts[of + 1]! - starts[of]! - 1;
  }

  /** Whether two edges in line have more than an end in common. */
  #overlap(i: number, j: number): boolean {
    const { ax, ay, bx, by } = this.#edges;
    const dx = bx[i]! - ax[i]!;
    const dy = by[i]! - ay[i]!;
    const along = (x: number, y: number): number => (x - ax[i]!) * dx + (y - ay[i]!) * dy;
    const from = along(ax[j]!, ay[j]!);
    const to = along(bx[j]!, by[j]!);
    return Math.max(from, to) > 0 && Math.min(from, to) < dx * dx + dy * dy;
  }

  /** The place is on the line of both edges. */
  #meetIfNear(i: number, j: number, x: number, y: number): void {
    if (this.#isWithin(i, x, y) && this.#isWithin(j, x, y)) this.#meet(i, j, x, y);
  }

  #isWithin(edge: number, x: number, y: number): boolean {
    const { ax, ay, bx, by } = this.#edges;
    return isBetween(x, ax[edge]!, bx[edge]!) && isBetween(y, ay[edge]!, by[edge]!);
  }

  #meet(i: number, j: number, x: number, y: number): void {
    const place = this.places.add(x, y);
    this.#put(i, place);
    this.#put(j, place);
  }

  #put(edge: number, place: number): void {
    const on = this.onEdge.get(edge);
    if (on) on.push(place);
    else this.onEdge.set(edge, [place]);
  }
}

/** Rounds a crossing: far less than a step, so that it stays on the right side of vertices, and enough for edges that cross in one place. */
function onFineRaster(steps: number): number {
  return Math.round(steps * 1024) / 1024;
}

function isBetween(value: number, a: number, b: number): boolean {
  return a < b ? value >= a && value <= b : value >= b && value <= a;
}
