/**
 * First pass of a build: clips every feature to the tiles within its reach and writes the pieces to the disk by tile,
 * which limits the memory.
 */
import { type Box, boundsOfAll, grow, meets, union } from '../../geometry/box.ts';
import Database from 'better-sqlite3';
import {
  type EntryKind,
  inMetres,
  inUnits,
  quadrants,
  ROOT,
  tileBox,
  TILE_LEVEL,
  TILE_SIZE,
  TILES_PER_SIDE,
} from '../../engine/cells/format.ts';
import { type Outline, type Run, cutOutline, runFrom } from '../outlines/outline.ts';
import { type Piece, clipPiece } from './piece.ts';
import { splitTile, type SplitTask, type TileTrees } from './split.ts';
import { type Part, partOf } from '../../geometry/ring.ts';

export interface TileCount {
  readonly tile: number;
  readonly pieces: number;
}

/** Pieces and outlines by tile in a temporary file. */
export class Buckets {
  readonly #db: Database.Database;
  readonly #insertPiece: Database.Statement<[number, Buffer]>;
  readonly #insertOutline: Database.Statement<[number, Buffer]>;

  constructor(file: string) {
    this.#db = new Database(file);
    // A temporary file, which need not survive a crash.
    // Most rows are larger than a page of the usual size, and would be read piece by piece.
    this.#db.pragma('page_size = 32768');
    this.#db.pragma('journal_mode = OFF');
    this.#db.pragma('synchronous = OFF');
    this.#db.exec('CREATE TABLE piece (tile INTEGER, data BLOB); CREATE TABLE outline (tile INTEGER, data BLOB)');
    this.#insertPiece = this.#db.prepare('INSERT INTO piece VALUES (?, ?)');
    this.#insertOutline = this.#db.prepare('INSERT INTO outline VALUES (?, ?)');
    this.#db.exec('BEGIN');
  }

  /** Adds a feature to every tile within `reachM` projection metres of it. */
  add(feature: Piece, reachM: number): void {
    const area = grow(feature.parts.map(({ box }) => box).reduce(union), reachM);
    const only = singleTile(area);
    const shares =
      only === null
        ? descend(feature, rootNode, { area, cut: (piece, cell) => clipPiece(piece, cell, reachM) })
        : [{ tile: only, share: feature }];
    for (const { tile, share } of shares) this.#insertPiece.run(tile, writePiece(share));
  }

  /** Adds an outline to every tile that it comes into or covers. */
  addOutline(outline: Outline): void {
    const area = inMetres(boundsOfAll(outline.runs));
    const cut = (part: Outline, cell: Box): Outline | null => cutOutline(part, inUnits(cell));
    const only = singleTile(area);
    const shares =
      only === null ? descend(outline, rootNode, { area, cut }) : [{ tile: only, share: cut(outline, tileBox(only)) }];
    for (const { tile, share } of shares) if (share) this.#insertOutline.run(tile, writeOutline(share));
  }

  /** Ends the writing. Returns the tiles with content, in order, and how much each has. */
  finish(): TileCount[] {
    this.#db.exec('COMMIT; CREATE INDEX piece_tile ON piece (tile); CREATE INDEX outline_tile ON outline (tile)');
    const counts = `SELECT tile, count(*) AS pieces FROM (SELECT tile FROM piece UNION ALL SELECT tile FROM outline)
      GROUP BY tile ORDER BY tile`;
    return this.#db.prepare<[], TileCount>(counts).all();
  }

  close(): void {
    this.#db.close();
  }
}

/** Makes a function that reads what was added of a tile, in the order in which it was added. */
function bucketReader(db: Database.Database): (tile: number) => Parameters<typeof splitTile>[1] {
  const select = (table: string): Database.Statement<[number], Buffer> =>
    db.prepare<[number], Buffer>(`SELECT data FROM ${table} WHERE tile = ? ORDER BY rowid`).pluck();
  const [pieces, outlines] = [select('piece'), select('outline')];
  return (tile) => ({
    pieces: pieces.all(tile).map(readPiece),
    outlines: outlines.all(tile).map(readOutline),
  });
}

/** Returns the tile that contains the whole area, if there is one: most features are small. */
function singleTile({ minX, minY, maxX, maxY }: Box): number | null {
  const [left, right] = [minX, maxX].map((x) => Math.floor((x - ROOT.x) / TILE_SIZE));
  const [bottom, top] = [minY, maxY].map((y) => Math.floor((y - ROOT.y) / TILE_SIZE));
  const isInRoot = left! >= 0 && left! < TILES_PER_SIDE && bottom! >= 0 && bottom! < TILES_PER_SIDE;
  return isInRoot && left === right && bottom === top ? bottom! * TILES_PER_SIDE + left! : null;
}

interface Node {
  readonly cell: Box;
  readonly level: number;
  readonly column: number;
  readonly row: number;
}

/**
 * Halves the area at each step, so that a polygon of 100,000 vertices is not clipped as a whole for each of its tiles.
 */
function* descend<T>(
  item: T,
  { cell, level, column, row }: Node,
  by: {
    /** Cells that do not meet it have nothing. */
    readonly area: Box;
    readonly cut: (item: T, cell: Box) => T | null;
  },
): Generator<{ tile: number; share: T }> {
  if (!meets(cell, by.area)) return;
  const share = by.cut(item, cell);
  if (!share) return;
  if (level === TILE_LEVEL) {
    yield { tile: row * TILES_PER_SIDE + column, share };
    return;
  }
  for (const [i, quadrant] of quadrants(cell).entries()) {
    const child = { cell: quadrant, level: level + 1, column: column * 2 + (i % 2), row: row * 2 + (i >> 1) };
    yield* descend(share, child, by);
  }
}

const rootNode: Node = {
  cell: { minX: ROOT.x, minY: ROOT.y, maxX: ROOT.x + ROOT.size, maxY: ROOT.y + ROOT.size },
  level: 0,
  column: 0,
  row: 0,
};

// Rows of the temporary file of a build: pieces and outlines as plain numbers. A row: numbers of 64 bits, then those of 32 bits, then the text.

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
    set,
    fid,
    label: refOf(row, doubles, at),
    kind: kind as EntryKind,
    runs,
    reference: { x: doubles[6]!, y: doubles[7]! },
    isInside: doubles[8] === 1,
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
    bytes,
    doubles: new Float64Array(block, 0, doubles),
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

/** Splits runs of tiles of one temporary file. */
export class RunSplitter implements Disposable {
  readonly #db: Database.Database;
  readonly #read: ReturnType<typeof bucketReader>;

  constructor(scratchFile: string) {
    this.#db = new Database(scratchFile, { readonly: true, fileMustExist: true });
    this.#read = bucketReader(this.#db);
  }

  split({ tiles, dataSets }: Pick<SplitTask, 'tiles' | 'dataSets'>): TileTrees[] {
    return tiles.map((tile) => splitTile(tileBox(tile), this.#read(tile), dataSets));
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
