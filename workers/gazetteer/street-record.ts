import { ByteReader, ByteWriter } from './bytes.ts';

/** A street of one municipality, as a row of the gazetteer holds it. */
export interface StreetHead {
  /** Folded name (`StreetParts.key`). */
  readonly key: string;
  /** Index of the census subdivision, and of the mailing municipality. */
  readonly csd: number;
  readonly mail: number;
  /** What a query's type and direction are compared with. */
  readonly type: string | null;
  readonly direction: string | null;
  /** As the register writes them, for the answer. */
  readonly display: { readonly name: string; readonly type: string | null; readonly direction: string | null };
}

/** One known place of a civic number: a building, or one of its entrances or postal codes. */
export interface CivicPoint {
  readonly civic: number;
  readonly suffix: string | null;
  readonly lat: number;
  readonly lon: number;
  /** The point stands for one side of the street between two crossings, not for a building. */
  readonly blockface: boolean;
  /** Contradicted by the neighbours and by the postal code. */
  readonly outlier: boolean;
  readonly postalCode: string | null;
  /** Register rows (units) that it stands for. */
  readonly rows: number;
}

/** A point with its unit labels, as the import writes it. */
export interface CivicPointWithUnits extends CivicPoint {
  readonly units: readonly string[];
}

const POINT_BYTES = 22;
const BLOCKFACE = 1;
const OUTLIER = 2;
const DEGREE = 1_000_000;

/** @param points ordered by civic number, then suffix, then preference: the first of equal ones is the default. */
export function encodeStreet(street: StreetHead, points: readonly CivicPointWithUnits[]): Buffer {
  const suffixes = distinct(points.map((point) => point.suffix));
  const postalCodes = distinct(points.map((point) => point.postalCode));
  const units = new ByteWriter();
  const body = new ByteWriter();
  body.text(street.key);
  body.u16(street.csd);
  body.u16(street.mail);
  const { display } = street;
  for (const text of [street.type, street.direction, display.name, display.type, display.direction])
    body.text(text ?? '');
  body.u8(suffixes.length);
  for (const suffix of suffixes) body.text(suffix);
  body.u16(postalCodes.length);
  for (const code of postalCodes) body.bytes(Buffer.from(code, 'latin1'));
  body.u32(points.length);
  for (const point of points) {
    body.u32(point.civic);
    body.i32(Math.round(point.lat * DEGREE));
    body.i32(Math.round(point.lon * DEGREE));
    body.u32(writeUnits(units, point.units));
    body.u16(postalCodes.indexOf(point.postalCode ?? '') + 1);
    body.u16(Math.min(point.rows, 0xffff));
    body.u8(suffixes.indexOf(point.suffix ?? '') + 1);
    body.u8((point.blockface ? BLOCKFACE : 0) | (point.outlier ? OUTLIER : 0));
  }
  body.bytes(units.take());
  return withLength(body.take());
}

function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values)].filter((value) => value !== null);
}

/** Where the list begins, plus one; 0 for none. */
function writeUnits(units: ByteWriter, labels: readonly string[]): number {
  if (labels.length === 0) return 0;
  const at = units.length + 1;
  units.bytes(Buffer.from(`${labels.join('\n')}\0`));
  return at;
}

function withLength(record: Buffer): Buffer {
  const writer = new ByteWriter();
  writer.u32(record.length);
  writer.bytes(record);
  return writer.take();
}

/** A street read from its row: the head at once, the points when they are asked for. */
export class Street implements StreetHead {
  readonly key: string;
  readonly csd: number;
  readonly mail: number;
  readonly type: string | null;
  readonly direction: string | null;
  readonly display: StreetHead['display'];
  readonly #bytes: Buffer;
  readonly #suffixes: readonly string[];
  readonly #postalCodesAt: number;
  readonly #pointsAt: number;
  readonly #unitsAt: number;
  readonly count: number;

  /** @param record what `encodeStreet` wrote, without its length. */
  constructor(record: Buffer) {
    const reader = new ByteReader(record);
    this.#bytes = record;
    this.key = reader.text();
    this.csd = reader.u16();
    this.mail = reader.u16();
    this.type = reader.text() || null;
    this.direction = reader.text() || null;
    this.display = { name: reader.text(), type: reader.text() || null, direction: reader.text() || null };
    this.#suffixes = Array.from({ length: reader.u8() }, () => reader.text());
    const postalCodes = reader.u16();
    this.#postalCodesAt = reader.at;
    reader.at += postalCodes * 6;
    this.count = reader.u32();
    this.#pointsAt = reader.at;
    this.#unitsAt = reader.at + this.count * POINT_BYTES;
  }

  civicAt(index: number): number {
    return this.#bytes.readUInt32LE(this.#pointsAt + index * POINT_BYTES);
  }

  /** Index of the first point whose civic number is not below the given one. */
  indexOf(civic: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.civicAt(middle) < civic) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Indices of every point of a civic number, whatever its suffix. */
  indicesOf(civic: number): number[] {
    const indices: number[] = [];
    for (let i = this.indexOf(civic); i < this.count && this.civicAt(i) === civic; i++) indices.push(i);
    return indices;
  }

  point(index: number): CivicPoint {
    const bytes = this.#bytes;
    const at = this.#pointsAt + index * POINT_BYTES;
    const flags = bytes.readUInt8(at + 21);
    const postal = bytes.readUInt16LE(at + 16);
    const postalAt = this.#postalCodesAt + (postal - 1) * 6;
    return {
      civic: bytes.readUInt32LE(at),
      lat: bytes.readInt32LE(at + 4) / DEGREE,
      lon: bytes.readInt32LE(at + 8) / DEGREE,
      postalCode: postal === 0 ? null : bytes.toString('latin1', postalAt, postalAt + 6),
      rows: bytes.readUInt16LE(at + 18),
      suffix: this.#suffixes[bytes.readUInt8(at + 20) - 1] ?? null,
      blockface: (flags & BLOCKFACE) !== 0,
      outlier: (flags & OUTLIER) !== 0,
    };
  }

  unitsOf(index: number): string[] {
    const position = this.#bytes.readUInt32LE(this.#pointsAt + index * POINT_BYTES + 12);
    if (position === 0) return [];
    const from = this.#unitsAt + position - 1;
    return this.#bytes.toString('utf8', from, this.#bytes.indexOf(0, from)).split('\n');
  }
}

/** The records of a row, each without its length. */
export function* recordsOf(row: Buffer): Generator<Buffer> {
  for (let at = 0; at + 4 <= row.length;) {
    const length = row.readUInt32LE(at);
    yield row.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
}
