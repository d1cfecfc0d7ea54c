import type { Coordinate } from '../../../src/messages/lookup.ts';

/**
 * The gazetteer's tables in the snapshot's GeoPackage. Each has a `fid` and one `data` column, because a lookup reads
 * single rows by their id. The id is a hash of the search key, or is computed from small numbers.
 */
export const tables = {
  /** One row of JSON that every thread keeps in memory (`GazetteerDirectory`). */
  directory: 'gazetteer_directory',
  /** Streets, short ones with their civic points, by hash of street key and census subdivision. */
  streets: 'gazetteer_streets',
  /** Civic points of longer streets, by number. */
  points: 'gazetteer_points',
  /** Unit labels of civic points, by number. */
  units: 'gazetteer_units',
  /** Street key -> municipalities that have such a street, by hash of the key. */
  names: 'gazetteer_names',
  /** Street keys of one census subdivision and one length, for typing errors. */
  spellings: 'gazetteer_spellings',
  /** Civic points with their addresses by square of the ground (`near-grid.ts`). Registers imported earlier lack the table. */
  near: 'gazetteer_near',
  /** One row that all threads of a pool share: every name of every street, sorted (`../suggest/name-list.ts`). */
  prefixes: 'gazetteer_prefixes',
  /** Civic number -> the names in that list whose streets have it (`../suggest/number-row.ts`). */
  numbers: 'gazetteer_numbers',
} as const;

/** Names of the municipalities, and numbers of rows of the tables. It is small for a register of any size. */
export interface GazetteerDirectory {
  readonly normaliser: number;
  /** True when there is a table of civic points by square; absent in registers that were imported without it. */
  readonly near?: true;
  readonly streetRows: number;
  readonly nameRows: number;
  /** Census subdivisions, by index. */
  readonly csds: readonly { readonly code: string; readonly name: string }[];
  /** Mailing municipalities in display case, by index. */
  readonly mails: readonly string[];
  /** Municipality key -> the places that it names. */
  readonly aliases: Readonly<Record<string, readonly AliasTarget[]>>;
  /** By mailing municipality: the squares (`squareOf`) that have an address of it. */
  readonly cells: readonly (readonly number[])[];
  /** First three characters of a postal code -> census subdivisions. */
  readonly postalAreas: Readonly<Record<string, readonly number[]>>;
}

/** A mailing municipality within a census subdivision, or (`mail` null) the whole subdivision. */
export interface AliasTarget {
  readonly csd: number;
  readonly mail: number | null;
  /** True when it comes from the list of former municipalities, not from the register. */
  readonly curated?: true;
}

/** Returns the row of a key among `rows` rows, from 1 (FNV-1a). */
export function rowOf(key: string, rows: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return ((hash >>> 0) % rows) + 1;
}

export function streetRow(key: string, csd: number, rows: number): number {
  return rowOf(`${key}|${csd}`, rows);
}

/** Length of the longest key in `spellings`; longer keys are only matched exactly. */
export const LONGEST_SPELLING = 62;

export function spellingRow(csd: number, length: number): number {
  return csd * (LONGEST_SPELLING + 1) + length;
}

/** Size of a square of the grid in degrees: about 2.2 km each way in southern Ontario. */
const SQUARE_LAT = 0.02;
const SQUARE_LON = 0.028;

/** Squares in a row: more than Ontario is wide. */
const ROW = 1024;
const WEST = -96;

/** Number of the square that holds a point. */
export function squareOf({ lat, lon }: Coordinate): number {
  return Math.floor(lat / SQUARE_LAT) * ROW + Math.floor((lon - WEST) / SQUARE_LON);
}

/** A square and the eight around it. */
export function squaresAround(square: number): number[] {
  return [-ROW, 0, ROW].flatMap((row) => [square + row - 1, square + row, square + row + 1]);
}
