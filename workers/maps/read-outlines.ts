/** Reads a row of the outline tree (outline-writer.ts). */
import type { Box } from '../geometry/box.ts';
import type { ByteReader } from '../geopackage/bytes.ts';
import { UNITS_PER_METRE, type EntryKind } from '../engine/cells/format.ts';
import type { LeafPlace } from '../engine/cells/find-leaf.ts';
import { entriesOf } from '../engine/cells/leaf-reader.ts';
import { referenceOf, type Position } from './parity.ts';

/** Consecutive vertices of one ring or path, in centimetres from the place: x0, y0, x1, y1, … */
interface Run {
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

/** A part of a ring or path without gaps near the place; closed for a whole ring, which ends with its first vertex again. */
export interface Path {
  readonly xy: Float64Array;
  readonly isClosed: boolean;
}

/**
 * Puts the runs of one feature from several rows together. Rows next to each other both hold the segments that cross from one to the other, so runs
 * of a part that overlap or touch continue each other.
 */
export function joinRuns(runs: readonly Omit<Run, 'box'>[], isRing: boolean): Path[] {
  const ordered = runs.length === 1 ? runs : [...runs].sort((a, b) => a.part - b.part || a.start - b.start);
  const paths: Path[] = [];
  for (let from = 0; from < ordered.length;) {
    const { part } = ordered[from]!;
    let to = from + 1;
    while (to < ordered.length && ordered[to]!.part === part) to++;
    paths.push(...joinPart(ordered.slice(from, to), isRing));
    from = to;
  }
  return paths;
}

function joinPart(runs: readonly Omit<Run, 'box'>[], isRing: boolean): Path[] {
  const joined: {
    readonly start: number;
    readonly pieces: Float64Array[];
    /** Vertices from the beginning of the part. */
    end: number;
    isLast: boolean;
  }[] = [];
  for (const { start, xy, isLast } of runs) {
    const end = start + xy.length / 2;
    const open = joined.at(-1);
    if (open && start < open.end) {
      if (end <= open.end) continue;
      open.pieces.push(xy.subarray((open.end - start) * 2));
      Object.assign(open, { end, isLast });
    } else joined.push({ start, pieces: [xy], end, isLast });
  }
  if (!isRing) return joined.map(({ pieces }) => ({ xy: concatenate(pieces), isClosed: false }));
  const [first, last] = [joined[0]!, joined.at(-1)!];
  if (first.start === 0 && last.isLast && first !== last) {
    // The ring begins and ends near the place, and both are the same vertex.
    joined.shift();
    last.pieces.push(first.pieces[0]!.subarray(2), ...first.pieces.slice(1));
  }
  return joined.map((one) => ({ xy: concatenate(one.pieces), isClosed: one.start === 0 && one.isLast }));
}

function concatenate(pieces: readonly Float64Array[]): Float64Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Float64Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
