/**
 * Lays polygons over an area and measures what each of them is the first to cover: exactly. Polygons may overlap, have holes and be in any
 * number; the even-odd rule says what is inside.
 */
import { type Box, meets, isWithin } from '../geometry/box.ts';
import { type Part, type Positions, partOf, signedArea, reversed } from '../geometry/ring.ts';
import { AreaInBox } from './area-in-box.ts';
import { clipRings, cutRing, fills, partInBox } from './rings.ts';
import { type Segments, areAround, boundsIn, halvesOf, segmentsIn, segmentsOf, surround } from './segments.ts';
import { type Layer, sweep } from './sweep.ts';
import { isInside } from '../geometry/clip.ts';

type Rings = readonly Part[];

/** Returns the area that lies in each polygon and in none before it, and last what lies in no polygon, all within every one of `masks`. */
export function overlay(area: AreaInBox, polygons: readonly Rings[], masks: readonly Rings[] = []): Float64Array {
  const found = new Float64Array(polygons.length + 1);
  const { box } = area;
  const layers: Layer[] = [];
  // A polygon that covers all of the box leaves nothing to those after it. Most polygons cover all or nothing.
  let rest = 0;
  for (; rest < polygons.length; rest++) {
    const rings = clipRings(polygons[rest]!, box);
    if (fills(rings, box)) break;
    if (rings.length > 0) layers.push({ segments: segmentsInBox(rings, box), place: rest });
  }
  const over = masks.map((rings) => segmentsInBox(clipRings(rings, box), box));
  measure(area, untilCovered({ masks: over, polygons: layers, rest }, box), found);
  return found;
}

/**
 * Returns how large the part of an area is that lies in a convex counterclockwise ring and in every one of `masks`. Null is an area that is around
 * the ring.
 */
export function areaWithin(area: AreaInBox | null, convex: Positions, masks: readonly Rings[]): number {
  if (area === null && masks.length === 0) return Math.abs(signedArea(convex));
  const ring = partOf(convex);
  const limits: Rings[] = [];
  for (const mask of masks) {
    const part = partInBox(mask, ring.box);
    if (part === null) return 0;
    if (part !== 'all') limits.push(oriented(part, ring.box));
  }
  if (area === null && limits.length === 0) return Math.abs(signedArea(convex));
  // The area comes first, because its halves are known.
  const over = area === null ? limits : limits.length === 0 ? [[ring]] : limits.map((rings) => cutTo(rings, convex));
  const within = area ?? AreaInBox.of([ring]);
  const found = new Float64Array(1);
  measure(within, untilCovered({ masks: over.map(segmentsOf), polygons: [], rest: 0 }, within.box), found);
  return found[0]!;
}

/** Returns what rings have in a convex counterclockwise ring. */
function cutTo(rings: Rings, convex: Positions): Rings {
  const lines = new Float64Array((convex.length / 2) * 3);
  for (let i = 0, j = convex.length - 2, at = 0; i < convex.length; j = i, i += 2, at += 3) {
    const [nx, ny] = [convex[j + 1]! - convex[i + 1]!, convex[i]! - convex[j]!];
    lines.set([nx, ny, nx * convex[i]! + ny * convex[i + 1]!], at);
  }
  const cut = rings.map(({ xy }) => cutRing(xy, lines, lines.length / 3));
  return cut.filter(({ length }) => length >= 6).map(partOf);
}

/** What lies over a part of the area. */
interface Over {
  /** In all of these a place must be. */
  readonly masks: readonly Segments[];
  /** Each has its place in what is found. */
  readonly polygons: readonly Layer[];
  /** The place of what no polygon covers. */
  readonly rest: number;
}

function segmentsInBox(rings: Rings, box: Box): Segments {
  const segments = segmentsOf(oriented(rings, box));
  return segments.length > FEW ? segmentsIn(segments, box) : segments;
}

/** Leaves out masks that cover the box, the polygons after one that does, and those that have nothing in it. */
function untilCovered({ masks, polygons, rest }: Over, box: Box): Over {
  const covering = polygons.find(({ segments }) => surround(segments, box));
  const above = covering ? polygons.slice(0, polygons.indexOf(covering)) : polygons;
  return {
    masks: masks.filter((segments) => !surround(segments, box)),
    polygons: above.filter(({ segments }) => segments.length > 0),
    rest: covering?.place ?? rest,
  };
}

/** Numbers of segments that are swept at once: a sweep takes a time that grows with the square of them. */
const FEW = 4 * 64;

/** Pairs of edges that are measured at once: about as long takes the halving of a box. */
const MOST_PAIRS = 16_384;

/** A share of the area: by so little neighbours may overlap. */
const SAME = 1e-6;

