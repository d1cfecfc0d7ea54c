import type { Geocode, AddressComponents } from './wire/geocode.ts';
import type { RefusalReason } from './reasons.ts';

/** Plain degrees, WGS84. */
export interface Coordinate {
  readonly lat: number;
  readonly lon: number;
}

/** Polygons of rings, the outer one first: longitude and latitude in turns, without the last position, which repeats the first. */
export type AreaPolygons = readonly (readonly (readonly number[])[])[];

/** Requested detail of an answer. */
export interface LookupDetail {
  /** `detail=full`. */
  readonly full: boolean;
  /** `geometry=`, with `full` only. */
  readonly geometry?: 'near' | 'map';
  /** Keys of further answers, in the order of the catalogue; absent when none is asked for. */
  readonly further?: readonly string[];
  /**
   * What is asked of features that add members to the answer, by their names: plain data that only the feature reads, equal for requests that ask the same.
   * Absent when nothing is.
   */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Under which it is billed, where members are asked for. */
  readonly lookupId?: string;
  /** The feature that writes the body in place of the answers, by its name. */
  readonly writer?: string;
}

/** A snapshot that was checked and may be opened. */
export interface PreparedSnapshot {
  /** Its folder. */
  readonly dir: string;
  /** Inner nodes of the tree of cells, shared by all threads; null when the snapshot has none. */
  readonly cellDirectory: SharedArrayBuffer | null;
  /** What features of the threads share, by their names; null where the snapshot has none of it. */
  readonly shared: Readonly<Record<string, SharedArrayBuffer | null>>;
}

/** A snapshot that a pool serves. The number counts the pool's openings, because a folder may be repaired in place. */
export interface PoolSnapshot extends PreparedSnapshot {
  readonly opening: number;
}

/** Task from the main thread to a lookup thread; lookups name the snapshot that must answer them. */
export type ThreadTask =
  | { readonly kind: 'prepare'; readonly snapshotDir: string; readonly verify: boolean }
  | {
      readonly kind: 'lookups';
      readonly snapshot: PoolSnapshot;
      readonly lookups: readonly TimedLookup[];
      /** The answers have `bytes` in place of `json`. */
      readonly asBytes: boolean;
      /** The thread says here which of the lookups it is at. */
      readonly progress: MessageProgress;
    }
  /** Closes the files. */
  | { readonly kind: 'close' };

export interface TimedLookup {
  readonly task: LookupTask;
  /** `process.hrtime.bigint()`, the same clock in all threads, from which on nobody waits for the answer; null: for ever. */
  readonly deadline: bigint | null;
}

/** A lookup, or what makes a thread ready for lookups. */
export type LookupTask =
  | ({
      readonly kind: 'address';
      readonly address: string;
      /** Header for remote geocoders, which makes their request part of the caller's trace. */
      readonly traceParent?: string;
    } & LookupDetail)
  | ({
      readonly kind: 'point';
      /** Largest error of the place in metres; 0 when absent. */
      readonly uncertaintyM?: number;
    } & Coordinate &
      LookupDetail)
  | {
      readonly kind: 'area';
      readonly polygons: AreaPolygons;
      /** False when a ring did not end where it begins. */
      readonly isClosed: boolean;
      readonly geometry?: 'map';
      readonly full?: boolean;
      readonly further?: LookupDetail['further'];
      readonly members?: LookupDetail['members'];
      readonly lookupId?: string;
    }
  /** An address that another geocoder has resolved. */
  | ({ readonly kind: 'place'; readonly geocode: Geocode; readonly geocodeMs: number } & LookupDetail)
  /** Completes what someone types. */
  | { readonly kind: 'suggest'; readonly text: string; readonly limit: number }
  /** Reads every table, then compiles the code by lookups for so long. */
  | { readonly kind: 'warm-up'; readonly forMs: number };

/** An area as its geometry says. */
export type AskedArea = Pick<Extract<LookupTask, { readonly kind: 'area' }>, 'polygons' | 'isClosed'>;

