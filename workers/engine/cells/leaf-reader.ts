/** Reads a leaf (leaf-writer.ts) for one point, every feature in it with its distance, in one pass and without decoding to objects; or as a whole, with geometries. */
import { ON_EDGE_M, squaredToSegment } from '../../geometry/segment.ts';
import { crc32 } from 'node:zlib';
import { ByteReader } from '../../geopackage/bytes.ts';
import { entryKind, UNITS_PER_METRE, type EntryKind } from './format.ts';
import { newFloats } from '../../geometry/numbers.ts';
import type { Part } from '../../geometry/ring.ts';

/** A feature of the leaf, with its distance from the point in centimetres of the projection. */
export interface LeafHit {
  readonly set: number;
  readonly fid: number;
  /** Where its attribute values are: a row id of the table of attribute values, or one more than the offset of their text in the leaf; 0 when answers need none. */
  readonly valuesRef: number;
  /** 0 inside a polygon and on any geometry. */
  readonly distance: number;
}

/** CRC-32 and the length of the entries. */
const HEAD_BYTES = 8;

/** Square of the distance up to which a point is on the edge (`ON_EDGE_M`), in centimetres squared. */
const ON_EDGE = (ON_EDGE_M * UNITS_PER_METRE) ** 2;

/**
 * Reads all features of a leaf with their distances from a point, which is given in centimetres from the leaf's lower
 * left corner. It stops before the data set with the number `sets`.
 * @throws Error when the bytes are not what was written.
 */
export function readLeaf(bytes: Buffer, x: number, y: number, sets = Infinity): LeafHit[] {
  const cursor = entriesOf(bytes);
  const hits: LeafHit[] = [];
  for (let left = cursor.varint(); left > 0; left--) {
    const tag = cursor.varint();
    if (tag >>> 2 >= sets) break;
    const [set, kind, fid, valuesRef] = [tag >>> 2, tag & 3, cursor.varint(), cursor.varint()];
    const distance = kind === entryKind.full ? 0 : geometryDistance(cursor, kind, x, y);
    hits.push({ set, fid, valuesRef, distance });
  }
  return hits;
}

/** @throws Error when the bytes are not what was written. */
export function entriesOf(bytes: Buffer): ByteReader {
  if (bytes.length < 9 || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0))
    throw new Error('a leaf of the cell index is damaged');
  return new ByteReader(bytes, HEAD_BYTES);
}

/** Does the same for bytes that were checked before. */
export function entriesAgain(bytes: Buffer): ByteReader {
  return new ByteReader(bytes, HEAD_BYTES);
}

/** Returns the text of attribute values, or of a label, that is stored in the leaf. */
export function leafText(bytes: Buffer, ref: number): string {
  const cursor = new ByteReader(bytes, HEAD_BYTES + bytes.readUInt32LE(4) + ref - 1);
  return cursor.text(cursor.varint());
}

export function geometryDistance(cursor: ByteReader, kind: number, x: number, y: number): number {
  const nearest = new Nearest();
  for (let parts = cursor.varint(); parts > 0; parts--) {
    if (kind === entryKind.point) readPoints(cursor, nearest, x, y);
    else readEdges(cursor, nearest, { isRing: kind === entryKind.polygon, x, y });
  }
  return nearest.isInside || nearest.squared <= ON_EDGE ? 0 : Math.sqrt(nearest.squared);
}

export function skipGeometry(cursor: ByteReader): void {
  for (let parts = cursor.varint(); parts > 0; parts--) cursor.skipVarints(cursor.varint() * 2);
}

/** Nearest edge of the geometry that has been read so far. */
class Nearest {
  /** Squared distance. */
  squared = Infinity;
  /** True when a ray from the point crosses the rings an odd number of times. */
  isInside = false;
}

/** Room for more positions than most parts have. */
let steps = new Float64Array(4096);

/** Reads the differences of so many positions. The array holds them until the next call. */
export function stepsOf(cursor: ByteReader, positions: number): Float64Array {
  if (positions * 2 > steps.length) steps = new Float64Array(positions * 4);
  cursor.zigzags(steps, positions * 2);
  return steps;
}

function readPoints(cursor: ByteReader, nearest: Nearest, x: number, y: number): void {
  let dx = -x;
  let dy = -y;
  const count = cursor.varint();
  const read = stepsOf(cursor, count);
  for (let i = 0; i < count; i++) {
    dx += read[i * 2]!;
    dy += read[i * 2 + 1]!;
    nearest.squared = Math.min(nearest.squared, dx * dx + dy * dy);
  }
}

/**
 * Reads the edges of a line or ring, with the point as origin. This loop takes half of an answer's time, so it makes no
 * objects and no arrays.
 */
function readEdges(
  cursor: ByteReader,
  nearest: Nearest,
  { isRing, x, y }: { isRing: boolean; x: number; y: number },
): void {
  const count = cursor.varint();
  const read = stepsOf(cursor, count);
  const firstX = read[0]! - x;
  const firstY = read[1]! - y;
  let ax = firstX;
  let ay = firstY;
  let squared = count === 1 ? Math.min(nearest.squared, ax * ax + ay * ay) : nearest.squared;
  let isOdd = false;
  const end = isRing ? count : count - 1;
  for (let i = 1; i <= end; i++) {
    const isClosing = i === count;
    const bx = isClosing ? firstX : ax + read[i * 2]!;
    const by = isClosing ? firstY : ay + read[i * 2 + 1]!;
    // The ray goes to the right.
    if (ay > 0 !== by > 0 && ax * by - ay * bx > 0 === by > ay) isOdd = !isOdd;
    squared = Math.min(squared, squaredToSegment(ax, ay, bx, by));
    ax = bx;
    ay = by;
  }
  nearest.squared = squared;
  if (isRing && isOdd) nearest.isInside = !nearest.isInside;
}

/** A feature of a leaf. */
export interface LeafFeature {
  readonly set: number;
  readonly fid: number;
  readonly kind: EntryKind;
  /** Where its attribute values are: a row id of the table of attribute values, or one more than the offset of their text in the leaf; 0 when answers need none. */
  readonly valuesRef: number;
  /** Rings, paths or points in centimetres from the leaf's lower left corner; none where the feature covers the leaf. */
  readonly parts: readonly Part[];
}

/** Returns the features by the index of their data set, in the order of their ids. It stops before the data set with the number `sets`. @throws Error when the bytes are not what was written. */
export function leafFeatures(bytes: Buffer, sets: number): ReadonlyMap<number, readonly LeafFeature[]> {
  const cursor = entriesOf(bytes);
  const features = new Map<number, LeafFeature[]>();
  for (let left = cursor.varint(); left > 0; left--) {
    const tag = cursor.varint();
    if (tag >>> 2 >= sets) break;
    const [set, kind, fid, valuesRef] = [tag >>> 2, (tag & 3) as EntryKind, cursor.varint(), cursor.varint()];
    const parts: Part[] = [];
    for (let count = kind === entryKind.full ? 0 : cursor.varint(); count > 0; count--) {
      parts.push(readPart(cursor));
    }
    const feature = { set, fid, kind, valuesRef, parts };
    const others = features.get(set);
    if (others) others.push(feature);
    else features.set(set, [feature]);
  }
  return features;
}

function readPart(cursor: ByteReader): Part {
  const xy = newFloats(cursor.varint() * 2);
  let [x, y] = [0, 0];
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < xy.length; i += 2) {
    xy[i] = x += cursor.zigzag();
    xy[i + 1] = y += cursor.zigzag();
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  return { xy, box: { minX, minY, maxX, maxY } };
}
