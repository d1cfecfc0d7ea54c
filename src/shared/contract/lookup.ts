import type { Geocode } from './geocode.ts';

/** Plain degrees, WGS84. */
export interface Coordinate {
  readonly lat: number;
  readonly lon: number;
}

/** How much of an answer is wanted. */
export interface LookupDetail {
  /** `detail=full`. */
  readonly full: boolean;
  /** `geometry=near`, with `full` only. */
  readonly geometry?: 'near';
}

/** A snapshot that was looked at, and may be opened. */
export interface PreparedSnapshot {
  /** Its folder. */
  readonly dir: string;
  /** Inner nodes of the cell index, shared by all threads; null when the snapshot has none. */
  readonly cellDirectory: SharedArrayBuffer | null;
}

/** A snapshot that a pool serves. The number counts what the pool has opened: a folder may be mended in place. */
export interface PoolSnapshot extends PreparedSnapshot {
  readonly opening: number;
}

/** What crosses from the main thread to a lookup thread; each lookup says which snapshot it is to be answered from. */
export type ThreadTask =
  | { readonly kind: 'prepare'; readonly snapshotDir: string; readonly verify: boolean }
  | { readonly kind: 'lookup'; readonly snapshot: PoolSnapshot; readonly task: LookupTask }
  /** Lets go of the files. */
  | { readonly kind: 'close' };

/** A lookup, or what makes a thread ready for lookups. */
export type LookupTask =
  | ({
      readonly kind: 'address';
      readonly address: string;
      /** For geocoders elsewhere: the header by which they join the caller's trace. */
      readonly traceParent?: string;
    } & LookupDetail)
  | ({ readonly kind: 'point' } & Coordinate & LookupDetail)
  /** An address that another geocoder has resolved. */
  | ({ readonly kind: 'place'; readonly geocode: Geocode; readonly geocodeMs: number } & LookupDetail)
  | { readonly kind: 'warm-up' };

/** What a lookup worker gives back: finished JSON text, and what the log and the metrics need. */
export interface LookupAnswer {
  /** The whole response body. */
  readonly json: string;
  readonly geocodeMs: number;
  readonly layersMs: number;
}

/** What is known of one layer at a point. Only `absent` may be read as "no". */
export type LayerState = 'present' | 'absent' | 'no_coverage' | 'unavailable';

export type LayerValue = boolean | string | null | Readonly<Record<string, string | number | null>>;

/** The full detail of one layer's answer (`?detail=full`). */
export interface LayerEvidence {
  readonly state: LayerState;
  /** Metres from the point to the nearest feature that was considered: 0 inside, null when none is near. */
  readonly distanceM: number | null;
  /** Metres to the nearest edge (feature, band, area that is known) at which the answer could change; null when farther than the search reaches. */
  readonly boundaryDistanceM: number | null;
  /** True when the geocode's uncertainty reaches that edge. */
  readonly nearBoundary: boolean;
  /** Data sets that were asked, by id. */
  readonly dataSets: readonly string[];
  /** Who mapped the feature that decides the answer, and how; only for layers whose definition names such attributes, null when nothing was found. */
  readonly feature?: Readonly<Record<string, string | number | null>> | null;
}

export interface LookupBody {
  readonly address: string | null;
  readonly lat: number;
  readonly lon: number;
  readonly layers: Readonly<Record<string, LayerValue>>;
  /** Data set id -> YYYY-MM-DD. */
  readonly dataAsOf: Readonly<Record<string, string>>;
}

/** GeoJSON of what was found and what lies near by (`geometry=near`), clipped and bounded: for a map, not for measuring. */
export interface NearGeometry {
  readonly type: 'FeatureCollection';
  /** Features are clipped to this distance from the place. */
  readonly radiusM: number;
  /** True when features were left out to keep the answer small. */
  readonly truncated: boolean;
  readonly features: readonly NearFeature[];
}

export interface NearFeature {
  readonly type: 'Feature';
  readonly properties: {
    readonly dataSet: string;
    /** A name or value to show. */
    readonly label: string | null;
    /** Ground metres from the place; 0 inside. */
    readonly distanceM: number;
  };
  /** Longitude, latitude in degrees. */
  readonly geometry: {
    readonly type: 'Point' | 'MultiPoint' | 'LineString' | 'MultiLineString' | 'Polygon' | 'MultiPolygon';
    readonly coordinates: readonly unknown[];
  };
}

export interface FullLookupBody extends LookupBody {
  readonly geocode: Geocode | null;
  readonly evidence: Readonly<Record<string, LayerEvidence>>;
  readonly snapshot: { readonly id: string; readonly createdAt: string; readonly sample: boolean };
  /** Only with `geometry=near`. */
  readonly geometry?: NearGeometry;
}
