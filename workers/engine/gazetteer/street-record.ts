import { ByteReader, ByteWriter } from '../../geopackage/bytes.ts';
import { CivicBlock, findUnit, type PlacedPoint } from './civic-block.ts';

/** A street's name, type and direction as the register writes them. */
export interface StreetSpelling {
  readonly name: string;
  readonly type: string | null;
  readonly direction: string | null;
}

/** Place of a street's civic points: in the street's own row, or in separate rows. */
export type CivicBlocks = { readonly inline: Buffer } | { readonly rows: readonly BlockRow[] };

interface BlockRow {
  /** Civic number of the first point. */
  readonly first: number;
  readonly row: number;
}

/** Encodes a street's record after its length. */
export function encodeStreet(
  street: Pick<Street, 'key' | 'csd' | 'mail' | 'type' | 'direction' | 'spellings'>,
  blocks: CivicBlocks,
): Buffer {
  const body = new ByteWriter();
  body.u16(street.csd);
  body.text(street.key);
  body.u16(street.mail);
  for (const text of [street.type, street.direction]) body.text(text ?? '');
  body.u8(street.spellings.length);
  for (const { name, type, direction } of street.spellings)
    for (const text of [name, type, direction]) body.text(text ?? '');
  if ('inline' in blocks) {
    body.u16(0);
    body.bytes(blocks.inline);
  } else {
    body.u16(blocks.rows.length);
    for (const { first, row } of blocks.rows) {
      body.u32(first);
      body.u32(row);
    }
  }
  const record = body.take();
  body.u32(record.length);
  body.bytes(record);
  return body.take();
}

/** Returns the records of a row with one street key and census subdivision, each without its length. */
export function recordsOf(row: Buffer, key: string, csd: number): Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at + 4 <= row.length;) {
    const length = row.readUInt32LE(at);
    at += 4;
    if (row.readUInt16LE(at) === csd && row.toString('utf8', at + 3, at + 3 + row.readUInt8(at + 2)) === key)
      records.push(row.subarray(at, at + length));
    at += length;
  }
  return records;
}

/** Reads the rows that a street refers to. */
export interface BlockReader {
  points(row: number): Buffer;
  units(row: number): Buffer;
}

/** A street of one municipality, read from its row of the gazetteer. It reads the head at once, and blocks of points on demand. */
export class Street {
  /** Folded name (`StreetParts.key`). */
  readonly key: string;
  /** Index of the census subdivision, and of the mailing municipality. */
  readonly csd: number;
  readonly mail: number;
  /** Type and direction for comparing with those of a query. */
  readonly type: string | null;
  readonly direction: string | null;
  /** At least one; several if the register writes one street in two ways ("5 ST", "Fifth ST"). */
  readonly spellings: readonly StreetSpelling[];
  readonly #rows: readonly BlockRow[];
  readonly #blocks: (CivicBlock | undefined)[];
  readonly #reader: BlockReader;

  /** @param record what `encodeStreet` wrote, without its length. */
  constructor(record: Buffer, blockReader: BlockReader) {
    const reader = new ByteReader(record);
    this.#reader = blockReader;
    this.csd = reader.u16();
    this.key = reader.text();
    this.mail = reader.u16();
    this.type = reader.text() || null;
    this.direction = reader.text() || null;
    const spellings: StreetSpelling[] = [];
    for (let left = reader.u8(); left > 0; left--)
      spellings.push({ name: reader.text(), type: reader.text() || null, direction: reader.text() || null });
    this.spellings = spellings;
    const rows: BlockRow[] = [];
    for (let left = reader.u16(); left > 0; left--) rows.push({ first: reader.u32(), row: reader.u32() });
    this.#rows = rows;
    this.#blocks = rows.length === 0 ? [new CivicBlock(record.subarray(reader.at))] : [];
  }

  /** Returns every point of a civic number, with any suffix, in the order of preference. */
  pointsOf(civic: number): PlacedPoint[] {
    const found: PlacedPoint[] = [];
    const points = this.#block(this.#blockOf(civic));
    for (let index = points.indexOf(civic); index < points.count && points.civicAt(index) === civic; index++) {
      found.push(points.point(index));
    }
    return found;
  }

  /** Yields points from a civic number upwards. */
  *from(civic: number): Generator<PlacedPoint> {
    for (let block = this.#blockOf(civic); block < this.#blockCount; block++) {
      const points = this.#block(block);
      for (let index = points.indexOf(civic); index < points.count; index++) yield points.point(index);
    }
  }

  /** Yields points below a civic number, downwards. */
  *below(civic: number): Generator<PlacedPoint> {
    for (let block = this.#blockOf(civic); block >= 0; block--) {
      const points = this.#block(block);
      for (let index = points.indexOf(civic) - 1; index >= 0; index--) yield points.point(index);
    }
  }

  /** Returns the point that has a unit, from some points of one civic number; null when none has it. */
  withUnit(points: readonly PlacedPoint[], unit: string): PlacedPoint | null {
    const [first] = points;
    const row = first ? this.#block(first.block).unitsRow : 0;
    if (row === 0) return null;
    const indices = points.map(({ index }) => index);
    const index = findUnit(this.#reader.units(row), indices, unit);
    return points.find((point) => point.index === index) ?? null;
  }

  get #blockCount(): number {
    return Math.max(1, this.#rows.length);
  }

  /** Returns the last block that begins at or before a civic number; all points of one number are in one block. */
  #blockOf(civic: number): number {
    let at = this.#rows.length - 1;
    while (at > 0 && this.#rows[at]!.first > civic) at--;
    return Math.max(0, at);
  }

  #block(at: number): CivicBlock {
    return (this.#blocks[at] ??= new CivicBlock(this.#reader.points(this.#rows[at]!.row), at));
  }
}
