/**
 * Whether the records of a Shapefile are whole. GDAL gives a damaged one no geometry, which an import would count as one that never had any, and
 * believes an index that gives two rows the same shape, or each other's.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Sizes and places in bytes (ESRI Shapefile Technical Description, July 1998). */
const [FILE_HEADER, INDEX_RECORD, RECORD_HEADER] = [100, 8, 8];
const [FILE_TYPE_AT, PARTS_AT, POINTS_AT, FIRST_PART_AT] = [32, 36, 40, 44];
const [PART_BYTES, POSITION_BYTES] = [4, 16];

/** Shape types without their Z (10 more) and M (20 more): lines and polygons have parts. */
const [NULL_SHAPE, LINE, POLYGON, MULTI_PATCH] = [0, 3, 5, 31];

const RECORDS_AT_ONCE = 4096;

/** @throws Error that names the first record that is damaged, from 1. */
export function checkShapes(shp: string, shx: string): void {
  const file = openSync(shp, 'r');
  try {
    const type = bytesAt(file, FILE_TYPE_AT, 4).readInt32LE();
    if (type === MULTI_PATCH) return;
    const { size } = fstatSync(file);
    const starts = new Set<number>();
    let last = -Infinity;
    for (const [i, start] of recordsOf(shx)) {
      const fault = starts.has(start) ? 'is that of another record too' : faultOf(file, { start, size }, type % 10);
      const number = fault === null ? bytesAt(file, start, 4).readInt32BE() : last;
      const found =
        number < last ? `has the number ${number} behind the number ${last}: the .shx is of another file` : fault;
      if (found !== null) throw new Error(`is damaged: shape ${i + 1} ${found}`);
      starts.add(start);
      last = number;
    }
  } finally {
    closeSync(file);
  }
}

/** Yields the place of each record, with its number from 0. */
function* recordsOf(shx: string): Generator<readonly [number, number]> {
  const file = openSync(shx, 'r');
  try {
    for (let i = 0; ; i += RECORDS_AT_ONCE) {
      const records = bytesAt(file, FILE_HEADER + i * INDEX_RECORD, RECORDS_AT_ONCE * INDEX_RECORD);
      const count = Math.floor(records.length / INDEX_RECORD);
      for (let k = 0; k < count; k++) yield [i + k, records.readInt32BE(k * INDEX_RECORD) * 2];
      if (count < RECORDS_AT_ONCE) return;
    }
  } finally {
    closeSync(file);
  }
}

/** Says what is wrong with a record; null when nothing is. A record of length 0 is one that GDAL has deleted. */
function faultOf(
  file: number,
  { start, size }: { readonly start: number; readonly size: number },
  fileType: number,
): string | null {
  if (start < FILE_HEADER || start + RECORD_HEADER + 4 > size) return 'lies outside the file';
  const head = bytesAt(file, start, RECORD_HEADER + FIRST_PART_AT);
  const length = Math.min(head.readInt32BE(4) * 2, size - start - RECORD_HEADER);
  const type = head.readInt32LE(RECORD_HEADER);
  if (type === NULL_SHAPE || length === 0) return null;
  if (type % 10 !== fileType) return `is of type ${type}`;
  if (fileType !== LINE && fileType !== POLYGON) return null;
  return head.length < RECORD_HEADER + FIRST_PART_AT ? 'ends too early' : faultOfParts(file, { start, head, length });
}

function faultOfParts(
  file: number,
  { start, head, length }: { readonly start: number; readonly head: Buffer; readonly length: number },
): string | null {
  const [parts, points] = [head.readInt32LE(RECORD_HEADER + PARTS_AT), head.readInt32LE(RECORD_HEADER + POINTS_AT)];
  if (parts < 0 || points < 0 || FIRST_PART_AT + parts * PART_BYTES + points * POSITION_BYTES > length)
    return `has ${parts} parts and ${points} points, for which it is too short`;
  const starts = bytesAt(file, start + RECORD_HEADER + FIRST_PART_AT, parts * PART_BYTES);
  return areParts(starts, points) ? null : 'has parts that do not follow each other';
}

/** Says whether parts begin at points that there are, one behind the other. */
function areParts(starts: Buffer, points: number): boolean {
  let last = -1;
  for (let at = 0; at < starts.length; at += PART_BYTES) {
    const start = starts.readInt32LE(at);
    if (start <= last || start >= points) return false;
    last = start;
  }
  return true;
}

function bytesAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, at));
}
