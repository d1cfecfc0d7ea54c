/** Rings of an area and of polygons: cut by lines and boxes, and measured. All in centimetres of the projection. */
import { type Part, type Positions, signedArea } from '../geometry/ring.ts';
import type { Attributes } from '../geopackage/attribute.ts';
import type { Box } from '../geometry/box.ts';
import { clipRing, crossesInterior, isInside } from '../geometry/clip.ts';

/** A feature near a part of an area. */
export interface AreaFeature {
  /** Row id of the feature table: the order of the source. */
  readonly id: number;
  /** full: it covers the whole cell, and has no parts. */
  readonly kind: 'full' | 'polygon' | 'line' | 'point';
  /** In centimetres from the corner of the cell. */
  readonly parts: readonly Part[];
  readonly attributes: Attributes;
}

/**
 * Keeps of a ring what is on the side `nx * x + ny * y >= limit` of each line (Sutherland and Hodgman); edges that it adds lie on the lines.
 *  lines nx, ny and limit of one line after another, of which `count` are read.
 */
export function cutRing(xy: Positions, lines: Float64Array, count: number): Positions {
  let ring = xy;
  let length = xy.length;
  for (let i = 0; i < 3 * count && length > 0; i += 3) {
    const nx = lines[i]!;
    const ny = lines[i + 1]!;
    const limit = lines[i + 2]!;
    let kept = 0;
    for (let at = 0; at < length; at += 2) if (nx * ring[at]! + ny * ring[at + 1]! >= limit) kept += 2;
    if (kept === length) continue;
    if (kept > 0) {
      if (into.length < 2 * length) into = new Float64Array(4 * length);
      kept = cutBy(ring, length, { nx, ny, limit });
      ring = into;
      [into, other] = [other, into];
    }
    length = kept;
  }
  if (length === 0 || ring === xy) return length === 0 ? NOTHING : xy;
  const left: number[] = [];
  for (let i = 0; i < length; i++) left.push(ring[i]!);
  return left;
}

const NOTHING: Positions = [];

/** Room for the rings between two cuts. */
let into = new Float64Array(128);
let other = new Float64Array(128);

/** Writes what a line leaves of a ring to `into`, and returns its length. */
function cutBy(ring: Positions, length: number, { nx, ny, limit }: { nx: number; ny: number; limit: number }): number {
  let count = 0;
  let ax = ring[length - 2]!;
  let ay = ring[length - 1]!;
  let before = nx * ax + ny * ay - limit;
  for (let i = 0; i < length; i += 2) {
    const bx = ring[i]!;
    const by = ring[i + 1]!;
    const here = nx * bx + ny * by - limit;
    if (here >= 0 !== before >= 0) {
      const t = before / (before - here);
      into[count++] = ax + t * (bx - ax);
      into[count++] = ay + t * (by - ay);
    }
    if (here >= 0) {
      into[count++] = bx;
      into[count++] = by;
    }
    ax = bx;
    ay = by;
    before = here;
  }
  return count;
}

export function clipRings(rings: readonly Part[], box: Box): Part[] {
  return rings.flatMap((ring) => clipRing(ring, box) ?? []);
}

/**
 * Returns what a polygon has in a box: 'all' of it, nothing (null), or its rings clipped to the box.
 */
export function partInBox(rings: readonly Part[], box: Box): 'all' | readonly Part[] | null {
  const clipped = clipRings(rings, box);
  if (clipped.some((ring) => crossesInterior(ring, box))) return clipped;
  return isInside(clipped, (box.minX + box.maxX) / 2, (box.minY + box.maxY) / 2) ? 'all' : null;
}

/** Says whether rings clipped to a box are all of it; no for a box that several rings fill. */
export function fills(rings: readonly Part[], { minX, minY, maxX, maxY }: Box): boolean {
  return rings.length === 1 && Math.abs(signedArea(rings[0]!.xy)) > (maxX - minX) * (maxY - minY) * (1 - SAME);
}

/** A share of a box that makes no difference. */
const SAME = 1e-9;

/** Returns a point in the largest part of an area, far from its edges to the left and to the right: the middle of the widest span on a level line. */
export function pointInside(rings: readonly Part[]): { readonly x: number; readonly y: number } {
  const areas = rings.map(({ xy }) => signedArea(xy));
  const largest = rings[areas.indexOf(Math.max(...areas))]!;
  const y = levelThrough(largest);
  const places = rings.flatMap((ring) => crossingsAt(ring, y)).sort((a, b) => a - b);
  let [x, widest] = [largest.xy[0]!, -1];
  for (let i = 0; i + 1 < places.length; i += 2) {
    const width = places[i + 1]! - places[i]!;
    if (width > widest) [x, widest] = [(places[i]! + places[i + 1]!) / 2, width];
  }
  return { x, y };
}

/** A level near the middle that runs through no vertex of the ring. */
function levelThrough({ xy, box: { minY, maxY } }: Part): number {
  const middle = (minY + maxY) / 2;
  let [below, above] = [minY, maxY];
  for (let i = 1; i < xy.length; i += 2) {
    const y = xy[i]!;
    if (y <= middle) below = Math.max(below, y);
    else above = Math.min(above, y);
  }
  return (below + above) / 2;
}

/** Returns where a ring crosses a level line on which it has no vertex, in its own order. */
export function crossingsAt({ xy }: Part, y: number): number[] {
  const places: number[] = [];
  for (let i = 0, j = xy.length - 2; i < xy.length; j = i, i += 2) {
    const ay = xy[j + 1]!;
    const by = xy[i + 1]!;
    if (ay > y !== by > y) places.push(xy[j]! + ((y - ay) / (by - ay)) * (xy[i]! - xy[j]!));
  }
  return places;
}
