/**
 * Lays polygons over an area and measures what each of them is the first to cover: the exact areas, by slabs between the vertices. Polygons
 * may overlap, have holes and be in any number; the even-odd rule says what is inside.
 */
import { meets, type Box } from '../../geopackage/box.ts';
import type { Part, Positions } from '../../geopackage/flat-geometry.ts';
import { areaOf, boundsOf, clipRings, fills, signedArea } from './rings.ts';

type Rings = readonly Part[];

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
 * Returns the area that lies in each polygon and in none before it, and last what lies in no polygon, all within every one of
 * `areas`. Of each area, rings must not overlap, and holes run against outer rings.
 */
export function overlay(areas: readonly Rings[], polygons: readonly Rings[]): Float64Array {
  const found = new Float64Array(polygons.length + 1);
  if (areas.some((rings) => rings.length === 0)) return found;
  const box = commonBox(areas);
  if (areas.length > 1) {
    sweep(
      [...areas, ...polygons].map((rings) => clipRings(rings, box)),
      areas.length,
      found,
    );
    return found;
  }
  const clipped: Rings[] = [];
  // A polygon that covers all of the box leaves nothing to those after it. Most polygons cover all or nothing.
  let rest = 0;
  for (; rest < polygons.length; rest++) {
    const rings = clipRings(polygons[rest]!, box);
    if (fills(rings, box)) break;
    clipped.push(rings);
  }
  const [area] = areas as readonly [Rings];
  if (fills(area, box)) measureLone(clipped, found);
  const covered = clipped.flat();
  if (covered.length > 0) sweep([clipRings(area, boundsOf(covered)), ...clipped], 1, found);
  found[found.length - 1] = 0;
  const whole = areaOf(area.map(({ xy }) => xy));
  found[rest] = Math.max(0, whole - found.reduce((sum, one) => sum + one, 0));
  return found;
}

/** Measures rings that come near no other, and takes them out of `polygons`: of an area that is a box, nothing else decides. */
function measureLone(polygons: Rings[], found: Float64Array): void {
  const all = polygons.flat();
  polygons.forEach((rings, i) => {
    const [only] = rings;
    if (rings.length !== 1 || all.some((other) => other !== only && meets(other.box, only!.box))) return;
    found[i] = Math.abs(signedArea(only!.xy));
    polygons[i] = [];
  });
}

function commonBox(areas: readonly Rings[]): Box {
  const boxes = areas.map(boundsOf);
  return {
    minX: Math.max(...boxes.map((box) => box.minX)),
    minY: Math.max(...boxes.map((box) => box.minY)),
    maxX: Math.min(...boxes.map((box) => box.maxX)),
    maxY: Math.min(...boxes.map((box) => box.maxY)),
  };
}

/** Adds the areas of the first `areas` of `groups` that lie in each of the others to `found`. */
function sweep(groups: readonly Rings[], areas: number, found: Float64Array): void {
  const edges: Edge[] = [];
  groups.forEach((rings, owner) => {
    for (const { xy } of rings) addEdges(edges, xy, owner);
  });
  edges.sort((a, b) => a.x0 - b.x0);
  const places = new Float64Array(2 * edges.length);
  edges.forEach(({ x0, x1 }, i) => {
    places[2 * i] = x0;
    places[2 * i + 1] = x1;
  });
  places.sort();
  const slabs = new Slabs(groups.length, areas, found);
  const active: Edge[] = [];
  let next = 0;
  for (let i = 0; i + 1 < places.length; i++) {
    const from = places[i]!;
    const to = places[i + 1]!;
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

function addEdges(edges: Edge[], xy: Positions, owner: number): void {
  let ax = xy[xy.length - 2]!;
  let ay = xy[xy.length - 1]!;
  for (let i = 0; i < xy.length; i += 2) {
    const bx = xy[i]!;
    const by = xy[i + 1]!;
    const slope = (by - ay) / (bx - ax);
    if (ax < bx) edges.push({ x0: ax, y0: ay, x1: bx, slope, owner, left: 0, right: 0 });
    else if (ax > bx) edges.push({ x0: bx, y0: by, x1: ax, slope, owner, left: 0, right: 0 });
    ax = bx;
    ay = by;
  }
}

/** Trapezoids between two upright lines, through which all active edges run. */
class Slabs {
  readonly #isOdd: Uint8Array;
  readonly #areas: number;
  readonly #found: Float64Array;

  constructor(groups: number, areas: number, found: Float64Array) {
    this.#isOdd = new Uint8Array(groups);
    this.#areas = areas;
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
      const [low, high] = [active[i]!, active[i + 1]!];
      const state = (isOdd[low.owner] = 1 - isOdd[low.owner]!);
      if (low.owner < this.#areas) openAreas += state === 1 ? 1 : -1;
      if (openAreas < this.#areas) continue;
      const height = (high.left - low.left + high.right - low.right) / 2;
      const first = isOdd.indexOf(1, this.#areas);
      const place = first < 0 ? this.#found.length - 1 : first - this.#areas;
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
    const [low, high] = [active[i]!, active[i + 1]!];
    const [left, right] = [high.left - low.left, high.right - low.right];
    if (left >= -SAME && right >= -SAME) continue;
    const at = from + (left / (left - right)) * (to - from);
    if (at > from && at < to) return at;
  }
  return null;
}
