import type { Part } from '../geometry/ring.ts';
import type { Attributes } from '../geopackage/attribute.ts';

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
