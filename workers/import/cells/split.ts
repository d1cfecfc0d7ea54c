/** Splits a tile into leaves that hold few vertices, and writes them. */
import type { Box } from '../../geometry/box.ts';
import { type IndexedDataSet, entryKind, inUnits, quadrants, UNITS_PER_METRE } from '../../engine/cells/format.ts';
import { type Outline, type Run, countVertices, cutOutline } from '../outlines/outline.ts';
import { type Piece, clipPiece, vertexCount } from './piece.ts';
import { ByteWriter } from '../../geopackage/bytes.ts';
import type { Positions } from '../../geometry/ring.ts';
import { crc32 } from 'node:zlib';

/** Tiles of the scratch file that `bucket.ts` wrote. */
export interface SplitTask {
  readonly scratchFile: string;
  readonly tiles: readonly number[];
  readonly dataSets: readonly IndexedDataSet[];
}

export interface TileTrees {
  readonly cells: TileTree;
  readonly outlines: TileTree;
}

/** A tile's part of a tree in preorder: one byte per cell, and the leaves in the same order. */
export interface TileTree {
  readonly shape: Uint8Array;
  readonly leaves: readonly Buffer[];
}

export const cellShape = { empty: 0, leaf: 1, split: 2 } as const;

/** Most vertices of a leaf that is not split further; reading them takes a few microseconds. */
const ENOUGH_VERTICES = 256;
/**
 * Width below which splitting gains nothing, because all remaining features are near every point of the leaf. Metres.
 */
const LEAST_SIZE_M = 32;
/**
 * Largest share of the vertices in a quadrant for which a split is worthwhile, unless there are far too many vertices.
 */
const WORTHWHILE_SHARE = 0.75;
const TOO_MANY_VERTICES = 1024;
/**
 * How many times the vertices of a cell its quadrants may have together. Where features lie close together, small leaves have mostly the same
 * features within their reach, and the index would become a multiple of its tables.
 */
const MOST_GROWTH = 1.6;
/** Most vertices of a row of outlines that is not split further: a few rows hold a circle of 1 km nearly everywhere. */
const ENOUGH_IN_ROW = 1024;

/** Builds the trees of one tile from what the scratch file has for it. */
export function splitTile(
  tile: Box,
  content: { readonly pieces: readonly Piece[]; readonly outlines: readonly Outline[] },
  dataSets: readonly IndexedDataSet[],
): TileTrees {
  return {
    cells: treeOf(
      tile,
      clipToCell(content.pieces, tile, dataSets),
      (cell, inside) => splitCell(cell, inside, dataSets),
      writeLeaf,
    ),
    outlines: treeOf(tile, content.outlines, splitOutlines, (inside, cell) => writeOutlines(inside, inUnits(cell))),
  };
}

/** @param split returns the content of the four quadrants, or null when the cell becomes a leaf. */
function treeOf<T>(
  root: Box,
  content: readonly T[],
  split: (cell: Box, inside: readonly T[]) => T[][] | null,
  write: (inside: readonly T[], cell: Box) => Buffer,
): TileTree {
  const shape: number[] = [];
  const leaves: Buffer[] = [];
  const visit = (cell: Box, inside: readonly T[]): void => {
    if (inside.length === 0) {
      shape.push(cellShape.empty);
      return;
    }
    const children = split(cell, inside);
    if (children) {
      shape.push(cellShape.split);
      quadrants(cell).forEach((quadrant, i) => {
        visit(quadrant, children[i]!);
      });
    } else {
      shape.push(cellShape.leaf);
      leaves.push(write(inside, cell));
    }
  };
  visit(root, content);
  return { shape: Uint8Array.from(shape), leaves };
}

/** Returns the pieces of the four quadrants, or null when the cell becomes a leaf. */
function splitCell(cell: Box, pieces: readonly Piece[], dataSets: readonly IndexedDataSet[]): Piece[][] | null {
  const vertices = sum(pieces);
  if (vertices <= ENOUGH_VERTICES || cell.maxX - cell.minX <= LEAST_SIZE_M) return null;
  const children = quadrants(cell).map((quadrant) => clipToCell(pieces, quadrant, dataSets));
  const sums = children.map(sum);
  const total = sums.reduce((all, one) => all + one, 0);
  const isWorthwhile = Math.max(...sums) <= WORTHWHILE_SHARE * vertices && total <= MOST_GROWTH * vertices;
  return isWorthwhile || vertices > TOO_MANY_VERTICES ? children : null;
}

