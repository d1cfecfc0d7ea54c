/** Measures layers by slabs between the ends and crossings of their edges: exactly, in a time that grows with the square of their number. */
import type { Segments } from './segments.ts';

export interface Layer {
  readonly segments: Segments;
  /** Its place in what is found. */
  readonly place: number;
}

interface Edge {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly slope: number;
  /** Areas first, then polygons. */
  readonly owner: number;
  /** Heights at both sides of the slab. */
  left: number;
  right: number;
}

/** Height difference that counts as none, in centimetres: far below the rounding of stored vertices. */
const SAME = 1e-5;

/**
 * Adds the areas of layers to what is found.
 * The first of the polygons over a place counts.
 * @param rest place in what is found of what no polygon covers.
 */
export function sweep(
  { areas, polygons, rest }: { areas: readonly Segments[]; polygons: readonly Layer[]; rest: number },
  found: Float64Array,
): void {
  const edges: Edge[] = [];
  [...areas, ...polygons.map(({ segments }) => segments)].forEach((segments, owner) => {
    addEdges(edges, segments, owner);
  });
  edges.sort((a, b) => a.x0 - b.x0);
  const ends = new Float64Array(2 * edges.length);
  edges.forEach(({ x0, x1 }, i) => {
    ends[2 * i] = x0;
    ends[2 * i + 1] = x1;
  });
  ends.sort();
  const places = [...areas.map(() => rest), ...polygons.map(({ place }) => place), rest];
  const slabs = new Slabs(areas.length, places, found);
  const active: Edge[] = [];
  let next = 0;
  for (let i = 0; i + 1 < ends.length; i++) {
    const from = ends[i]!;
    const to = ends[i + 1]!;
    if (from === to) continue;
    keepBeyond(active, from);
    for (; next < edges.length && edges[next]!.x0 <= from; next++) active.push(edges[next]!);
    if (active.length > 1) slabs.add(active, from, to);
  }
}

/** Removes the edges that end at an upright line or before it. */
function keepBeyond(active: Edge[], from: number): void {
  let kept = 0;
  for (const edge of active) if (edge.x1 > from) active[kept++] = edge;
  active.length = kept;
}

function addEdges(edges: Edge[], segments: Segments, owner: number): void {
  for (let i = 0; i < segments.length; i += 4) {
    const ax = segments[i]!;
    const ay = segments[i + 1]!;
    const bx = segments[i + 2]!;
    const by = segments[i + 3]!;
    const slope = (by - ay) / (bx - ax);
    if (ax < bx) edges.push({ x0: ax, y0: ay, x1: bx, slope, owner, left: 0, right: 0 });
    else edges.push({ x0: bx, y0: by, x1: ax, slope, owner, left: 0, right: 0 });
  }
}

/** Trapezoids between two upright lines, through which all active edges run. */
class Slabs {
  readonly #isOdd: Uint8Array;
  readonly #areas: number;
  /** Of each owner, and last of nobody: where in what is found its area counts. */
  readonly #places: readonly number[];
  readonly #found: Float64Array;

  constructor(areas: number, places: readonly number[], found: Float64Array) {
    this.#isOdd = new Uint8Array(places.length - 1);
    this.#areas = areas;
    this.#places = places;
    this.#found = found;
  }

  /** Sorts `active` from below. */
  add(active: Edge[], from: number, to: number): void {
    for (const edge of active) {
      edge.left = edge.y0 + (from - edge.x0) * edge.slope;
      edge.right = edge.y0 + (to - edge.x0) * edge.slope;
    }
    sortUpwards(active);
    const crossing = firstCrossing(active, from, to);
    if (crossing === null) {
      this.#measure(active, to - from);
      return;
    }
    this.add(active, from, crossing);
    this.add(active, crossing, to);
  }

  #measure(active: readonly Edge[], width: number): void {
    const isOdd = this.#isOdd.fill(0);
    let openAreas = 0;
    for (let i = 0; i + 1 < active.length; i++) {
      const low = active[i]!;
      const high = active[i + 1]!;
      const state = (isOdd[low.owner] = 1 - isOdd[low.owner]!);
      if (low.owner < this.#areas) openAreas += state === 1 ? 1 : -1;
      if (openAreas < this.#areas) continue;
      const height = (high.left - low.left + high.right - low.right) / 2;
      const first = isOdd.indexOf(1, this.#areas);
      const place = first < 0 ? this.#places.at(-1)! : this.#places[first]!;
      this.#found[place] = this.#found[place]! + height * width;
    }
  }
}

/** By insertion, because from slab to slab the order hardly changes. */
function sortUpwards(active: Edge[]): void {
  for (let i = 1; i < active.length; i++) {
    const edge = active[i]!;
    const height = edge.left + edge.right;
    let at = i;
    for (; at > 0 && active[at - 1]!.left + active[at - 1]!.right > height; at--) active[at] = active[at - 1]!;
    active[at] = edge;
  }
}

/** Returns where two edges change places in the slab; null when none do. They are sorted by their height in the middle. */
function firstCrossing(active: readonly Edge[], from: number, to: number): number | null {
  for (let i = 0; i + 1 < active.length; i++) {
    const low = active[i]!;
    const high = active[i + 1]!;
    const left = high.left - low.left;
    const right = high.right - low.right;
    if (left >= -SAME && right >= -SAME) continue;
    const at = from + (left / (left - right)) * (to - from);
    if (at > from && at < to) return at;
  }
  return null;
}
