import { rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { CivicPoint } from '../../engine/gazetteer/civic-block.ts';
import { openScratchDatabase } from './scratch-database.ts';

/** A civic point with numbers that name its street: in the street index, of its spelling, of the census subdivision. */
export interface StagedPoint extends Pick<CivicPoint, 'civic' | 'lat' | 'lon' | 'spelling'> {
  readonly square: number;
  readonly street: number;
  readonly csd: number;
  readonly suffix: string;
  readonly postalCode: string;
  readonly blockface: 0 | 1;
}

const BATCH_ROWS = 20_000;
const CACHE_KIB = 64 * 1024;

/** Keeps the civic points on disk until they are written by square. The file is deleted with the object. */
export class NearStaging implements Disposable {
  readonly #file: string;
  readonly #db: Database.Database;
  readonly #insert: Database.Statement;
  readonly #delete: Database.Statement;

  constructor(file: string) {
    this.#file = file;
    this.#db = openScratchDatabase(file, CACHE_KIB);
    this.#db.exec(
      `CREATE TABLE point (id INTEGER PRIMARY KEY, square INTEGER, street INTEGER, spelling INTEGER, csd INTEGER, civic INTEGER,
        suffix TEXT, postal_code TEXT, blockface INTEGER, lat REAL, lon REAL)`,
    );
    this.#insert = this.#db.prepare('INSERT INTO point VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#delete = this.#db.prepare('DELETE FROM point WHERE id = ?');
    this.#db.exec('BEGIN');
  }

  add({ square, street, spelling, csd, civic, suffix, postalCode, blockface, lat, lon }: StagedPoint): void {
    this.#insert.run(square, street, spelling, csd, civic, suffix, postalCode, blockface, lat, lon);
  }

  count(): number {
    return this.#db.prepare('SELECT count(*) FROM point').pluck().get() as number;
  }

  /** Deletes the points of which `isKept` is false. It sees them in the order in which they were added. */
  keepOnly(isKept: (point: StagedPoint) => boolean, onRows: (done: number) => void): void {
    const batch = this.#db.prepare<[number, number], StagedPoint & { id: number }>(
      `SELECT id, ${COLUMNS} FROM point WHERE id > ? ORDER BY id LIMIT ?`,
    );
    for (let last = 0; ;) {
      const points = batch.all(last, BATCH_ROWS);
      if (points.length === 0) return;
      for (const point of points) if (!isKept(point)) this.#delete.run(point.id);
      last = points.at(-1)!.id;
      onRows(last);
    }
  }

  /** Yields the points of one square after the other, each in the order in which they were added. */
  *bySquare(): Generator<StagedPoint[]> {
    this.#db.exec('COMMIT; CREATE INDEX point_square ON point (square); BEGIN');
    const rows = this.#db.prepare<[], StagedPoint>(`SELECT ${COLUMNS} FROM point ORDER BY square, id`).iterate();
    let points: StagedPoint[] = [];
    for (const point of rows) {
      if (points.length > 0 && points[0]!.square !== point.square) {
        yield points;
        points = [];
      }
      points.push(point);
    }
    if (points.length > 0) yield points;
  }

  [Symbol.dispose](): void {
    this.#db.close();
    rmSync(this.#file, { force: true });
  }
}

const COLUMNS = 'square, street, spelling, csd, civic, suffix, postal_code AS postalCode, blockface, lat, lon';
