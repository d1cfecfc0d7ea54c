/**
 * First pass of a build: clips every feature to the tiles within its reach and writes the pieces to the disk by tile,
 * which limits the memory.
 */
import { boundsOfAll, grow, meets, union, type Box } from '../../geometry/box.ts';
import Database from 'better-sqlite3';
import {
  inMetres,
  inUnits,
  quadrants,
  ROOT,
  tileBox,
  TILE_LEVEL,
  TILE_SIZE,
  TILES_PER_SIDE,
} from '../../engine/cells/format.ts';
import { cutOutline, type Outline } from '../outlines/outline.ts';
import { clipPiece, type Piece } from './piece.ts';
import { readOutline, readPiece, writeOutline, writePiece } from './scratch-rows.ts';
import type { TileContent } from './split.ts';

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
export function bucketReader(db: Database.Database): (tile: number) => TileContent {
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

interface Cut<T> {
  /** Cells that do not meet it have nothing. */
  readonly area: Box;
  readonly cut: (item: T, cell: Box) => T | null;
}

/**
 * Halves the area at each step, so that a polygon of 100,000 vertices is not clipped as a whole for each of its tiles.
 */
function* descend<T>(item: T, { cell, level, column, row }: Node, by: Cut<T>): Generator<{ tile: number; share: T }> {
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
  ...{ level: 0, column: 0, row: 0 },
};
