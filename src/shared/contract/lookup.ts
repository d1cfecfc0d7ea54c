import type { Geocode } from '../wire/geocode.ts';

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
