import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import type { CivicPoint } from '../../engine/gazetteer/civic-block.ts';

/**
 * Opens an empty database for data that need not survive a crash: without a journal, without waiting for the disk, for one user.
 * SQLite uses `cacheKib` for pages, and as much again for sorting.
 */
function openScratchDatabase(file: string, cacheKib: number): Database.Database {
  rmSync(file, { force: true });
  const db = new Database(file);
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.pragma('locking_mode = EXCLUSIVE');
  db.pragma(`cache_size = -${cacheKib}`);
  return db;
}

export interface StagedLocation {
  readonly guid: string;
  readonly csd: number;
  readonly lat: number;
  readonly lon: number;
  readonly blockface: boolean;
}

interface StagedAddress {
  readonly guid: string;
  readonly street: number;
  readonly spelling: number;
  readonly csdName: number;
  readonly civic: number;
  readonly suffix: string;
  readonly unit: string;
  readonly postalCode: string;
}

/** An address with its location: census subdivision code, street, position, and the rest as staged. */
export interface JoinedRow extends Omit<StagedAddress, 'guid'>, Omit<StagedLocation, 'guid' | 'blockface'> {
  readonly blockface: 0 | 1;
}

const BATCH_ROWS = 50_000;
const CACHE_KIB = 128 * 1024;

/**
 * Joins addresses and locations and sorts them by street on disk, so that a register of millions of rows takes little
 * memory. The file is beside the GeoPackage and is deleted with the object.
 */
export class Staging implements Disposable {
  readonly #file: string;
  readonly #db: Database.Database;
  readonly #insertLocation: Database.Statement;
  readonly #insertAddress: Database.Statement;
  #positionsOf: Database.Statement<[string], Coordinate> | null = null;
  #pending = 0;

  constructor(file: string) {
    this.#file = file;
    this.#db = openScratchDatabase(file, CACHE_KIB);
    this.#db.exec(`
      CREATE TABLE location (guid BLOB PRIMARY KEY, csd INTEGER, lat REAL, lon REAL, blockface INTEGER) WITHOUT ROWID;
      CREATE TABLE address (guid BLOB, street INTEGER, spelling INTEGER, csd_name INTEGER, civic INTEGER, suffix TEXT, unit TEXT, postal_code TEXT);
    `);
    this.#insertLocation = this.#db.prepare('INSERT OR REPLACE INTO location VALUES (?, ?, ?, ?, ?)');
    this.#insertAddress = this.#db.prepare('INSERT INTO address VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    this.#db.exec('BEGIN');
  }

  addLocation({ guid, csd, lat, lon, blockface }: StagedLocation): void {
    this.#insertLocation.run(guidBytes(guid), csd, lat, lon, blockface ? 1 : 0);
    this.#count();
  }

  addAddress({ guid, street, spelling, csdName, civic, suffix, unit, postalCode }: StagedAddress): void {
    this.#insertAddress.run(guidBytes(guid), street, spelling, csdName, civic, suffix, unit, postalCode);
    this.#count();
  }

  addressCount(): number {
    return this.#db.prepare<[], { n: number }>('SELECT count(*) AS n FROM address').get()!.n;
  }

  /** Yields addresses that have a location, street by street, in the order of their civic numbers. */
  joined(): IterableIterator<JoinedRow> {
    this.#db.exec('COMMIT; CREATE INDEX address_postal_code ON address (postal_code); BEGIN');
    this.#positionsOf = this.#db.prepare<[string], Coordinate>(
      'SELECT lat, lon FROM address a JOIN location l ON l.guid = a.guid WHERE a.postal_code = ? LIMIT 200',
    );
    return this.#db
      .prepare<[], JoinedRow>(
        `SELECT l.csd, a.street, a.spelling, a.csd_name AS csdName, a.civic, a.suffix, a.unit, a.postal_code AS postalCode, l.lat, l.lon, l.blockface
         FROM address a JOIN location l ON l.guid = a.guid
         ORDER BY l.csd, a.street, a.civic, a.suffix, l.blockface, l.lat, l.lon, a.postal_code, a.spelling`,
      )
      .iterate();
  }

  /** Returns positions of addresses with a postal code, at most 200. Call it while `joined` runs. */
  positionsOf(postalCode: string): Coordinate[] {
    return this.#positionsOf?.all(postalCode) ?? [];
  }

  [Symbol.dispose](): void {
    this.#db.close();
    rmSync(this.#file, { force: true });
  }

  #count(): void {
    if (++this.#pending < BATCH_ROWS) return;
    this.#db.exec('COMMIT; BEGIN');
    this.#pending = 0;
  }
}

/** Converts an id to 16 bytes instead of 36 characters; an id in another form stays unchanged, without blanks around it. */
function guidBytes(guid: string): Buffer {
  const hex = guid.replaceAll(/[-{}\s]/g, '');
  return /^[0-9a-f]{32}$/i.test(hex) ? Buffer.from(hex, 'hex') : Buffer.from(guid.trim());
}

/** A civic point with numbers that name its street: in the street index, of its spelling, of the census subdivision. */
export interface StagedPoint extends Pick<CivicPoint, 'civic' | 'lat' | 'lon' | 'spelling'> {
  readonly square: number;
  readonly street: number;
  readonly csd: number;
  readonly suffix: string;
  readonly postalCode: string;
  readonly blockface: 0 | 1;
}

const POINTS_AT_ONCE = 20_000;
const POINTS_CACHE_KIB = 64 * 1024;

/** Keeps the civic points on disk until they are written by square. The file is deleted with the object. */
export class NearStaging implements Disposable {
  readonly #file: string;
  readonly #db: Database.Database;
  readonly #insert: Database.Statement;
  readonly #delete: Database.Statement;

  constructor(file: string) {
    this.#file = file;
    this.#db = openScratchDatabase(file, POINTS_CACHE_KIB);
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
      const points = batch.all(last, POINTS_AT_ONCE);
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
