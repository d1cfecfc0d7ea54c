import { ByteReader, ByteWriter } from '../../geopackage/bytes.ts';

/** One known place of a civic number: a building, or one of its entrances or postal codes. */
export interface CivicPoint {
  readonly civic: number;
  readonly suffix: string | null;
  readonly lat: number;
  readonly lon: number;
  /** True when the point represents one side of the street between two crossings, not a building. */
  readonly blockface: boolean;
  /** True when the neighbours and the postal code contradict the point. */
  readonly outlier: boolean;
  readonly postalCode: string | null;
  /** Index of the street's spelling that the register has here (`Street.spellings`). */
  readonly spelling: number;
}

/** A point that was read from a street, with its position in the blocks. */
export interface PlacedPoint extends CivicPoint {
  /** Number of the block in the street, and of the point in the block. */
  readonly block: number;
  readonly index: number;
}

const POINT_BYTES = 16;
const BLOCKFACE = 1;
const OUTLIER = 2;
const SPELLING_SHIFT = 2;

/** Most spellings that a point can distinguish; streets have one, rarely two. */
export const MOST_SPELLINGS = 64;

const DEGREE = 1_000_000;

/**
 * Most points per block. Longer streets have several blocks, so that a lookup costs no more than for a short street.
 */
export const MOST_POINTS = 96;

/**
 * Encodes consecutive civic points of a street in fixed-width records, so that a binary search finds a number.
 * @param unitsRow row of the units of these points, 0 for none.
 */
export function encodeBlock(points: readonly CivicPoint[], unitsRow: number): Buffer {
  const suffixes = distinct(points.map((point) => point.suffix));
  const postalCodes = distinct(points.map((point) => point.postalCode));
  const block = new ByteWriter();
  block.u32(unitsRow);
  block.u8(suffixes.length);
  for (const suffix of suffixes) block.text(suffix);
  block.u16(postalCodes.length);
  for (const code of postalCodes) block.bytes(Buffer.from(code, 'latin1'));
  block.u16(points.length);
  for (const point of points) {
    block.u32(point.civic);
    block.i32(Math.round(point.lat * DEGREE));
    block.i32(Math.round(point.lon * DEGREE));
    block.u16(postalCodes.indexOf(point.postalCode ?? '') + 1);
    block.u8(suffixes.indexOf(point.suffix ?? '') + 1);
    block.u8((point.blockface ? BLOCKFACE : 0) | (point.outlier ? OUTLIER : 0) | (point.spelling << SPELLING_SHIFT));
  }
  return block.take();
}

function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values)].filter((value) => value !== null);
}

/** Reads what `encodeBlock` wrote. */
export class CivicBlock {
  readonly count: number;
  readonly unitsRow: number;
  readonly #number: number;
  readonly #bytes: Buffer;
  readonly #suffixes: readonly string[];
  readonly #postalCodesAt: number;
  readonly #pointsAt: number;

  /** @param number of the block among those of its street. */
  constructor(bytes: Buffer, number = 0) {
    const reader = new ByteReader(bytes);
    this.#number = number;
    this.#bytes = bytes;
    this.unitsRow = reader.u32();
    this.#suffixes = reader.texts(reader.u8());
    const postalCodes = reader.u16();
    this.#postalCodesAt = reader.at;
    reader.at += postalCodes * 6;
    this.count = reader.u16();
    this.#pointsAt = reader.at;
  }

  civicAt(index: number): number {
    return this.#bytes.readUInt32LE(this.#pointsAt + index * POINT_BYTES);
  }

  /** Returns the index of the first point whose civic number is not below the given one. */
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

  point(index: number): PlacedPoint {
    const bytes = this.#bytes;
    const at = this.#pointsAt + index * POINT_BYTES;
    const flags = bytes.readUInt8(at + 15);
    const postal = bytes.readUInt16LE(at + 12);
    const postalAt = this.#postalCodesAt + (postal - 1) * 6;
    return {
      civic: bytes.readUInt32LE(at),
      lat: bytes.readInt32LE(at + 4) / DEGREE,
      lon: bytes.readInt32LE(at + 8) / DEGREE,
      postalCode: postal === 0 ? null : bytes.toString('latin1', postalAt, postalAt + 6),
      suffix: this.#suffixes[bytes.readUInt8(at + 14) - 1] ?? null,
      blockface: (flags & BLOCKFACE) !== 0,
      outlier: (flags & OUTLIER) !== 0,
      spelling: flags >> SPELLING_SHIFT,
      block: this.#number,
      index,
    };
  }
}

/** Encodes the unit labels of a block's points by the point's index, one line per point. */
export function encodeUnits(units: readonly (readonly string[])[]): Buffer {
  const lines = units.flatMap((labels, index) =>
    labels.length > 0 ? [[index, ...labels.map(unitKey)].join(' ')] : [],
  );
  return Buffer.from(lines.join('\n'));
}

/** Returns the index of the point that has a unit, among some points of a block; null when none has it. */
export function findUnit(row: Buffer, indices: readonly number[], unit: string): number | null {
  const key = unitKey(unit);
  for (const line of row.toString().split('\n')) {
    const [index, ...labels] = line.split(' ');
    if (indices.includes(Number(index)) && labels.includes(key)) return Number(index);
  }
  return null;
}

/** Returns a label without spaces and signs for comparing: "PH-2" is "PH2". */
function unitKey(label: string): string {
  return label.toUpperCase().replace(/[^A-Z0-9]/g, '');
}
