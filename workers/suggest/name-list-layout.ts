/** How the sorted list of street names is laid out in bytes (`name-list.ts` reads it). */

/** Number of this layout. A program refuses a list of another one. */
export const FORMAT = 1;

/** A street of one municipality under one of its keys, as the gazetteer stores it. */
export interface NamedStreet {
  readonly key: string;
  readonly type: string | null;
  readonly direction: string | null;
  readonly csd: number;
  readonly mail: number;
  /** Register rows of the street: more people look for a longer street. */
  readonly rows: number;
}

/** Streets with the most register rows, for texts that do not yet begin a street. */
const MOST_COMMON = 1000;

/** Numbers of 32 bits before the first part. */
export const HEADER_WORDS = 6;

/**
 * Lays out the list.
 * @param names names with the positions of their streets in `streets`, sorted by `compareNames`; each street's key is
 * one of its names.
 */
export function encodeNames(
  streets: readonly NamedStreet[],
  names: readonly { readonly name: Buffer; readonly street: number }[],
): Buffer {
  const types = distinct(streets.map(({ type }) => type));
  const directions = distinct(streets.map(({ direction }) => direction));
  const common = commonNames(streets, names);
  const words = Buffer.from(JSON.stringify({ types, directions }));
  const ends: number[] = [];
  let textBytes = 0;
  for (const { name } of names) ends.push((textBytes += name.length));
  return Buffer.concat([
    uint32([FORMAT, streets.length, names.length, textBytes, common.length, words.length]),
    uint32(streets.map(({ rows }) => rows)),
    uint32(keyPositions(streets, names)),
    uint32([0, ...ends]),
    uint32(names.map(({ street }) => street)),
    uint32(common),
    padded(bytesOf(new Uint16Array(streets.map(({ mail }) => mail)))),
    padded(bytesOf(new Uint16Array(streets.map(({ csd }) => csd)))),
    padded(bytesOf(new Uint8Array(streets.map(({ type }) => types.indexOf(type))))),
    padded(bytesOf(new Uint8Array(streets.map(({ direction }) => directions.indexOf(direction))))),
    padded(Buffer.concat(names.map(({ name }) => name))),
    words,
  ]);
}

/** Orders names as the list has them. */
export function compareNames(a: Buffer, b: Buffer): number {
  return Buffer.compare(a, b);
}

function distinct(values: readonly (string | null)[]): (string | null)[] {
  return [...new Set([null, ...values])];
}

function keyPositions(
  streets: readonly NamedStreet[],
  names: readonly { readonly name: Buffer; readonly street: number }[],
): number[] {
  const positions = streets.map(() => 0);
  for (const [at, { name, street }] of names.entries()) {
    if (name.toString() === streets[street]!.key) positions[street] = at;
  }
  return positions;
}

/** One position for each of the streets with the most rows, most rows first. */
function commonNames(streets: readonly NamedStreet[], names: readonly { readonly street: number }[]): number[] {
  const first = new Map<number, number>();
  for (const [at, { street }] of names.entries()) if (!first.has(street)) first.set(street, at);
  const byRows = [...streets.keys()].sort((a, b) => streets[b]!.rows - streets[a]!.rows);
  return byRows.slice(0, MOST_COMMON).map((street) => first.get(street)!);
}

function uint32(values: readonly number[]): Buffer {
  return bytesOf(new Uint32Array(values));
}

function bytesOf(values: Uint8Array | Uint16Array | Uint32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

/** Every part begins at a multiple of four bytes, as numbers of 32 bits must. */
function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}
