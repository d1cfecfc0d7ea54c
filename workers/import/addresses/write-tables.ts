import { ByteReader, ByteWriter } from '../../geopackage/bytes.ts';
import { compareNames, encodeNames, type NamedStreet } from '../../suggest/name-list.ts';
import { NumberRowWriter } from '../../suggest/number-row.ts';
import Database from 'better-sqlite3';
import { createAttributeTable } from '../../geopackage/land-file.ts';
import type { RowSink } from './pack-street.ts';
import {
  LONGEST_SPELLING,
  rowOf,
  spellingRow,
  streetRow,
  tables,
  type GazetteerDirectory,
} from '../../engine/gazetteer/tables.ts';

/** The rows that suggestions need. */
interface SuggestionRows {
  readonly names: Buffer;
  /** By civic number, ascending. */
  readonly numbers: Iterable<readonly [civic: number, row: Buffer]>;
}

/** Collects the streets and their civic numbers while the register is packed. */
export class NameListBuilder {
  readonly #streets: NamedStreet[] = [];
  readonly #names: { readonly name: Buffer; readonly street: number }[] = [];
  /** By street: its distinct civic numbers as differences. */
  readonly #civics: Buffer[] = [];
  readonly #writer = new ByteWriter();

  /** @param civics ascending; equal ones may repeat. */
  add(street: NamedStreet, names: readonly string[], civics: Iterable<number>): void {
    const number = this.#streets.push(street) - 1;
    for (const name of names) this.#names.push({ name: Buffer.from(name), street: number });
    let last = 0;
    for (const civic of civics) {
      if (civic !== last) this.#writer.varint(civic - last);
      last = civic;
    }
    this.#civics.push(this.#writer.take());
  }

