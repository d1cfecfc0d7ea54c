import { COUNT_BYTES, HEADER_BYTES, POSITION_BYTES, wkbType } from '../../geopackage/wkb.ts';

const WKB_COLLECTION = 7;

/**
 * Says whether every coordinate of flat little-endian WKB is a finite number. GEOS's repair leaves out a ring that has another, and the area is then
 * another one.
 */
export function hasFiniteCoordinates(wkb: Buffer): boolean {
  const isEmptyPoint = wkb.readUInt32LE(1) === wkbType.Point && isNowhere(wkb, HEADER_BYTES);
  return isEmptyPoint || end(wkb, 0) !== null;
}

/** Returns the offset after the geometry that begins at `offset`; null when it has a coordinate that is not finite. */
function end(wkb: Buffer, offset: number): number | null {
  const type = wkb.readUInt32LE(offset + 1);
  let at: number | null = offset + HEADER_BYTES;
  if (type === wkbType.Point) return endOfPositions(wkb, at, 1);
  const count = wkb.readUInt32LE(at);
  at += COUNT_BYTES;
  if (type === wkbType.LineString) return endOfPositions(wkb, at, count);
  if (type > WKB_COLLECTION) return wkb.length;
  for (let i = 0; i < count && at !== null; i++)
    at = type === wkbType.Polygon ? endOfPositions(wkb, at + COUNT_BYTES, wkb.readUInt32LE(at)) : end(wkb, at);
  return at;
}

/** A point that is empty is written so. */
function isNowhere(wkb: Buffer, at: number): boolean {
  return Number.isNaN(wkb.readDoubleLE(at)) && Number.isNaN(wkb.readDoubleLE(at + 8));
}

function endOfPositions(wkb: Buffer, offset: number, count: number): number | null {
  const to = offset + count * POSITION_BYTES;
  for (let at = offset; at < to; at += 8) if (isNotFinite(wkb, at)) return null;
  return to;
}

/** The exponent of infinities and of NaN has all bits set; reading doubles takes three times as long. */
function isNotFinite(wkb: Buffer, at: number): boolean {
  return (wkb[at + 7]! & 0x7f) === 0x7f && (wkb[at + 6]! & 0xf0) === 0xf0;
}
