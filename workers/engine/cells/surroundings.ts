/** Puts together what the leaves around a point know of the features near it, also of their edges. */
import { grow, type Box } from '../../geometry/box.ts';
import { ByteReader } from '../../geopackage/bytes.ts';
import { entryKind, UNITS_PER_METRE } from './format.ts';
import type { LeafPlace } from './find-leaf.ts';
import { entriesAgain, entriesOf, geometryDistance, skipGeometry, type LeafHit } from './leaf-reader.ts';
import { edgeDistanceWithin, nearestReach } from './own-edges.ts';

/** A feature near the point, with distances in centimetres of the projection. */
export interface NearHit extends LeafHit {
  /** The way to the nearest edge, also from inside a polygon; Infinity when none of its edges is near. */
  edge: number;
  distance: number;
  /** The leaf that `valuesRef` belongs to. */
  readonly bytes: Buffer;
}

/** A leaf near the point. */
export interface ReadLeaf {
  readonly place: LeafPlace;
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

/** Features near a point. */
export interface Surroundings {
  /** Returns those of a data set, given by its index, nearest first. */
  hits(set: number): readonly NearHit[];
}

/**
 * Returns the features of leaves with their distances from a point, by data set. The leaves must hold all squares within a distance of the
 * point. Then every edge within that distance is known, and every feature within that distance and the reach of its data
 * set: a leaf on the straight way to it holds it. Where leaves hold only the nearest features, the nearest is among them.
 */
export function surroundings(
  leaves: readonly ReadLeaf[],
  { x, y, home, sets }: Place,
  reachOf: (set: number) => SetReach,
): Surroundings {
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

function noteLeaf(features: NearFeatures, { place, bytes }: ReadLeaf, { x, y, sets, known, reachOf }: Noted): void {
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
class NearFeatures implements Surroundings {
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