/** Divides outlines while a row would have many vertices. Rows share only the segments that cross from one to the next. */
function splitOutlines(cell: Box, outlines: readonly Outline[]): Outline[][] | null {
  const vertices = outlines.reduce((total, outline) => total + countVertices(outline), 0);
  if (vertices <= ENOUGH_IN_ROW || cell.maxX - cell.minX <= LEAST_SIZE_M) return null;
  return quadrants(cell).map((quadrant) => outlines.flatMap((outline) => cutOutline(outline, inUnits(quadrant)) ?? []));
}

/** Clips the pieces to a cell's reach, in the order of data set and feature. */
export function clipToCell(pieces: readonly Piece[], cell: Box, dataSets: readonly IndexedDataSet[]): Piece[] {
  const reach = dataSets.map((dataSet) => dataSet.reachM);
  for (const piece of pieces) {
    if (dataSets[piece.set]!.nearestOnly) reach[piece.set] = farthestNearest(piece, cell, reach[piece.set]!);
  }
  return pieces.flatMap((piece) => clipPiece(piece, cell, reach[piece.set]!) ?? []);
}

/**
 * Returns a distance within which every point of the cell has a vertex of the piece, but at most `most`. It checks
 * vertices only in parts whose box may contain one that is near enough; in a cell wider than `most` there is none.
 */
function farthestNearest(piece: Piece, { minX, minY, maxX, maxY }: Box, most: number): number {
  if (piece.kind === entryKind.full) return 0;
  const x = (minX + maxX) / 2;
  const y = (minY + maxY) / 2;
  const halfWidth = (maxX - minX) / 2;
  const halfHeight = (maxY - minY) / 2;
  let least = most * most;
  for (const { xy, box } of piece.parts) {
    const nearestX = Math.max(box.minX - x, x - box.maxX, 0) + halfWidth;
    const nearestY = Math.max(box.minY - y, y - box.maxY, 0) + halfHeight;
    if (nearestX * nearestX + nearestY * nearestY >= least) continue;
    for (let i = 0; i < xy.length; i += 2) {
      const dx = Math.abs(xy[i]! - x) + halfWidth;
      const dy = Math.abs(xy[i + 1]! - y) + halfHeight;
      const squared = dx * dx + dy * dy;
      if (squared < least) least = squared;
    }
  }
  return Math.min(most, Math.sqrt(least));
}

function sum(pieces: readonly Piece[]): number {
  return pieces.reduce((total, piece) => total + vertexCount(piece), 0);
}

// A row of the outline tree as bytes: the frame of a leaf (leaf-writer.ts) around entries of data set index and kind, feature id, label (row id of
// the table of values, or offset of its text plus one; 0 for none), and the number of runs times two, plus one if the polygon contains the
// cell's reference point. A run has its ring or path, the number of vertices before it, the number of vertices times two, plus one if it has the
// last vertex, and the vertices as differences of whole centimetres, the first from the cell's lower left corner.

/** `cell` in centimetres. */
function writeOutlines(outlines: readonly Outline[], cell: Box): Buffer {
  const out = new ByteWriter();
  const texts = new Texts();
  out.varint(outlines.length);
  for (const { set, kind, fid, label, runs, isInside } of outlines) {
    out.varint(set * 4 + kind);
    out.varint(fid);
    out.varint(typeof label === 'number' ? label : texts.offsetOf(label) + 1);
    out.varint(runs.length * 2 + Number(isInside));
    for (const run of runs) writeRun(out, run, cell);
  }
  return framed(out.take(), texts.take());
}

function writeRun(out: ByteWriter, { part, start, isLast, xy }: Run, cell: Box): void {
  out.varint(part);
  out.varint(start);
  out.varint(xy.length + Number(isLast));
  let x = cell.minX;
  let y = cell.minY;
  for (let i = 0; i < xy.length; i += 2) {
    out.zigzag(xy[i]! - x);
    out.zigzag(xy[i + 1]! - y);
    x = xy[i]!;
    y = xy[i + 1]!;
  }
}

// A leaf as bytes: CRC-32 of the rest, the length of the entries, the number of entries, each entry, then the texts that entries
// refer to. An entry: data set index and kind, feature id, attribute values (row id of their table, or offset of their text plus one; 0 for none), and for
// geometry the parts as differences of whole centimetres. Numbers are varints, differences zigzag.

function writeLeaf(pieces: readonly Piece[], cell: Box): Buffer {
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
function framed(entries: Buffer, texts: Buffer): Buffer {
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
class Texts {
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
