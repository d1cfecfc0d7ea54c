import type { Part, Positions } from '../geometry/path.ts';
import { UNITS_PER_METRE } from '../engine/cells/format.ts';
import type { AreaFeature } from './area-feature.ts';
import type { AreaPiece } from './area-pieces.ts';
import { AreaInBox } from './area-in-box.ts';
import { areaWithin, overlay } from './overlay.ts';
import { partInBox } from './rings.ts';
import { separation } from './separation.ts';

export type Rings = readonly Part[];

/** More than the rounding of a distance. */
const SLACK_M = 0.001;

/** A piece of the area and what of it is in Ontario. */
export class OntarioPiece implements AreaPiece {
  readonly rings: AreaPiece['rings'];
  readonly borders: AreaPiece['borders'];
  readonly box: AreaPiece['box'];
  readonly scale: number;
  readonly features: AreaPiece['features'];
  readonly all: AreaPiece['all'];
  /** Its area in Ontario, square centimetres of the projection. */
  readonly wholeUnits: number;
  /** Its rings, cut once for all answers. */
  readonly inBox: AreaInBox;
  /** Null: none of it is in Ontario. */
  readonly #ontario: readonly Rings[] | null;

  constructor(piece: AreaPiece) {
    ({ rings: this.rings, borders: this.borders, box: this.box, scale: this.scale } = piece);
    this.inBox = AreaInBox.of(this.rings);
    this.features = (table, reachM) => piece.features(table, reachM);
    this.all = (table, reachM) => piece.all(table, reachM);
    this.#ontario = maskOf(piece, piece.features('province', 0));
    this.wholeUnits = this.#ontario ? overlay(this.inBox, [], this.#ontario)[0]! : 0;
  }

  inSquareMetres(units: number): number {
    return units / (UNITS_PER_METRE * this.scale) ** 2;
  }

  /** Returns ground metres to a feature, 0 where they meet; only up to `mostM` is it exact. */
  distanceM(feature: AreaFeature, mostM: number): number {
    const units = UNITS_PER_METRE * this.scale;
    return separation(this, feature, (mostM + SLACK_M) * units) / units;
  }

  /** Lays polygons over the piece (`overlay`), in Ontario. */
  lay(polygons: readonly Rings[]): Float64Array {
    if (polygons.length === 0) return Float64Array.of(this.wholeUnits);
    if (!this.#ontario) return new Float64Array(polygons.length + 1);
    return overlay(this.inBox, polygons, this.#ontario);
  }

  /** Returns the area of what lies in a convex ring, in Ontario and in all of `masks`. Null is an area around the ring. */
  measure(area: AreaInBox | null, convex: Positions, masks: readonly Rings[]): number {
    return this.#ontario ? areaWithin(area, convex, [...this.#ontario, ...masks]) : 0;
  }
}

/** Returns the polygons as one area for the piece: none where they cover all of it, null where they cover nothing. */
export function maskOf({ box }: AreaPiece, polygons: readonly AreaFeature[]): readonly Rings[] | null {
  if (polygons.some(({ kind }) => kind === 'full')) return [];
  const part = partInBox(
    polygons.flatMap(({ parts }) => parts),
    box,
  );
  return part === 'all' ? [] : part === null ? null : [part];
}
