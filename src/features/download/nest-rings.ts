/** Which rings of a polygon lie in which: shells and holes by nesting, as even and odd, whatever their direction. */
import type { Position } from '../../messages/import.ts';

type Ring = readonly Position[];

/** A shell with its holes, the shell first. */
type Polygon = readonly Ring[];

/**
 * Sorts closed rings of finite coordinates into polygons. A ring in an odd number of others is a hole of the smallest one around it; every other ring is
 * a shell. Only where two rings cross, or lie on each other, nothing nests: there a ring of the other direction is a hole, as Esri's format has it.
 */
export function nestRings(rings: readonly Ring[]): readonly Polygon[] {
  const [only, ...more] = rings;
  if (only === undefined) return [];
  if (more.length === 0) return [[only]];
  const around = ringsAround(rings.map(measured));
  const polygons = new Map<number, Ring[]>();
  rings.forEach((ring, i) => {
    if (around[i]!.length % 2 === 0) polygons.set(i, [ring]);
  });
  rings.forEach((ring, i) => {
    if (around[i]!.length % 2 === 0) return;
    const owner = around[i]!.find((outer) => polygons.has(outer));
    if (owner === undefined) polygons.set(i, [ring]);
    else polygons.get(owner)!.push(ring);
  });
  return [...polygons.values()];
}

interface Measured {
  readonly ring: Ring;
  readonly areaM2: number;
  readonly isClockwise: boolean;
  /** The vertices that lie farthest to each side, each once. */
  readonly ends: readonly Position[];
}

function measured(ring: Ring): Measured {
  const area = signedArea(ring);
  let [west, east, south, north] = [ring[0]!, ring[0]!, ring[0]!, ring[0]!];
  for (const position of ring) {
    const [x = NaN, y = NaN] = position;
    if (x < west[0]!) west = position;
    if (x > east[0]!) east = position;
    if (y < south[1]!) south = position;
    if (y > north[1]!) north = position;
  }
  return { ring, areaM2: Math.abs(area), isClockwise: area <= 0, ends: [...new Set([west, east, south, north])] };
}

/** For each ring the rings around it, the smallest first. */
function ringsAround(rings: readonly Measured[]): number[][] {
  const edges = new EdgeRows(rings);
  return rings.map((inner, i) => {
    const seen = new Map<number, { inside: number; on: number }>();
    const seenOf = (ring: number): { inside: number; on: number } => {
      let tally = seen.get(ring);
      if (tally === undefined) seen.set(ring, (tally = { inside: 0, on: 0 }));
      return tally;
    };
    for (const end of inner.ends) {
      const { inside, on } = edges.at(end);
      for (const ring of inside) if (!on.has(ring)) seenOf(ring).inside++;
      for (const ring of on) seenOf(ring).on++;
    }
    return [...seen]
      .filter(([j, tally]) => j !== i && isLarger(rings[j]!, inner, i > j) && isIn(inner, rings[j]!, tally))
      .map(([j]) => j)
      .sort((a, b) => rings[a]!.areaM2 - rings[b]!.areaM2);
  });
}

/** Of two rings of one area the first counts as the larger. */
function isLarger(outer: Measured, inner: Measured, isFirst: boolean): boolean {
  return outer.areaM2 > inner.areaM2 || (outer.areaM2 === inner.areaM2 && isFirst);
}

function isIn(inner: Measured, outer: Measured, { inside, on }: { inside: number; on: number }): boolean {
  const off = inner.ends.length - on;
  if (off > 0 && inside === off) return true;
  if (off > 0 && inside === 0) return false;
  if (off === 0) {
    const beside = placesBeside(inner.ring).map((place) => isInside(outer.ring, place));
    if (beside.some((one) => one === true) && !beside.includes(false)) return true;
    if (beside.includes(false) && !beside.includes(true)) return false;
  }
  return inner.isClockwise !== outer.isClockwise;
}

/** Vertices and middles of edges. */
function placesBeside(ring: Ring): readonly Position[] {
  const middles = ring.slice(1).map(([x = NaN, y = NaN], i): Position => {
    const [xa = NaN, ya = NaN] = ring[i]!;
    return [(x + xa) / 2, (y + ya) / 2];
  });
  return [...ring, ...middles];
}

/** Null on the edge. */
function isInside(ring: Ring, [x = NaN, y = NaN]: Position): boolean | null {
  let inside = false;
  for (let i = 1; i < ring.length; i++) {
    const [[xa, ya], [xb, yb]] = [ring[i - 1]!, ring[i]!];
    const side = sideOf(xa!, ya!, xb!, yb!, x, y);
    if (side === ON) return null;
    if (side === ACROSS) inside = !inside;
  }
  return inside;
}

