/** Reads a row of the outline tree (outline-writer.ts). */
import type { Box } from '../geometry/box.ts';
import type { ByteReader } from '../geopackage/bytes.ts';
import { UNITS_PER_METRE, type EntryKind } from '../engine/cells/format.ts';
import type { LeafPlace } from '../engine/cells/find-leaf.ts';
import { entriesOf } from '../engine/cells/leaf-reader.ts';
import { referenceOf, type Position } from './parity.ts';

/** Consecutive vertices of one ring or path, in centimetres from the place: x0, y0, x1, y1, … */
export interface Run {
  readonly part: number;
  /** How many vertices of the ring or path come before. */
  readonly start: number;
  /** Whether it has the last vertex, which in a ring is the first one again. */
  readonly isLast: boolean;
  readonly xy: Float64Array;
  /** Of its vertices. */
  readonly box: Box;
}

/** What a row holds of a feature. */
export interface RowOutline {
  readonly set: number;
  readonly fid: number;
  readonly kind: EntryKind;
  /** Row id of the table of attribute values, or one more than the offset of its text in the row; 0 for none. */
  readonly label: number;
  readonly runs: readonly Run[];
  /** Whether a polygon contains the row's reference point. */
  readonly isInside: boolean;
}

export interface OutlineRow {
  readonly place: LeafPlace;
  readonly bytes: Buffer;
  readonly outlines: readonly RowOutline[];
  /** In centimetres from the place. */
  readonly reference: Position;
}

/** `x` and `y`: the place in projection metres. @throws Error when the bytes are not what was written. */
export function readOutlines(place: LeafPlace, bytes: Buffer, { x, y }: Position): OutlineRow {
  const corner = { minX: (place.x - x) * UNITS_PER_METRE, minY: (place.y - y) * UNITS_PER_METRE };
  const cursor = entriesOf(bytes);
  const outlines: RowOutline[] = [];
  // One block for all runs, because a map reads hundreds of them. No number takes less than a byte.
  const block = new Float64Array(bytes.length);
  let used = 0;
  for (let left = cursor.varint(); left > 0; left--) {
    const tag = cursor.varint();
    const [fid, label, runsAndInside] = [cursor.varint(), cursor.varint(), cursor.varint()];
    const runs: Run[] = [];
    for (let count = runsAndInside >>> 1; count > 0; count--) {
      const run = readRun(cursor, { block, used }, corner);
      used += run.xy.length;
      runs.push(run);
    }
    outlines.push({
      set: tag >>> 2,
      kind: (tag & 3) as EntryKind,
      fid,
      label,
      runs,
      isInside: (runsAndInside & 1) === 1,
    });
  }
  return { place, bytes, outlines, reference: referenceOf(corner) };
}

/** The vertices go where `used` says. */
function readRun(
  cursor: ByteReader,
  { block, used }: { readonly block: Float64Array; readonly used: number },
  corner: Pick<Box, 'minX' | 'minY'>,
): Run {
  const [part, start, lengthAndLast] = [cursor.varint(), cursor.varint(), cursor.varint()];
  const xy = block.subarray(used, used + (lengthAndLast & ~1));
  cursor.zigzags(xy, xy.length);
  let x = corner.minX;
  let y = corner.minY;
  let minX = Infinity;
  let minY = Infinity;
  let maxX = -Infinity;
  let maxY = -Infinity;
  for (let i = 0; i < xy.length; i += 2) {
    xy[i] = x += xy[i]!;
    xy[i + 1] = y += xy[i + 1]!;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  return { part, start, isLast: (lengthAndLast & 1) === 1, xy, box: { minX, minY, maxX, maxY } };
}