  take(): SuggestionRows {
    this.#names.sort((a, b) => compareNames(a.name, b.name) || a.street - b.street);
    return { names: encodeNames(this.#streets, this.#names), numbers: this.#numberRows() };
  }

  *#numberRows(): Generator<readonly [number, Buffer]> {
    const rows = new Map<number, NumberRowWriter>();
    for (const [position, { street }] of this.#names.entries()) {
      const civics = new ByteReader(this.#civics[street]!);
      for (let civic = 0; !civics.done;) {
        civic += civics.varint();
        let row = rows.get(civic);
        if (!row) rows.set(civic, (row = new NumberRowWriter()));
        row.add(position);
      }
    }
    for (const civic of [...rows.keys()].sort((a, b) => a - b)) yield [civic, rows.get(civic)!.take()];
  }
}

const INSERT_BATCH = 20_000;

/**
 * Writes the gazetteer's tables into a GeoPackage, in place of existing ones. They are registered as attribute tables,
 * without geometry.
 */
export class TableWriter implements Disposable, RowSink {
  readonly #db: Database.Database;
  readonly #insertPacked: Database.Statement;
  readonly #insertPoints: Database.Statement;
  readonly #insertUnits: Database.Statement;

  /** @param gpkg an existing GeoPackage that nobody has open. */
  constructor(gpkg: string) {
    this.#db = new Database(gpkg, { fileMustExist: true });
    this.#db.pragma('journal_mode = DELETE');
    this.#db.pragma('synchronous = OFF');
    this.#db.exec('CREATE TEMP TABLE packed (key TEXT, csd INTEGER, data BLOB)');
    for (const table of Object.values(tables)) createAttributeTable(this.#db, table);
    this.#insertPacked = this.#db.prepare('INSERT INTO packed VALUES (?, ?, ?)');
    this.#insertPoints = this.#db.prepare(`INSERT INTO ${tables.points} (data) VALUES (?)`);
    this.#insertUnits = this.#db.prepare(`INSERT INTO ${tables.units} (data) VALUES (?)`);
    this.#db.exec('BEGIN');
  }

  addPoints(block: Buffer): number {
    return Number(this.#insertPoints.run(block).lastInsertRowid);
  }

  addUnits(units: Buffer): number {
    return Number(this.#insertUnits.run(units).lastInsertRowid);
  }

  /** Stores a street record until `finish` knows the number of rows. */
  addStreet(key: string, csd: number, record: Buffer): void {
    this.#insertPacked.run(key, csd, record);
  }

  addSuggestions({ names, numbers }: SuggestionRows): void {
    this.#db.prepare(`INSERT INTO ${tables.prefixes} VALUES (1, ?)`).run(names);
    const insert = this.#db.prepare(`INSERT INTO ${tables.numbers} VALUES (?, ?)`);
    for (const [civic, row] of numbers) insert.run(civic, row);
  }

  /** Writes everything; `names` is street key -> census subdivisions. */
  finish(
    names: ReadonlyMap<string, ReadonlySet<number>>,
    directory: Omit<GazetteerDirectory, 'streetRows' | 'nameRows'>,
  ): void {
    const streetRows = Math.max(
      1,
      [...names.values()].reduce((sum, csds) => sum + csds.size, 0),
    );
    const nameRows = Math.max(1, names.size);
    this.#writeStreets(streetRows);
    this.#writeNames(names, nameRows);
    this.#writeSpellings(names);
    const whole: GazetteerDirectory = { ...directory, streetRows, nameRows };
    this.#db.prepare(`INSERT INTO ${tables.directory} VALUES (1, ?)`).run(Buffer.from(JSON.stringify(whole)));
    this.#db.exec('COMMIT; DROP TABLE packed');
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #writeStreets(rows: number): void {
    this.#db.function('street_row', { deterministic: true }, (key, csd) => streetRow(String(key), Number(csd), rows));
    this.#db.exec('ALTER TABLE packed ADD COLUMN place INTEGER; UPDATE packed SET place = street_row(key, csd)');
    const insert = this.#db.prepare(`INSERT INTO ${tables.streets} VALUES (?, ?)`);
    // Read in batches: the connection cannot insert while a statement is being iterated.
    const batch = this.#db.prepare<[number, number], { place: number; data: Buffer }>(
      'SELECT place, data FROM packed WHERE place BETWEEN ? AND ? ORDER BY place, csd, key',
    );
    this.#db.exec('CREATE INDEX temp.packed_place ON packed (place)');
    for (let from = 1; from <= rows; from += INSERT_BATCH) {
      const to = Math.min(rows, from + INSERT_BATCH - 1);
      const records = batch.all(from, to);
      for (let row = from, at = 0; row <= to; row++) {
        const start = at;
        while (records[at]?.place === row) at++;
        insert.run(row, Buffer.concat(records.slice(start, at).map(({ data }) => data)));
      }
    }
  }

  #writeNames(names: ReadonlyMap<string, ReadonlySet<number>>, rows: number): void {
    const writers = new Map<number, ByteWriter>();
    for (const [key, csds] of names) {
      const writer = entry(writers, rowOf(key, rows));
      writer.text(key);
      writer.u16(csds.size);
      for (const csd of csds) writer.u16(csd);
    }
    const insert = this.#db.prepare(`INSERT INTO ${tables.names} VALUES (?, ?)`);
    for (let row = 1; row <= rows; row++) insert.run(row, writers.get(row)?.take() ?? Buffer.alloc(0));
  }

  #writeSpellings(names: ReadonlyMap<string, ReadonlySet<number>>): void {
    const lists = new Map<number, string[]>();
    for (const [key, csds] of names) {
      if (key.length > LONGEST_SPELLING) continue;
      for (const csd of csds) {
        const row = spellingRow(csd, key.length);
        const list = lists.get(row);
        if (list) list.push(key);
        else lists.set(row, [key]);
      }
    }
    const insert = this.#db.prepare(`INSERT INTO ${tables.spellings} VALUES (?, ?)`);
    for (const [row, keys] of [...lists].sort(([a], [b]) => a - b))
      insert.run(row, Buffer.from(keys.sort().join('\n')));
  }
}

function entry(writers: Map<number, ByteWriter>, row: number): ByteWriter {
  let writer = writers.get(row);
  if (!writer) writers.set(row, (writer = new ByteWriter()));
  return writer;
}