/** Whether an edge lies across the way from a place to the west, holds the place, or neither. */
const [BESIDE, ACROSS, ON] = [0, 1, 2];

/** Numbers one by one: this runs for most edges of a lake, for each of its islands. */
function sideOf(xa: number, ya: number, xb: number, yb: number, x: number, y: number): number {
  const turn = (xb - xa) * (y - ya) - (yb - ya) * (x - xa);
  if (turn === 0 && isBetween(x, xa, xb) && isBetween(y, ya, yb)) return ON;
  if (ya > y === yb > y) return BESIDE;
  // East of the edge: right of one that goes up, left of one that goes down.
  return turn < 0 === yb > ya ? ACROSS : BESIDE;
}

function isBetween(one: number, a: number, b: number): boolean {
  return a < b ? one >= a && one <= b : one >= b && one <= a;
}

/** Edges that one row should hold, so that a place meets few. */
const EDGES_PER_ROW = 8;
/** Rows that an edge lies in, on average, at most: long edges side by side would fill the memory otherwise. */
const ROWS_PER_EDGE = 8;
const MOST_ROWS = 65_536;

/** The edges of all rings in rows from south to north: a lake may have ten thousand islands. */
class EdgeRows {
  readonly #ringOf: Int32Array;
  /** xa, ya, xb, yb of each edge. */
  readonly #ends: Float64Array;
  readonly #south: number;
  readonly #height: number;
  readonly #rows: number[][];

  constructor(rings: readonly Measured[]) {
    const ys = rings.flatMap(({ ends }) => ends.map(([, y = NaN]) => y));
    this.#south = ys.reduce((a, b) => Math.min(a, b));
    const height = ys.reduce((a, b) => Math.max(a, b)) - this.#south;
    const edges = rings.reduce((sum, { ring }) => sum + ring.length - 1, 0);
    const climb = rings.reduce((sum, { ring }) => sum + climbOf(ring), 0);
    const most = Math.min(MOST_ROWS, edges / EDGES_PER_ROW, (ROWS_PER_EDGE * edges * height) / climb || 1);
    const rows = Math.max(1, Math.ceil(most));
    this.#height = height / rows || 1;
    this.#rows = Array.from({ length: rows }, () => []);
    this.#ringOf = new Int32Array(edges);
    this.#ends = new Float64Array(edges * 4);
    let edge = 0;
    rings.forEach(({ ring }, i) => {
      for (let k = 1; k < ring.length; k++) this.#add(edge++, i, [ring[k - 1]!, ring[k]!]);
    });
  }

  #add(edge: number, ring: number, [[xa, ya], [xb, yb]]: readonly [Position, Position]): void {
    this.#ringOf[edge] = ring;
    this.#ends.set([xa!, ya!, xb!, yb!], edge * 4);
    const last = this.#rowOf(Math.max(ya!, yb!));
    for (let row = this.#rowOf(Math.min(ya!, yb!)); row <= last; row++) this.#rows[row]!.push(edge);
  }

  #rowOf(y: number): number {
    return Math.max(0, Math.min(this.#rows.length - 1, Math.floor((y - this.#south) / this.#height)));
  }

  /** The rings that hold a place, and those on whose edge it lies. */
  at([x = NaN, y = NaN]: Position): { readonly inside: ReadonlySet<number>; readonly on: ReadonlySet<number> } {
    const [inside, on] = [new Set<number>(), new Set<number>()];
    const ends = this.#ends;
    for (const edge of this.#rows[this.#rowOf(y)]!) {
      const [ya, yb] = [ends[edge * 4 + 1]!, ends[edge * 4 + 3]!];
      if ((ya < y && yb < y) || (ya > y && yb > y)) continue;
      const side = sideOf(ends[edge * 4]!, ya, ends[edge * 4 + 2]!, yb, x, y);
      if (side === BESIDE) continue;
      const ring = this.#ringOf[edge]!;
      if (side === ON) on.add(ring);
      else if (!inside.delete(ring)) inside.add(ring);
    }
    return { inside, on };
  }
}

/** How far a ring goes up and down, all edges together. */
function climbOf(ring: Ring): number {
  let sum = 0;
  for (let i = 1; i < ring.length; i++) sum += Math.abs(ring[i]![1]! - ring[i - 1]![1]!);
  return sum;
}

/** Returns twice the area; negative when clockwise. Relative to the first vertex, for precision. */
function signedArea(ring: Ring): number {
  const [x0 = 0, y0 = 0] = ring[0]!;
  let sum = 0;
  for (let i = 1; i < ring.length; i++) {
    const [xa = 0, ya = 0] = ring[i - 1]!;
    const [xb = 0, yb = 0] = ring[i]!;
    sum += (xa - x0) * (yb - y0) - (xb - x0) * (ya - y0);
  }
  return sum;
}
