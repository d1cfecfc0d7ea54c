/**
 * A leaf as bytes: CRC-32 of the rest, the length of the entries, the number of entries, each entry, then the texts that entries
 * refer to. An entry: data set index and kind, feature id, attribute values (row id of their table, or offset of their text plus one; 0 for none), and for
 * geometry the parts as differences of whole centimetres. Numbers are varints, differences zigzag.
 */
import type { Box } from '../../geometry/box.ts';
import type { Positions } from '../../geometry/path.ts';
import { crc32 } from 'node:zlib';
import { ByteWriter } from '../../geopackage/bytes.ts';
import { UNITS_PER_METRE } from '../../engine/cells/format.ts';
import type { Piece } from './piece.ts';

export function writeLeaf(pieces: readonly Piece[], cell: Box): Buffer {
  const out = new ByteWriter();
  const texts = new Texts();
  out.varint(pieces.length);
  for (const piece of pieces) {
    out.varint(piece.set * 4 + piece.kind);
    out.varint(piece.fid);
    out.varint(typeof piece.valuesRef === 'number' ? piece.valuesRef : texts.offsetOf(piece.valuesRef) + 1);
    if (piece.parts.length === 0) continue;
    out.varint(piece.parts.length);
    for (const part of piece.parts) writePositions(out, part.xy, cell);
  }
  return framed(out.take(), texts.take());
}

/** Returns a row: a checksum and the length of the entries before them, and the texts behind. */
export function framed(entries: Buffer, texts: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(entries.length, 4);
  const row = Buffer.concat([head, entries, texts]);
  row.writeUInt32LE(crc32(row.subarray(4)), 0);
  return row;
}

/**
 * Writes positions. Absolute coordinates are rounded, not differences, so that a vertex is the same in every leaf and
 * every feature.
 */
function writePositions(out: ByteWriter, xy: Positions, cell: Box): void {
  const originX = cell.minX * UNITS_PER_METRE;
  const originY = cell.minY * UNITS_PER_METRE;
  if (differences.length < xy.length) differences = new Int32Array(xy.length * 2);
  let length = 0;
  let lastX = 0;
  let lastY = 0;
  for (let i = 0; i < xy.length; i += 2) {
    const x = Math.round(xy[i]! * UNITS_PER_METRE) - originX;
    const y = Math.round(xy[i + 1]! * UNITS_PER_METRE) - originY;
    const isRepeated = length > 0 && x === lastX && y === lastY;
    if (isRepeated) continue;
    differences[length++] = x - lastX;
    differences[length++] = y - lastY;
    lastX = x;
    lastY = y;
  }
  out.varint(length / 2);
  for (let i = 0; i < length; i++) out.zigzag(differences[i]!);
}

/** Of the part that is being written. The root is so small that each is a number of 32 bits. */
let differences = new Int32Array(1024);

/** The texts of a row, each different text once: its length and its bytes. */
export class Texts {
  readonly #bytes = new ByteWriter();
  readonly #offsets = new Map<string, number>();

  offsetOf(text: string): number {
    let offset = this.#offsets.get(text);
    if (offset === undefined) {
      offset = this.#bytes.length;
      this.#offsets.set(text, offset);
      const bytes = Buffer.from(text);
      this.#bytes.varint(bytes.length);
      this.#bytes.bytes(bytes);
    }
    return offset;
  }

  take(): Buffer {
    return this.#bytes.take();
  }
}
