/** Puts together what the leaves around a point know of the features near it, also of their edges. */
import { type Box, grow, spanInside } from '../../geometry/box.ts';
import { ByteReader } from '../../geopackage/bytes.ts';
import { entryKind, UNITS_PER_METRE } from './format.ts';
import type { LeafPlace } from './find-leaf.ts';
import { type LeafHit, entriesAgain, entriesOf, geometryDistance, skipGeometry, stepsOf } from './leaf-reader.ts';
import { squaredToSegment } from '../../geometry/segment.ts';

/** A feature near the point, with distances in centimetres of the projection. */
export interface NearHit extends LeafHit {
  /** The way to the nearest edge, also from inside a polygon; Infinity when none of its edges is near. */
  edge: number;
  distance: number;
  /** The leaf that `valuesRef` belongs to. */
  readonly bytes: Buffer;
}

/** How far around its square a leaf holds a data set, in centimetres, and whether only the nearest of its features. */
export interface SetReach {
  readonly reach: number;
  readonly nearestOnly: boolean;
  /** Edges farther away from the place are left out. */
  readonly most: number;
}

interface Place {
  /** In projection metres. */
  readonly x: number;
  readonly y: number;
  /** What the leaf of the point itself says (`readLeaf`): it alone knows which polygons the point is in. Null where there is no leaf. */
  readonly home: { readonly bytes: Buffer; readonly hits: readonly LeafHit[] } | null;
  /** Data sets from this number on are not read. */
  readonly sets: number;
}

/**
 * Returns the features of leaves with their distances from a point, by data set. The leaves must hold all squares within a distance of the
 * point. Then every edge within that distance is known, and every feature within that distance and the reach of its data
 * set: a leaf on the straight way to it holds it. Where leaves hold only the nearest features, the nearest is among them.
 */
export function surroundings(
  leaves: readonly { readonly place: LeafPlace; readonly bytes: Buffer }[],
  { x, y, home, sets }: Place,
  reachOf: (set: number) => SetReach,
): NearFeatures {
  const features = new NearFeatures();
  // A polygon around the point without an edge near by is in this leaf alone.
  for (const { set, fid, valuesRef, distance } of home?.hits ?? [])
    if (distance === 0) features.note({ set, fid, valuesRef, bytes: home!.bytes }, Infinity, 0);
  for (const leaf of leaves)
    noteLeaf(features, leaf, { x, y, sets, known: leaf.bytes === home?.bytes ? home.hits : null, reachOf });
  return features;
}

interface Noted extends Pick<Place, 'x' | 'y' | 'sets'> {
  /** What reading the bytes before gave, one hit for each entry; null when they were not read. */
  readonly known: readonly LeafHit[] | null;
  readonly reachOf: (set: number) => SetReach;
}

function noteLeaf(
  features: NearFeatures,
  { place, bytes }: { readonly place: LeafPlace; readonly bytes: Buffer },
  { x, y, sets, known, reachOf }: Noted,
): void {
  const size = place.size * UNITS_PER_METRE;
  const dx = (x - place.x) * UNITS_PER_METRE;
  const dy = (y - place.y) * UNITS_PER_METRE;
  const cursor = known ? entriesAgain(bytes) : entriesOf(bytes);
  // Only polygons need it: clipping adds edges to nothing else.
  const boxOf = ({ reach, nearestOnly }: SetReach): Box => {
    const square = { minX: -dx, minY: -dy, maxX: size - dx, maxY: size - dy };
    if (!nearestOnly) return grow(square, reach);
    const first = new ByteReader(bytes, setStart);
    return grow(square, nearestReach(first, { entries: entriesOfSet, set: lastSet, size, most: reach }));
  };
  let [lastSet, setStart, entriesOfSet] = [-1, 0, 0];
  let reach: SetReach = NOWHERE;
  let box: Box | null = null;
  /** Reads the next geometry. Clipping adds edges to polygons alone, and only farther away than the nearest point of the polygon. */
  const edgeOf = (kind: number, distance: number | null): number => {
    const { most } = reach;
    if (distance !== null && (kind !== entryKind.polygon || distance >= most)) {
      skipGeometry(cursor);
      return distance;
    }
    if (kind !== entryKind.polygon) return geometryDistance(cursor, kind, dx, dy);
    return edgeDistanceWithin(cursor, { x: dx, y: dy, most }, (box ??= boxOf(reach)));
  };
  const entries = cursor.varint();
  for (let i = 0; i < entries; i++) {
    const start = cursor.at;
    const tag = cursor.varint();
    const set = tag >>> 2;
    const kind = tag & 3;
    if (set >= sets) break;
    if (set !== lastSet) {
      lastSet = set;
      setStart = start;
      entriesOfSet = entries - i;
      reach = reachOf(set);
      box = null;
    }
    const fid = cursor.varint();
    const valuesRef = cursor.varint();
    if (kind === entryKind.full) continue;
    const edge = edgeOf(kind, known ? known[i]!.distance : null);
    if (edge < reach.most) features.note({ set, fid, valuesRef, bytes }, edge, edge);
  }
}

const NOWHERE: SetReach = { reach: 0, nearestOnly: false, most: 0 };

/** Features by data set, each in the order of ids and with its least distance. */
class NearFeatures {
  readonly #sets: NearHit[][] = [];
  readonly #sorted: (readonly NearHit[] | undefined)[] = [];

