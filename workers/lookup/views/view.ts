import type { Attributes } from '../../geopackage/attribute.ts';

/** A feature at or near the point that is asked about. */
export interface Hit {
  /** Row id of the feature table: the order of the source. */
  readonly id: number;
  /** Ground metres from the point; 0 inside a polygon or on any geometry. */
  readonly distanceM: number;
  readonly attributes: Attributes;
}

/** A hit with the way to the feature's nearest edge, from inside too, in ground metres. */
export interface EdgeHit extends Hit {
  readonly edgeDistanceM: number;
}

/** Everything that the answers need to know of one place. Both read paths give it. */
export interface PlaceView {
  /** Whether the snapshot holds the data set. */
  has(dataSet: string): boolean;
  /** Features within `radiusM` ground metres, nearest first, then by id, so that ties have one deterministic winner. */
  near(dataSet: string, radiusM: number): readonly Hit[];
  /** As `near`, with the way to each feature's edge; for evidence, not for answers. */
  edges(dataSet: string, radiusM: number): readonly EdgeHit[];
  /**
   * Whether "nothing found" means "no" here: the place lies in the area that the data set knows, and no edge of it is nearer than
   * `withinM` ground metres. With coverage `features` it never does.
   */
  covers(dataSet: string, withinM: number): boolean;
  /** Ground metres to where the area ends that the data set knows; Infinity beyond `radiusM`, and where that is everywhere or nowhere. */
  coverageEdgeM(dataSet: string, radiusM: number): number;
}
