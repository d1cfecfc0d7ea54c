/** Puts together what the leaves around a point know of the features near it, also of their edges. */
import { grow, type Box } from '../../geopackage/box.ts';
import { ByteReader } from '../../geopackage/bytes.ts';
import { entryKind, UNITS_PER_METRE } from './format.ts';
import type { LeafPlace } from './find-leaf.ts';
import { entriesAgain, entriesOf, geometryDistance, type LeafHit } from './leaf-reader.ts';
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
export interface ReadLeaf extends LeafPlace {
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
  { x, y, home }: Place,
  reaches: readonly SetReach[],
): Surroundings {
  const features = new NearFeatures();
  // A polygon around the point without an edge near by is in this leaf alone.
  for (const { set, fid, valuesRef, distance } of home?.hits ?? []) {
    if (distance === 0) features.add({ set, fid, valuesRef, distance, edge: Infinity, bytes: home!.bytes });
  }
  for (const leaf of leaves) noteLeaf(features, leaf, { x, y, isChecked: leaf.bytes === home?.bytes, reaches });
  return features;
}

interface Noted extends Pick<Place, 'x' | 'y'> {
  /** The bytes were read before. */
  readonly isChecked: boolean;
  readonly reaches: readonly SetReach[];
}

function noteLeaf(features: NearFeatures, leaf: ReadLeaf, { x, y, isChecked, reaches }: Noted): void {
  const size = leaf.size * UNITS_PER_METRE;
  const [dx, dy] = [(x - leaf.x) * UNITS_PER_METRE, (y - leaf.y) * UNITS_PER_METRE];
  const square = { minX: -dx, minY: -dy, maxX: size - dx, maxY: size - dy };
  const cursor = isChecked ? entriesAgain(leaf.bytes) : entriesOf(leaf.bytes);
  // Only polygons need it: clipping adds edges to nothing else.
  const reachOf = (set: number): number => {
    const { reach, nearestOnly } = reaches[set]!;
    if (!nearestOnly) return reach;
    return nearestReach(new ByteReader(leaf.bytes, setStart), { entries: entriesOfSet, set, size, most: reach });
  };
  let [lastSet, setStart, entriesOfSet] = [-1, 0, 0];
  let box: Box | null = null;
  for (let entries = cursor.varint(); entries > 0; entries--) {
    const start = cursor.at;
    const tag = cursor.varint();
    const set = tag >>> 2;
    const kind = tag & 3;
    if (set !== lastSet) {
      lastSet = set;
      setStart = start;
      entriesOfSet = entries;
      box = null;
    }
    const fid = cursor.varint();
    const valuesRef = cursor.varint();
    if (kind === entryKind.full) continue;
    const { most } = reaches[set]!;
    const edge =
      kind === entryKind.polygon
        ? edgeDistanceWithin(cursor, { x: dx, y: dy, most }, (box ??= grow(square, reachOf(set))))
        : geometryDistance(cursor, kind, dx, dy);
    if (edge < most) features.note({ set, fid, valuesRef, bytes: leaf.bytes }, edge);
  }
}

/** Features by data set and id, each with its least distance. */
class NearFeatures implements Surroundings {
  readonly #sets: (Map<number, NearHit> | undefined)[] = [];
  readonly #sorted: (readonly NearHit[] | undefined)[] = [];

  add(hit: NearHit): void {
    (this.#sets[hit.set] ??= new Map()).set(hit.fid, hit);
  }

  note(seen: Pick<NearHit, 'set' | 'fid' | 'valuesRef' | 'bytes'>, edge: number): void {
    const found = this.#sets[seen.set]?.get(seen.fid);
    if (!found) {
      this.add({ ...seen, edge, distance: edge });
      return;
    }
    found.edge = Math.min(found.edge, edge);
    found.distance = Math.min(found.distance, edge);
  }

  hits(set: number): readonly NearHit[] {
    return (this.#sorted[set] ??= [...(this.#sets[set]?.values() ?? [])].sort(nearestFirst));
  }
}

function nearestFirst(a: NearHit, b: NearHit): number {
  return a.distance - b.distance || a.fid - b.fid;
}
