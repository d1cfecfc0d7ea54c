import type Gdal from 'gdal-async';
import type { StoredGeometry } from '../../geopackage/gpkg-geometry.ts';
import { grouped } from '../../../src/words.ts';
import type { HeldArea } from './held-areas.ts';
import { contains, placeIn, polygonsOf, squareMetres, storedPolygons, unionOf } from './polygons.ts';

/** Largest growth without proof, as a share of the area before: borders are drawn anew, and a stream on the border is in both areas. */
const MOST_GROWTH = 0.01;

export interface Known {
  /** The area that the part holds; null for a part that holds none. */
  readonly own: readonly StoredGeometry[] | null;
  /** Areas that other parts of the data set hold, or held before. */
  readonly others: readonly HeldArea[];
  /** Places inside the part's features, longitude first, at which its service has answered so. */
  readonly inside: readonly (readonly [lon: number, lat: number])[];
}

export interface Proof {
  /** The area in which the part may say "no". */
  readonly polygons: readonly StoredGeometry[];
  /** How much of what it claims is not proved, as the end of a sentence; null when all is. */
  readonly unproved: string | null;
}

/**
 * Says how much of the area that a part claims is proved. Land that it did not hold is, where a place that is known to be inside its features lies
 * in the same piece of it: only such a place shows that the service maps this land, because a service that does not finds nothing there,
 * either. What other parts hold is a piece by itself, and needs a place of its own. Without proof the area is what the part held
 * before and still claims.
 */
export function proveGrowth(now: readonly StoredGeometry[], { own, others, inside }: Known): Proof {
  const claimed = unionOf(now);
  const before = own === null ? null : unionOf(own);
  const added = before === null ? claimed : claimed.difference(before);
  const baseM2 = squareMetres(before ?? claimed);
  if (before !== null && squareMetres(added) <= MOST_GROWTH * baseM2) return { polygons: now, unproved: null };
  const pieces = piecesOf(added, others, before !== null);
  const unproved = pieces.filter((piece) => !inside.some((place) => contains(piece, place)));
  const unprovedM2 = unproved.reduce((sum, piece) => sum + squareMetres(piece), 0);
  if (unprovedM2 <= MOST_GROWTH * baseM2) return { polygons: now, unproved: null };
  return {
    polygons: before === null ? [] : storedPolygons(claimed.intersection(before)),
    unproved: describe(unproved, { unprovedM2, beforeM2: before === null ? null : baseM2 }),
  };
}

/**
 * Splits land by who held it. The first area of a part may lie in several pieces, such as islands, of which one place is enough; of an area that grows,
 * each piece that stands alone is new.
 */
function piecesOf(added: Gdal.Geometry, others: readonly HeldArea[], isGrowth: boolean): readonly Gdal.Geometry[] {
  const pieces: Gdal.Geometry[] = [];
  let rest = added;
  for (const { polygons } of others) {
    const other = unionOf(polygons);
    pieces.push(rest.intersection(other));
    rest = rest.difference(other);
  }
  return [...pieces, rest].flatMap((piece) => (isGrowth ? polygonsOf(piece) : [piece]));
}

function describe(
  unproved: readonly Gdal.Geometry[],
  { unprovedM2, beforeM2 }: { readonly unprovedM2: number; readonly beforeM2: number | null },
): string {
  const largest = unproved.flatMap(polygonsOf).reduce((best, one) => (one.getArea() > best.getArea() ? one : best));
  const size = `${grouped(Math.round(unprovedM2 / 1e6))} km²`;
  const what = beforeM2 === null ? `has ${size}` : `is ${size} (${percent(unprovedM2 / beforeM2)}) larger than before,`;
  return `${what} in which no control point is inside the features, such as around ${placeIn(largest)}`;
}

function percent(share: number): string {
  return `${grouped(Math.max(1, Math.round(share * 100)))} %`;
}
