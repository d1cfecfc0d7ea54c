/** Reads a leaf (leaf-writer.ts) for one point: every feature in it with its distance, in one pass and without decoding to objects. */
import { crc32 } from 'node:zlib';
import { entryKind } from './format.ts';

/** A feature of the leaf, and how far the point is from it, in centimetres of the projection. */
export interface LeafHit {
  readonly set: number;
  readonly fid: number;
  /** Row id of the answer table, or one more than the offset of its text; 0 when no attribute is needed. */
  readonly answer: number;
  /** 0 inside a polygon and on any geometry. */
  readonly distance: number;
}

/** CRC-32 and the length of the entries. */
const HEAD_BYTES = 8;

/** Closer than this is on the edge, in centimetres squared: less than the rounding of any stored vertex. */
const ON_EDGE = 1e-6;

/**
 * All features of a leaf as seen from a point, given in centimetres from the leaf's lower left corner.
 * @throws Error when the bytes are not what was written.
 */
export function readLeaf(bytes: Buffer, x: number, y: number): LeafHit[] {
  if (bytes.length < 9 || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0))
    throw new Error('a leaf of the cell index is damaged');
  const cursor = new Cursor(bytes, HEAD_BYTES);
  const hits: LeafHit[] = [];
  for (let left = cursor.varint(); left > 0; left--) {
    const tag = cursor.varint();
    const [set, kind, fid, answer] = [tag >>> 2, tag & 3, cursor.varint(), cursor.varint()];
    const distance = kind === entryKind.full ? 0 : geometryDistance(cursor, kind, x, y);
    hits.push({ set, fid, answer, distance });
  }
  return hits;
}

/** The text that an inline answer refers to. */
export function leafText(bytes: Buffer, answer: number): string {
  const cursor = new Cursor(bytes, HEAD_BYTES + bytes.readUInt32LE(4) + answer - 1);
  return cursor.text();
}

function geometryDistance(cursor: Cursor, kind: number, x: number, y: number): number {
  let nearest = Infinity;
  let isInside = false;
  for (let parts = cursor.varint(); parts > 0; parts--) {
    if (kind === entryKind.point) nearest = Math.min(nearest, nearestPoint(cursor, x, y));
    else {
      const edge = nearestEdge(cursor, kind === entryKind.polygon, x, y);
      nearest = Math.min(nearest, edge.squared);
      if (edge.odd) isInside = !isInside;
    }
  }
  return isInside || nearest <= ON_EDGE ? 0 : Math.sqrt(nearest);
}

function nearestPoint(cursor: Cursor, x: number, y: number): number {
  let [px, py, nearest] = [0, 0, Infinity];
  for (let count = cursor.varint(); count > 0; count--) {
    px += cursor.zigzag();
    py += cursor.zigzag();
    nearest = Math.min(nearest, (px - x) ** 2 + (py - y) ** 2);
  }
  return nearest;
}

/** Squared distance to the nearest edge, and for a ring whether a ray from the point crosses it an odd number of times. */
function nearestEdge(cursor: Cursor, isRing: boolean, x: number, y: number): { squared: number; odd: boolean } {
  const count = cursor.varint();
  const [firstX, firstY] = [cursor.zigzag() - x, cursor.zigzag() - y];
  let [ax, ay] = [firstX, firstY];
  let squared = count === 1 ? ax * ax + ay * ay : Infinity;
  let odd = false;
  for (let i = 1; i < (isRing ? count + 1 : count); i++) {
    const isClosing = i === count;
    const bx = isClosing ? firstX : ax + cursor.zigzag();
    const by = isClosing ? firstY : ay + cursor.zigzag();
    // The ray runs from the point, which is the origin here, to the right.
    if (ay > 0 !== by > 0 && ax * by - ay * bx > 0 === by > ay) odd = !odd;
    squared = Math.min(squared, squaredToSegment(ax, ay, bx, by));
    [ax, ay] = [bx, by];
  }
  return { squared, odd: isRing && odd };
}

/** From the origin to a segment. */
function squaredToSegment(ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length));
  const [nx, ny] = [ax + t * dx, ay + t * dy];
  return nx * nx + ny * ny;
}

const MAX_INT32 = 0x7fffffff;

class Cursor {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Up to 35 bits; the first four bytes, which almost always suffice, by whole-number arithmetic. */
  varint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; shift < 28; shift += 7) {
      byte = bytes[this.#at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return value + bytes[this.#at++]! * 2 ** 28;
  }

  text(): string {
    const length = this.varint();
    return this.#bytes.toString('utf8', this.#at, this.#at + length);
  }

  zigzag(): number {
    const value = this.varint();
    return value <= MAX_INT32 ? (value >>> 1) ^ -(value & 1) : value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