  note({ set, fid, valuesRef, bytes }: Seen, edge: number, distance: number): void {
    const hits = (this.#sets[set] ??= []);
    let from = 0;
    let to = hits.length;
    // A leaf has them in the order of ids.
    if (to === 0 || hits[to - 1]!.fid < fid) {
      hits.push({ set, fid, valuesRef, distance, edge, bytes });
      return;
    }
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (hits[middle]!.fid < fid) from = middle + 1;
      else to = middle;
    }
    const found = hits[from];
    if (found?.fid !== fid) hits.splice(from, 0, { set, fid, valuesRef, distance, edge, bytes });
    else {
      found.edge = Math.min(found.edge, edge);
      found.distance = Math.min(found.distance, distance);
    }
  }

  /** Returns those of a data set, given by its index, nearest first. */
  hits(set: number): readonly NearHit[] {
    const hits = this.#sets[set];
    if (hits === undefined || hits.length < 2) return hits ?? NONE;
    return (this.#sorted[set] ??= hits.toSorted(nearestFirst));
  }
}

type Seen = Pick<NearHit, 'set' | 'fid' | 'valuesRef' | 'bytes'>;

const NONE: readonly NearHit[] = [];

function nearestFirst(a: NearHit, b: NearHit): number {
  return a.distance - b.distance || a.fid - b.fid;
}

/**
 * Reads a polygon of a leaf and returns the distance from the origin of `box` to those parts of its edges that lie in the box; Infinity when
 * none is nearer than `most`. Clipping to a leaf adds edges, all of them outside of the leaf's reach. `x` and `y` are what the
 * leaf's coordinates have at the origin; all in centimetres.
 */
function edgeDistanceWithin(
  cursor: ByteReader,
  { x, y, most }: { readonly x: number; readonly y: number; readonly most: number },
  box: Box,
): number {
  let squared = most * most;
  for (let parts = cursor.varint(); parts > 0; parts--) squared = nearestInBox(cursor, { x, y, box }, squared);
  return squared < most * most ? Math.sqrt(squared) : Infinity;
}

/** Returns the lesser of `nearest` and the squared distance to the next ring's edges in the box. */
function nearestInBox(
  cursor: ByteReader,
  { x, y, box }: { readonly x: number; readonly y: number; readonly box: Box },
  nearest: number,
): number {
  const count = cursor.varint();
  const steps = stepsOf(cursor, count);
  const firstX = steps[0]! - x;
  const firstY = steps[1]! - y;
  let squared = nearest;
  let limit = Math.sqrt(nearest);
  let ax = firstX;
  let ay = firstY;
  for (let i = 1; i <= count; i++) {
    const bx = i === count ? firstX : ax + steps[i * 2]!;
    const by = i === count ? firstY : ay + steps[i * 2 + 1]!;
    // Most edges are farther away than one before, or beyond one side of the box.
    let here = isBeyond(ax, bx, limit) || isBeyond(ay, by, limit) ? Infinity : squaredToSegment(ax, ay, bx, by);
    if (here < squared) {
      if (!isInside(ax, ay, box) || !isInside(bx, by, box)) here = squaredToPart(ax, ay, bx, by, box);
      if (here < squared) {
        squared = here;
        limit = Math.sqrt(here);
      }
    }
    ax = bx;
    ay = by;
  }
  return squared;
}

/** Whether two numbers are both on the same side of zero and at least so far from it. */
function isBeyond(a: number, b: number, limit: number): boolean {
  return a > 0 ? a >= limit && b >= limit : a <= -limit && b <= -limit;
}

function isInside(x: number, y: number, { minX, minY, maxX, maxY }: Box): boolean {
  return x >= minX && x <= maxX && y >= minY && y <= maxY;
}

/** Returns the squared distance from the origin to the part of a segment in a box. */
function squaredToPart(ax: number, ay: number, bx: number, by: number, box: Box): number {
  const inside = spanInside(ax, ay, bx, by, box);
  if (!inside) return Infinity;
  const [from, to] = inside;
  const dx = bx - ax;
  const dy = by - ay;
  return squaredToSegment(ax + from * dx, ay + from * dy, ax + to * dx, ay + to * dy);
}

/**
 * Returns how far around its square a leaf holds a data set of which it keeps only the nearest features (`farthestNearest` of the build): no
 * point of the square has its nearest vertex farther away. Reads the entries of the data set.
 */
function nearestReach(
  cursor: ByteReader,
  { entries, set, size, most }: { entries: number; set: number; size: number; most: number },
): number {
  const half = size / 2;
  let least = most * most;
  for (let left = entries; left > 0; left--) {
    const tag = cursor.varint();
    if (tag >>> 2 !== set) break;
    cursor.varint();
    cursor.varint();
    const kind = tag & 3;
    if (kind === entryKind.full) least = 0;
    for (let parts = kind === entryKind.full ? 0 : cursor.varint(); parts > 0; parts--) {
      const count = cursor.varint();
      least = leastFarthest(stepsOf(cursor, count), { count, half }, least);
    }
  }
  return Math.sqrt(least);
}

/** Returns the lesser of `least` and the squares of how far each vertex is from the farthest corner of a square. */
function leastFarthest(
  steps: Float64Array,
  { count, half }: { readonly count: number; readonly half: number },
  least: number,
): number {
  let found = least;
  let x = -half;
  let y = -half;
  for (let i = 0; i < count; i++) {
    x += steps[i * 2]!;
    y += steps[i * 2 + 1]!;
    const dx = Math.abs(x) + half;
    const dy = Math.abs(y) + half;
    if (dx * dx + dy * dy < found) found = dx * dx + dy * dy;
  }
  return found;
}