/** Centimetres: features are not known better. */
const LEAST = 1;

/**
 * Adds what lies over the area in a box. Halves the box while it has many edges. Where polygons have none, the area's edges say how large it is; and what is
 * as small as a centimetre counts for what is in its middle.
 */
function measure(area: AreaInBox, over: Over, found: Float64Array): void {
  const { masks, polygons, rest } = over;
  if (area.segments.length === 0 || masks.some(({ length }) => length === 0)) return;
  if (masks.length + polygons.length === 0) {
    found[rest]! += area.area;
    return;
  }
  if (measureByPairs(area, over, found)) return;
  const { minX, minY, maxX, maxY } = area.box;
  const all = [area.segments, ...masks, ...polygons.map(({ segments }) => segments)];
  if (edgesIn(all) <= FEW) sweep({ areas: [area.segments, ...masks], polygons, rest }, found);
  else if (Math.max(maxX - minX, maxY - minY) <= LEAST) measureByMiddle(area, over, found);
  else measureHalves(area, over, found);
}

/** Measures one mask, or polygons of which none overlaps another. Returns false where there is more, or too many edges. */
function measureByPairs(area: AreaInBox, over: Over, found: Float64Array): boolean {
  const { masks, polygons, rest } = over;
  const others = [...masks, ...polygons.map(({ segments }) => segments)];
  if (area.segments.length * edgesIn(others) > 16 * MOST_PAIRS) return false;
  if (masks.length > 0) {
    if (others.length > 1) return false;
    found[rest]! += commonArea(area.segments, others[0]!, area.box.minY);
    return true;
  }
  let left = area.area;
  if (overlap(others, area.box.minY, left * SAME)) return false;
  for (const { segments, place } of polygons) {
    const units = commonArea(area.segments, segments, area.box.minY);
    found[place]! += units;
    left -= units;
  }
  found[rest]! += Math.max(0, left);
  return true;
}

/** Says whether polygons have more than `most` in common, or so many edges that it is not known. */
function overlap(polygons: readonly Segments[], base: number, most: number): boolean {
  const boxes = polygons.map(boundsIn);
  let left = 16 * MOST_PAIRS;
  return polygons.some((a, i) =>
    polygons.slice(0, i).some((b, j) => {
      if (!meets(boxes[i]!, boxes[j]!)) return false;
      left -= a.length * b.length;
      return left < 0 || commonArea(a, b, base) > most;
    }),
  );
}

function edgesIn(all: readonly Segments[]): number {
  return all.reduce((sum, { length }) => sum + length, 0);
}

function measureHalves(area: AreaInBox, { masks, polygons, rest }: Over, found: Float64Array): void {
  const { middle } = area;
  const halvesOfMasks = masks.map((segments) => halvesOf(segments, middle));
  const halvesOfPolygons = polygons.map(({ segments }) => halvesOf(segments, middle));
  for (const half of [0, 1] as const) {
    const within = area.halves[half];
    const over = {
      masks: halvesOfMasks.map((halves) => halves[half]),
      polygons: polygons.map(({ place }, i) => ({ segments: halvesOfPolygons[i]![half], place })),
      rest,
    };
    measure(within, untilCovered(over, within.box), found);
  }
}

/** Gives all of the area to what is in the middle of its box. */
function measureByMiddle(area: AreaInBox, { masks, polygons, rest }: Over, found: Float64Array): void {
  const isAround = (segments: Segments): boolean =>
    areAround(segments, (area.box.minX + area.box.maxX) / 2, (area.box.minY + area.box.maxY) / 2);
  if (!masks.every(isAround)) return;
  found[polygons.find(({ segments }) => isAround(segments))?.place ?? rest]! += area.area;
}

// Gives rings of polygons the directions that say which side of them is inside.

/** Centimetres from an edge, so that rings which touch are not taken for each other's holes. */
const HAIR = 0.5;

/**
 * Returns rings that were clipped to a box, of polygons that do not overlap: outer ones counterclockwise, holes clockwise. Sources have rings in any
 * direction, so the even-odd rule says which are holes.
 */
function oriented(rings: readonly Part[], box: Box): readonly Part[] {
  if (rings.length === 1) return [directed(rings[0]!, true)];
  const whole = rings.filter((ring) => fills([ring], box));
  const others = rings.filter((ring) => !whole.includes(ring)).map((ring) => directed(ring, true));
  const outwards = others.map((ring) => directed(ring, (whole.length + countAround(others, ring, box)) % 2 === 0));
  return [...whole.map((ring, i) => directed(ring, i % 2 === 0)), ...outwards];
}

function directed(ring: Part, isOuter: boolean): Part {
  return signedArea(ring.xy) > 0 === isOuter ? ring : partOf(reversed(ring.xy));
}

