/**
 * A leaf as bytes: CRC-32 of the rest, then the number of entries, then each entry: data set index and kind, feature id,
 * answer id, and for geometry the parts as differences of whole centimetres. Numbers are varints, differences zigzag.
 */
import { crc32 } from 'node:zlib';
import { UNITS_PER_METRE, type Box } from './format.ts';
import type { Part } from './clip.ts';
import type { Piece } from './piece.ts';

export function writeLeaf(pieces: readonly Piece[], cell: Box): Buffer {
  const out = new Bytes();
  out.varint(pieces.length);
  for (const piece of pieces) {
    out.varint(piece.set * 4 + piece.kind);
    out.varint(piece.fid);
    out.varint(piece.answer);
    if (piece.parts.length === 0) continue;
    out.varint(piece.parts.length);
    for (const part of piece.parts) writePart(out, part, cell);
  }
  const body = out.done();
  const head = Buffer.alloc(4);
  head.writeUInt32LE(crc32(body));
  return Buffer.concat([head, body]);
}

/** Absolute coordinates are rounded, not differences, so that a vertex is the same in every leaf and every feature. */
function writePart(out: Bytes, part: Part, cell: Box): void {
  const [originX, originY] = [cell.minX * UNITS_PER_METRE, cell.minY * UNITS_PER_METRE];
  const units: number[] = [];
  for (let i = 0; i < part.length; i += 2) {
    const x = Math.round(part[i]! * UNITS_PER_METRE) - originX;
    const y = Math.round(part[i + 1]! * UNITS_PER_METRE) - originY;
    const isRepeated = units.length > 0 && units.at(-2) === x && units.at(-1) === y;
    if (!isRepeated) units.push(x, y);
  }
  out.varint(units.length / 2);
  let [lastX, lastY] = [0, 0];
  for (let i = 0; i < units.length; i += 2) {
    out.zigzag(units[i]! - lastX);
    out.zigzag(units[i + 1]! - lastY);
    [lastX, lastY] = [units[i]!, units[i + 1]!];
  }
}

class Bytes {
  #buffer = Buffer.allocUnsafe(8192);
  #length = 0;

  varint(value: number): void {
    if (this.#length + 8 > this.#buffer.length) {
      this.#buffer = Buffer.concat([this.#buffer, Buffer.allocUnsafe(this.#buffer.length)]);
    }
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#length++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#length++] = rest;
  }

  zigzag(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  done(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
