/** Puts together what the leaves around a point know of the features near it, also of their edges. */
import { grow, type Box } from '../../geopackage/box.ts';
import { ByteReader } from '../../geopackage/bytes.ts';
import { entryKind, UNITS_PER_METRE } from './format.ts';
import type { LeafPlace } from './find-leaf.ts';
import { entriesOf, geometryDistance, type LeafHit } from './leaf-reader.ts';
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
  for (const leaf of leaves) {
    const size = leaf.size * UNITS_PER_METRE;
    const [dx, dy] = [(x - leaf.x) * UNITS_PER_METRE, (y - leaf.y) * UNITS_PER_METRE];
    const square = { minX: -dx, minY: -dy, maxX: size - dx, maxY: size - dy };
    const cursor = entriesOf(leaf.bytes);
    // Only polygons need it: clipping adds edges to nothing else.
    const reachOf = (set: number): number => {
      const { reach: most, nearestOnly } = reaches[set]!;
      if (!nearestOnly) return most;
      return nearestReach(new ByteReader(leaf.bytes, setStart), { entries: entriesOfSet, set, size, most });
    };
    let [lastSet, setStart, entriesOfSet] = [-1, 0, 0];
    let box: Box | null = null;
    for (let entries = cursor.varint(); entries > 0; entries--) {
      const start = cursor.at;
      const tag = cursor.varint();
      const [set, kind] = [tag >>> 2, tag & 3];
      if (set !== lastSet) [lastSet, setStart, entriesOfSet, box] = [set, start, entries, null];
      const [fid, valuesRef] = [cursor.varint(), cursor.varint()];
      if (kind === entryKind.full) continue;
      const edge =
        kind === entryKind.polygon
          ? edgeDistanceWithin(cursor, dx, dy, (box ??= grow(square, reachOf(set))))
          : geometryDistance(cursor, kind, dx, dy);
      if (edge < Infinity) features.note({ set, fid, valuesRef, edge, distance: edge, bytes: leaf.bytes });
    }
  }
  return features;
}

/** Features by data set and id, each with its least distance. */
class NearFeatures implements Surroundings {
  readonly #sets: (Map<number, NearHit> | undefined)[] = [];
  readonly #sorted: (readonly NearHit[] | undefined)[] = [];

  add(hit: NearHit): void {
    (this.#sets[hit.set] ??= new Map()).set(hit.fid, hit);
  }

  note(seen: NearHit): void {
    const found = this.#sets[seen.set]?.get(seen.fid);
    if (!found) {
      this.add(seen);
      return;
    }
    found.edge = Math.min(found.edge, seen.edge);
    found.distance = Math.min(found.distance, seen.edge);
  }

  hits(set: number): readonly NearHit[] {
    return (this.#sorted[set] ??= [...(this.#sets[set]?.values() ?? [])].sort(nearestFirst));
  }
}

function nearestFirst(a: NearHit, b: NearHit): number {
  return a.distance - b.distance || a.fid - b.fid;
}
