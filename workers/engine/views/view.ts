import type { Attributes } from '../../geopackage/attribute.ts';

/** A feature at or near the requested point. */
export interface Hit {
  /** Row id of the feature table: the order of the source. */
  readonly id: number;
  /** Ground metres from the point; 0 inside a polygon or on any geometry. */
  readonly distanceM: number;
  readonly attributes: Attributes;
}

/** A hit with the distance to the feature's nearest edge, also from inside, in ground metres. */
export interface EdgeHit extends Hit {
  readonly edgeDistanceM: number;
}

/** All data that the answers need about one place. Both read paths provide it. */
export interface PlaceView {
  /** Says whether the snapshot contains the data set. */
  has(dataSet: string): boolean;
  /** Features within `radiusM` ground metres, nearest first, then by id, so that ties have one deterministic winner. */
  near(dataSet: string, radiusM: number): readonly Hit[];
  /**
   * Does the same as `near`, with the distance to each feature's edge; for evidence, not for answers. The index answers up to `EDGE_SEARCH_M` beyond
   * the reach of the data set; beyond that, the slow reference path does.
   */
  edges(dataSet: string, radiusM: number): readonly EdgeHit[];
  /**
   * Does the same as `edges` for every feature with all its attributes, also where the index keeps the nearest alone: it reads the feature table, which
   * takes a hundred times as long.
   */
  all(dataSet: string, radiusM: number): readonly EdgeHit[];
  /**
   * Says whether finding nothing means "no" here: the coverage includes the place, and its edge is at least `withinM`
   * ground metres away. Always false with coverage `features`.
   */
  covers(dataSet: string, withinM: number): boolean;
  /**
   * Returns ground metres to the edge of the coverage; Infinity beyond `radiusM`, and when the coverage is everywhere
   * or nowhere.
   */
  coverageEdgeM(dataSet: string, radiusM: number): number;
}
