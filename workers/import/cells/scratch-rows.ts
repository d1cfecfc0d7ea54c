/**
 * Rows of the temporary file of a build: pieces and outlines as plain numbers. A row: numbers of 64 bits, then those of 32 bits, then the text.
 */
import { partOf, type Part } from '../../geometry/path.ts';
import type { EntryKind } from '../../engine/cells/format.ts';
import { runFrom, type Outline, type Run } from '../outlines/outline.ts';
import type { Piece } from './piece.ts';

/** Numbers before those of the parts: data set, kind, feature id, values, whether they are a text, number of parts. */
const PIECE_HEAD = 6;

export function writePiece({ set, kind, fid, valuesRef, parts }: Piece): Buffer {
  const count = parts.reduce((sum, { xy }) => sum + xy.length, PIECE_HEAD + parts.length);
  const { bytes, doubles } = emptyRow(count, 0, valuesRef);
  doubles.set([set, kind, fid, ...refNumbers(valuesRef), parts.length]);
  let at = PIECE_HEAD;
  for (const { xy } of parts) doubles[at++] = xy.length;
  for (const { xy } of parts) {
    doubles.set(xy, at);
    at += xy.length;
  }
  return bytes;
}

export function readPiece(row: Buffer): Piece {
  const { buffer, start } = aligned(row);
  const doubles = new Float64Array(buffer, start, Math.floor(row.length / 8));
  const [set, kind, fid, , , count] = doubles as unknown as readonly [number, number, number, number, number, number];
  const parts: Part[] = [];
  let at = PIECE_HEAD + count;
  for (let i = 0; i < count; i++) {
    const end = at + doubles[PIECE_HEAD + i]!;
    parts.push(partOf(doubles.subarray(at, end)));
    at = end;
  }
  return { set, fid, valuesRef: refOf(row, doubles, at * 8), kind: kind as EntryKind, parts };
}

/** Numbers before those of the runs: as of a piece, then the reference point and whether it is inside. */
const OUTLINE_HEAD = 9;
/** Part, vertices before, whether it has the last one, numbers. */
const RUN_HEAD = 4;

export function writeOutline({ set, kind, fid, label, runs, reference, isInside }: Outline): Buffer {
  const units = runs.reduce((sum, { xy }) => sum + xy.length, 0);
  const { bytes, doubles, integers } = emptyRow(OUTLINE_HEAD + runs.length * RUN_HEAD, units, label);
  doubles.set([set, kind, fid, ...refNumbers(label), runs.length, reference.x, reference.y, Number(isInside)]);
  let at = 0;
  runs.forEach(({ part, start, isLast, xy }, i) => {
    doubles.set([part, start, Number(isLast), xy.length], OUTLINE_HEAD + i * RUN_HEAD);
    integers.set(xy, at);
    at += xy.length;
  });
  return bytes;
}

export function readOutline(row: Buffer): Outline {
  const { buffer, start } = aligned(row);
  const doubles = new Float64Array(buffer, start, Math.floor(row.length / 8));
  const [set, kind, fid, , , count] = doubles as unknown as readonly [number, number, number, number, number, number];
  const runs: Run[] = [];
  let at = (OUTLINE_HEAD + count * RUN_HEAD) * 8;
  for (let i = OUTLINE_HEAD; runs.length < count; i += RUN_HEAD) {
    const length = doubles[i + 3]!;
    const xy = new Int32Array(buffer, start + at, length);
    runs.push(runFrom(xy, { part: doubles[i]!, start: doubles[i + 1]!, isLast: doubles[i + 2] === 1 }));
    at += length * 4;
  }
  return {
    ...{ set, fid, label: refOf(row, doubles, at), kind: kind as EntryKind, runs },
    ...{ reference: { x: doubles[6]!, y: doubles[7]! }, isInside: doubles[8] === 1 },
  };
}

/** A row that has its text, and no numbers yet. It is valid until the next one: a new block for each row would keep the garbage collector busy. */
function emptyRow(
  doubles: number,
  integers: number,
  ref: number | string,
): { readonly bytes: Buffer; readonly doubles: Float64Array; readonly integers: Int32Array } {
  const textAt = doubles * 8 + integers * 4;
  const length = textAt + (typeof ref === 'string' ? Buffer.byteLength(ref) : 0);
  if (block.byteLength < length) block = new ArrayBuffer(length * 2);
  const bytes = Buffer.from(block, 0, length);
  if (typeof ref === 'string') bytes.write(ref, textAt);
  return {
    ...{ bytes, doubles: new Float64Array(block, 0, doubles) },
    integers: new Int32Array(block, doubles * 8, integers),
  };
}

let block = new ArrayBuffer(1 << 16);

function refNumbers(ref: number | string): readonly [number, number] {
  return typeof ref === 'string' ? [0, 1] : [ref, 0];
}

/** A row id, or the text that begins at `textAt`. */
function refOf(row: Buffer, doubles: Float64Array, textAt: number): number | string {
  return doubles[4] === 1 ? row.toString('utf8', textAt) : doubles[3]!;
}

/** Views of 64-bit numbers need a place that eight divides. */
function aligned(row: Buffer): { readonly buffer: ArrayBuffer; readonly start: number } {
  if (row.byteOffset % 8 === 0) return { buffer: row.buffer as ArrayBuffer, start: row.byteOffset };
  return { buffer: Uint8Array.from(row).buffer, start: 0 };
}
