import type { Box } from '../geometry/box.ts';

/** Well-known binary (OGC 06-103r4): geometry types of two dimensions, and the sizes of what stands before the coordinates. */

export const wkbType = {
  Point: 1,
  LineString: 2,
  Polygon: 3,
  MultiPoint: 4,
  MultiLineString: 5,
  MultiPolygon: 6,
} as const;

/** Byte order and type. */
export const HEADER_BYTES = 5;

/** How many parts, rings or positions follow. */
export const COUNT_BYTES = 4;

/** Two doubles. */
export const POSITION_BYTES = 16;

/** A geometry in the form of a GeoPackage, with its bounds. */
export interface StoredGeometry extends Box {
  readonly blob: Buffer;
}

export interface MeasuredGeometry extends StoredGeometry {
  readonly vertexCount: number;
}

const SRS_ID = 3161;

/** OGC 12-128, "GeoPackageBinary": magic, version 0, flags, CRS; then the bounds, except for a point; then WKB. */
const GPKG_HEADER_BYTES = 8;
const BOUNDS_BYTES = 32;
const LITTLE_ENDIAN_WITH_BOUNDS = 0b0011;
const LITTLE_ENDIAN_WITHOUT_BOUNDS = 0b0001;

const COUNTED_HEADER_BYTES = HEADER_BYTES + COUNT_BYTES;

/**
 * Converts little-endian 2D WKB to the form of its table: single polygons and lines become multi ones of one part. Null
 * when a coordinate is not finite.
 */
export function toGpkgGeometry(wkb: Buffer): MeasuredGeometry | null {
  const type = wkb.readUInt32LE(1);
  const { vertexCount, ...bounds } = measure(wkb);
  if (vertexCount === 0 || !Object.values(bounds).every(Number.isFinite)) return null;
  if (type === wkbType.Point)
    return { blob: Buffer.concat([header(LITTLE_ENDIAN_WITHOUT_BOUNDS), wkb]), vertexCount, ...bounds };
  const { minX, minY, maxX, maxY } = bounds;
  const box = Buffer.alloc(BOUNDS_BYTES);
  [minX, maxX, minY, maxY].forEach((value, i) => box.writeDoubleLE(value, i * 8));
  const parts = [header(LITTLE_ENDIAN_WITH_BOUNDS), box, ...multiHeader(type), wkb];
  return { blob: Buffer.concat(parts), vertexCount, ...bounds };
}

/** Reads a geometry that `toGpkgGeometry` made. */
export function fromGpkgGeometry(blob: Buffer): MeasuredGeometry {
  return { blob, ...measure(wkbOf(blob)) };
}

/** Returns the WKB of a geometry that `toGpkgGeometry` made. */
export function wkbOf(blob: Buffer): Buffer {
  const hasBounds = blob.readUInt8(3) === LITTLE_ENDIAN_WITH_BOUNDS;
  return blob.subarray(GPKG_HEADER_BYTES + (hasBounds ? BOUNDS_BYTES : 0));
}

function header(flags: number): Buffer {
  const buffer = Buffer.alloc(GPKG_HEADER_BYTES);
  buffer.write('GP', 0, 'latin1');
  buffer.writeUInt8(flags, 3);
  buffer.writeInt32LE(SRS_ID, 4);
  return buffer;
}

function multiHeader(type: number): Buffer[] {
  if (type !== wkbType.Polygon && type !== wkbType.LineString) return [];
  const buffer = Buffer.alloc(COUNTED_HEADER_BYTES);
  buffer.writeUInt8(1, 0);
  buffer.writeUInt32LE(type === wkbType.Polygon ? wkbType.MultiPolygon : wkbType.MultiLineString, 1);
  buffer.writeUInt32LE(1, 5);
  return [buffer];
}

interface Measure extends Box {
  vertexCount: number;
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
}

/** Counts vertices and finds the bounds. NaN coordinates make the bounds NaN. */
function measure(wkb: Buffer): Measure {
  const sum: Measure = { vertexCount: 0, minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity };
  measureAt(wkb, 0, sum);
  return sum;
}

/** Measures the geometry that begins at `offset` and returns the offset after it. */
function measureAt(wkb: Buffer, offset: number, sum: Measure): number {
  const type = wkb.readUInt32LE(offset + 1);
  if (type === wkbType.Point) return measurePoints(wkb, offset + HEADER_BYTES, 1, sum);
  const count = wkb.readUInt32LE(offset + HEADER_BYTES);
  let at = offset + COUNTED_HEADER_BYTES;
  switch (type) {
    case wkbType.LineString:
      return measurePoints(wkb, at, count, sum);
    case wkbType.Polygon:
      for (let i = 0; i < count; i++) at = measurePoints(wkb, at + COUNT_BYTES, wkb.readUInt32LE(at), sum);
      return at;
    case wkbType.MultiPolygon:
    case wkbType.MultiLineString:
      for (let i = 0; i < count; i++) at = measureAt(wkb, at, sum);
      return at;
    default:
      throw new Error(`WKB type ${type} has no table`);
  }
}

function measurePoints(wkb: Buffer, offset: number, count: number, sum: Measure): number {
  for (let i = 0; i < count; i++) {
    const x = wkb.readDoubleLE(offset + i * POSITION_BYTES);
    const y = wkb.readDoubleLE(offset + i * POSITION_BYTES + 8);
    // Math.min and Math.max keep NaN; comparisons would lose it.
    sum.minX = Math.min(sum.minX, x);
    sum.maxX = Math.max(sum.maxX, x);
    sum.minY = Math.min(sum.minY, y);
    sum.maxY = Math.max(sum.maxY, y);
  }
  sum.vertexCount += count;
  return offset + count * POSITION_BYTES;
}
