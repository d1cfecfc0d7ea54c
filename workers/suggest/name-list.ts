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
const HEADER_WORDS = 6;

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

/** Positions in the list from `from` up to, but without, `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The sorted list of street names, read without copying it. */
export class NameList {
  readonly count: number;
  readonly streetCount: number;
  /** By street. */
  readonly rows: Uint32Array;
  readonly mail: Uint16Array;
  readonly csd: Uint16Array;
  /** Index in `types` and `directions`. */
  readonly type: Uint8Array;
  readonly direction: Uint8Array;
  /** By position: the street that has the name. */
  readonly street: Uint32Array;
  /** A position for each of the streets with the most rows. */
  readonly common: Uint32Array;
  readonly types: readonly (string | null)[];
  readonly directions: readonly (string | null)[];
  readonly #keyAt: Uint32Array;
  readonly #textAt: Uint32Array;
  readonly #text: Buffer;

  /** @throws Error when the bytes have another layout. */
  constructor(bytes: ArrayBufferLike) {
    const [format, streets = 0, names = 0, textBytes = 0, common = 0, wordBytes = 0] = new Uint32Array(
      bytes,
      0,
      HEADER_WORDS,
    );
    if (format !== FORMAT) throw new Error(`the list of street names has format ${format ?? 0}, not ${FORMAT}`);
    let at = HEADER_WORDS * 4;
    const skip = (length: number): number => {
      const from = at;
      at += (length + 3) & ~3;
      return from;
    };
    const words = (length: number): Uint32Array => new Uint32Array(bytes, skip(length * 4), length);
    [this.streetCount, this.count] = [streets, names];
    this.rows = words(streets);
    this.#keyAt = words(streets);
    this.#textAt = words(names + 1);
    this.street = words(names);
    this.common = words(common);
    this.mail = new Uint16Array(bytes, skip(streets * 2), streets);
    this.csd = new Uint16Array(bytes, skip(streets * 2), streets);
    this.type = new Uint8Array(bytes, skip(streets), streets);
    this.direction = new Uint8Array(bytes, skip(streets), streets);
    this.#text = Buffer.from(bytes, skip(textBytes), textBytes);
    const vocabulary = JSON.parse(Buffer.from(bytes, at, wordBytes).toString()) as Pick<
      NameList,
      'types' | 'directions'
    >;
    this.types = vocabulary.types;
    this.directions = vocabulary.directions;
  }

  /** The key under which the gazetteer stores a street. */
  keyOf(street: number): string {
    const at = this.#keyAt[street]!;
    return this.#text.toString('utf8', this.#textAt[at], this.#textAt[at + 1]);
  }

  /** Returns the names that begin with a text. */
  beginningWith(text: Buffer): Range {
    return this.within({ from: 0, to: this.count }, 0, text);
  }

  /** Returns the names that are a text. */
  equalTo(text: Buffer): Range {
    const { from, to } = this.beginningWith(text);
    // A name comes before those that begin with it.
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#lengthOf(middle) === text.length) low = middle + 1;
      else high = middle;
    }
    return { from, to: low };
  }

  /** Returns those names of a range that go on with a text after `depth` bytes that they all share. */
  within(range: Range, depth: number, text: Buffer): Range {
    const from = this.#firstNotBelow(range, depth, text, 0);
    return { from, to: this.#firstNotBelow({ from, to: range.to }, depth, text, 1) };
  }

  /** Yields the parts of a range by their next byte after `depth` bytes that all its names share. */
  *children(range: Range, depth: number): Generator<{ readonly byte: number; readonly part: Range }> {
    let { from } = range;
    while (from < range.to) {
      const byte = this.#text[this.#textAt[from]! + depth];
      if (byte === undefined || this.#lengthOf(from) <= depth) {
        from = this.#firstLonger({ from, to: range.to }, depth);
        continue;
      }
      const part = this.within({ from, to: range.to }, depth, Buffer.of(byte));
      yield { byte, part };
      from = part.to;
    }
  }

  #firstLonger({ from, to }: Range, length: number): number {
    let at = from;
    while (at < to && this.#lengthOf(at) <= length) at++;
    return at;
  }

  #lengthOf(at: number): number {
    return this.#textAt[at + 1]! - this.#textAt[at]!;
  }

  /** @param equalIs 0: names that begin so are not below; 1: they are. */
  #firstNotBelow({ from, to }: Range, depth: number, text: Buffer, equalIs: 0 | 1): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(middle, depth, text) < equalIs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Below 0: the name comes before all that go on with the text; 0: it does. */
  #compare(at: number, depth: number, text: Buffer): number {
    const from = this.#textAt[at]! + depth;
    const length = this.#textAt[at + 1]! - from;
    const shared = Math.min(length, text.length);
    for (let i = 0; i < shared; i++) {
      const difference = this.#text[from + i]! - text[i]!;
      if (difference !== 0) return difference;
    }
    return length < text.length ? -1 : 0;
  }
}
