/**
 * First pass of a build: clips every feature to the tiles within its reach and writes the pieces to the disk by tile,
 * which limits the memory.
 */
import { deserialize, serialize } from 'node:v8';
import Database from 'better-sqlite3';
import { grow, meets, type Box } from '../../geopackage/box.ts';
import { quadrants, ROOT, TILE_LEVEL, TILE_SIZE, TILES_PER_SIDE } from '../../lookup/cells/format.ts';
import { clipPiece, type Piece } from './piece.ts';

export interface TileCount {
  readonly tile: number;
  readonly pieces: number;
}

/** Pieces by tile in a temporary file. */
export class Buckets {
  readonly #db: Database.Database;
  readonly #insert: Database.Statement<[number, Buffer]>;

  constructor(file: string) {
    this.#db = new Database(file);
    // A temporary file, which need not survive a crash.
    this.#db.pragma('journal_mode = OFF');
    this.#db.pragma('synchronous = OFF');
    this.#db.exec('CREATE TABLE piece (tile INTEGER, data BLOB)');
    this.#insert = this.#db.prepare('INSERT INTO piece VALUES (?, ?)');
    this.#db.exec('BEGIN');
  }

  /** Adds a feature to every tile within `reachM` projection metres of it. */
  add(feature: Piece, reachM: number): void {
    const bounds = feature.parts.map(({ box }) => box).reduce(union);
    for (const { tile, piece } of tilesOf(feature, grow(bounds, reachM), reachM))
      this.#insert.run(tile, serialize(piece));
  }

  /** Ends the writing. Returns the tiles with pieces, in order, and how many pieces each has. */
  finish(): TileCount[] {
    this.#db.exec('COMMIT; CREATE INDEX piece_tile ON piece (tile)');
    const counts = 'SELECT tile, count(*) AS pieces FROM piece GROUP BY tile ORDER BY tile';
    return this.#db.prepare<[], TileCount>(counts).all();
  }

  close(): void {
    this.#db.close();
  }
}

/** Makes a function that reads the pieces of a tile in the order in which they were added. */
export function bucketReader(db: Database.Database): (tile: number) => Piece[] {
  const select = db.prepare<[number], Buffer>('SELECT data FROM piece WHERE tile = ? ORDER BY rowid').pluck();
  return (tile) => select.all(tile).map((data) => deserialize(data) as Piece);
}

function* tilesOf(feature: Piece, area: Box, reachM: number): Generator<{ tile: number; piece: Piece }> {
  const only = singleTile(area);
  if (only !== null) yield { tile: only, piece: feature };
  else yield* descend(feature, { cell: rootBox, level: 0, column: 0, row: 0 }, { area, reachM });
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
function* descend(
  piece: Piece,
  { cell, level, column, row }: Node,
  within: { readonly area: Box; readonly reachM: number },
): Generator<{ tile: number; piece: Piece }> {
  if (!meets(cell, within.area)) return;
  const share = clipPiece(piece, cell, within.reachM);
  if (!share) return;
  if (level === TILE_LEVEL) {
    yield { tile: row * TILES_PER_SIDE + column, piece: share };
    return;
  }
  for (const [i, quadrant] of quadrants(cell).entries()) {
    const child = { cell: quadrant, level: level + 1, column: column * 2 + (i % 2), row: row * 2 + (i >> 1) };
    yield* descend(share, child, within);
  }
}

const rootBox: Box = { minX: ROOT.x, minY: ROOT.y, maxX: ROOT.x + ROOT.size, maxY: ROOT.y + ROOT.size };

function union(a: Box, b: Box): Box {
  return {
    minX: Math.min(a.minX, b.minX),
    minY: Math.min(a.minY, b.minY),
    maxX: Math.max(a.maxX, b.maxX),
    maxY: Math.max(a.maxY, b.maxY),
  };
}
