/**
 * Lays polygons over an area and measures what each of them is the first to cover: exactly. Polygons may overlap, have holes and be in any
 * number; the even-odd rule says what is inside.
 */
import { meets, type Box } from '../geometry/box.ts';
import { partOf, type Part, type Positions } from '../geometry/path.ts';
import { signedArea } from '../geometry/ring.ts';
import { commonArea } from './common-area.ts';
import { AreaInBox } from './area-in-box.ts';
import { oriented } from './oriented.ts';
import { clipRings, cutRing, fills, partInBox } from './rings.ts';
import { areAround, boundsIn, halvesOf, segmentsIn, segmentsOf, surround, type Segments } from './segments.ts';
import { sweep, type Layer } from './sweep.ts';

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