/** How many of some counterclockwise rings are around one of them. */
function countAround(rings: readonly Part[], ring: Part, box: Box): number {
  const around = rings.filter((other) => other !== ring && isWithin(ring.box, other.box));
  if (around.length === 0) return 0;
  const [x, y] = placeWithin(ring, box);
  return around.filter((other) => isInside([other], x, y)).length;
}

/** Returns a place to the left of the longest edge that does not run along the box's border: those edges clipping has made. */
function placeWithin({ xy }: Part, { minX, minY, maxX, maxY }: Box): readonly [number, number] {
  let [longest, x, y] = [0, (minX + maxX) / 2, (minY + maxY) / 2];
  for (let i = 0, j = xy.length - 2; i < xy.length; j = i, i += 2) {
    const ax = xy[j]!;
    const ay = xy[j + 1]!;
    const bx = xy[i]!;
    const by = xy[i + 1]!;
    if ((ax === bx && (ax === minX || ax === maxX)) || (ay === by && (ay === minY || ay === maxY))) continue;
    const length = Math.hypot(bx - ax, by - ay);
    if (length <= longest) continue;
    longest = length;
    x = (ax + bx) / 2 - ((by - ay) / length) * HAIR;
    y = (ay + by) / 2 + ((bx - ax) / length) * HAIR;
  }
  return [x, y];
}

// The area that two sets of rings have in common.

/** Numbers of an edge: x of its left end and of its right end, height above the base at the left end, slope, and 1 where it bounds from above, otherwise -1. */
const EACH = 5;

/** Room for the edges of one set. */
let edges = new Float64Array(EACH * 256);

/**
 * Returns the area that lies in both of two sets of rings, in each of which nothing overlaps, and holes run against outer rings. For each pair of edges, what lies below both of them is added where both bound from above or both from below, otherwise subtracted. Nothing is
 * decided, so vertices on vertices and edges on edges are no special cases. The time grows with the product of the numbers of edges.
 * @param base A height just below the edges, so that large coordinates cost no digits.
 */
export function commonArea(a: Segments, b: Segments, base: number): number {
  const end = writeEdges(b, base);
  let area = 0;
  for (let i = 0; i < a.length; i += 4) {
    const ax = a[i]!;
    const ay = a[i + 1]!;
    const bx = a[i + 2]!;
    const by = a[i + 3]!;
    area += bx < ax ? underBoth(bx, by - base, ax, ay - base, end) : -underBoth(ax, ay - base, bx, by - base, end);
  }
  return Math.abs(area);
}

function writeEdges(segments: Segments, base: number): number {
  const end = (segments.length / 4) * EACH;
  if (edges.length < end) edges = new Float64Array(2 * end);
  for (let i = 0, at = 0; i < segments.length; i += 4, at += EACH) {
    const ax = segments[i]!;
    const ay = segments[i + 1]!;
    const bx = segments[i + 2]!;
    const by = segments[i + 3]!;
    const isAbove = bx < ax;
    edges[at] = isAbove ? bx : ax;
    edges[at + 1] = isAbove ? ax : bx;
    edges[at + 2] = (isAbove ? by : ay) - base;
    edges[at + 3] = (by - ay) / (bx - ax);
    edges[at + 4] = isAbove ? 1 : -1;
  }
  return end;
}

/** Returns the area under an edge and in the rings of which `edges` has the edges. */
function underBoth(x0: number, y0: number, x1: number, y1: number, end: number): number {
  const slope = (y1 - y0) / (x1 - x0);
  let area = 0;
  for (let k = 0; k < end; k += EACH) {
    const from = edges[k]!;
    const left = from > x0 ? from : x0;
    const right = edges[k + 1]! < x1 ? edges[k + 1]! : x1;
    if (left >= right) continue;
    const ownLeft = y0 + (left - x0) * slope;
    const ownRight = y0 + (right - x0) * slope;
    const otherLeft = edges[k + 2]! + (left - from) * edges[k + 3]!;
    const otherRight = edges[k + 2]! + (right - from) * edges[k + 3]!;
    const apartLeft = Math.abs(ownLeft - otherLeft);
    const apartRight = Math.abs(ownRight - otherRight);
    const isCrossed = ownLeft < otherLeft !== ownRight < otherRight && apartLeft + apartRight > 0;
    // Twice the mean of how far they are apart. Where they cross, it is of two triangles.
    const apart = isCrossed
      ? (apartLeft * apartLeft + apartRight * apartRight) / (apartLeft + apartRight)
      : apartLeft + apartRight;
    area += edges[k + 4]! * (right - left) * (ownLeft + ownRight + otherLeft + otherRight - apart);
  }
  return area / 4;
}