/** Reads an object whose member `geometry` is that of an area; errors call it `noun`. @throws AppError BAD_REQUEST that names the error. */
export type ReadArea = (body: unknown, noun?: string) => AskedArea;

/** A lookup that a client can ask for. */
export type AskedTask = Extract<LookupTask, { readonly kind: 'address' | 'point' | 'area' }>;

/** Result of a lookup worker: finished JSON text, and data for the log and the metrics. */
export interface LookupAnswer {
  /** The whole response body. */
  readonly json: string;
  /** The same as UTF-8 for rows of batches, whose `json` is empty. */
  readonly bytes?: Uint8Array;
  /** Id of the snapshot that answered; suggestions have none. */
  readonly vintage?: string;
  /** Time in the thread for the address, or for suggestions. */
  readonly geocodeMs: number;
  readonly layersMs: number;
}

/**
 * How far a thread is with a message of lookups: the number of the lookup that it is at, from 1, and its own id. In shared memory, because a thread that
 * hangs says nothing any more.
 */
export type MessageProgress = Int32Array<SharedArrayBuffer>;

export function newProgress(): MessageProgress {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** Says that a thread begins a lookup; 0: none. */
export function noteLookup(progress: MessageProgress, number: number, threadId: number): void {
  Atomics.store(progress, 1, threadId);
  Atomics.store(progress, 0, number);
}

export function lookupOf(progress: MessageProgress): { readonly number: number; readonly threadId: number } {
  return { number: Atomics.load(progress, 0), threadId: Atomics.load(progress, 1) };
}

/** Timed stages of a lookup; "queue" is the wait for a thread and the time to the thread and back. */
export const stages = ['auth', 'quota', 'queue', 'geocode', 'suggest', 'layers', 'journal'] as const;

/** Milliseconds of the stages that a request went through. */
export type StageTimes = Partial<Record<`${(typeof stages)[number]}Ms`, number>>;

// Plain decimals only: Number() would also accept '0x10', '1e400' and 'Infinity'.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** Reads decimal degrees, latitude first; null when either is not a valid number. */
export function parseCoordinate(latText: string, lonText: string): Coordinate | null {
  const lat = degrees(latText, 90);
  const lon = degrees(lonText, 180);
  return lat === null || lon === null ? null : { lat, lon };
}

function degrees(text: string, limit: number): number | null {
  const trimmed = text.trim();
  const value = DECIMAL.test(trimmed) ? Number(trimmed) : NaN;
  return Math.abs(value) <= limit ? value : null;
}

/** Says whether a place is in the box around Ontario, give or take a degree. With the two exchanged, it tells whether a client has exchanged them. */
export function isInOntarioBox(lon: number, lat: number): boolean {
  return lon >= -96 && lon <= -74 && lat >= 41 && lat <= 57;
}

/** Why an address was refused. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
  /** Up to 5 canonical addresses. */
  readonly suggestions: readonly string[];
}

export type GeocodeResult = { readonly found: Geocode } | { readonly refused: Refusal };

/**
 * The civic address nearest to a place, with metres on the ground. `absent`: the register has none within 100 m.
 * `unavailable`: nobody knows, because the register was imported without its addresses by place.
 */
export type NearestAddress =
  | {
      readonly state: 'present';
      readonly address: string;
      readonly distanceM: number;
      readonly accuracy: 'building' | 'blockface';
      readonly components: AddressComponents;
    }
  | { readonly state: 'absent' | 'unavailable' };

/** A completion of what someone types. An address has its place. */
export interface Suggestion extends Partial<Coordinate> {
  readonly kind: 'address' | 'street' | 'municipality';
  readonly text: string;
}

/**
 * Metres beyond an answer's own reach within which edges are searched for the evidence; more than the uncertainty of any accuracy
 * class.
 */
export const EDGE_SEARCH_M = 250;
