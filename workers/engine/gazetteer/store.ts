import type Gdal from 'gdal-async';
import { LRUCache } from 'lru-cache';
import type { MunicipalityNames } from '../../../src/addresses/places.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import { isOneEditAt } from '../../../src/addresses/one-edit.ts';
import { normaliserVersion, readableNormalisers } from '../../../src/addresses/tokens.ts';
import { ByteReader } from '../../geopackage/bytes.ts';
import { recordsOf, Street, type BlockReader } from './street-record.ts';
import {
  squareOf,
  squaresAround,
  LONGEST_SPELLING,
  rowOf,
  spellingRow,
  streetRow,
  tables,
  type AliasTarget,
  type GazetteerDirectory,
} from './tables.ts';

/** Bytes of street rows that a thread keeps, because lookups often ask for neighbouring addresses next. */
const KEPT_STREET_BYTES = 4 * 1024 * 1024;
/** Approximate cost of an entry besides its bytes. */
const ENTRY_BYTES = 200;

/**
 * Reads the gazetteer's rows through GDAL by their ids. In memory it keeps the municipalities, and street rows that
 * were read recently.
 */
export class GazetteerStore implements BlockReader {
  readonly csds: GazetteerDirectory['csds'];
  readonly mails: GazetteerDirectory['mails'];
  readonly municipalityNames: MunicipalityNames;
  readonly #aliases: ReadonlyMap<string, readonly AliasTarget[]>;
  readonly #directory: GazetteerDirectory;
  #postalDistricts: ReadonlyMap<number, ReadonlySet<string>> | null = null;
  readonly #streets: Gdal.LayerFeatures;
  readonly #streetRows = new LRUCache<number, Buffer>({
    maxSize: KEPT_STREET_BYTES,
    sizeCalculation: (row) => row.length + ENTRY_BYTES,
  });
  readonly #points: Gdal.LayerFeatures;
  readonly #units: Gdal.LayerFeatures;
  readonly #names: Gdal.LayerFeatures;
  readonly #spellings: Gdal.LayerFeatures;
  readonly #near: Gdal.LayerFeatures | null;

  /** @throws Error when the file has no gazetteer, or one whose keys another version of the normaliser wrote. */
  constructor(dataset: Gdal.Dataset) {
    const directory = JSON.parse(rowData(openTable(dataset, tables.directory), 1).toString()) as GazetteerDirectory;
    if (!readableNormalisers.includes(directory.normaliser)) {
      throw new Error(
        `the gazetteer was built with address normaliser ${directory.normaliser}, but this program has ${normaliserVersion}: ` +
          'run `land-lookup load-addresses` again',
      );
    }
    this.#directory = directory;
    this.csds = directory.csds;
    this.mails = directory.mails;
    this.#aliases = new Map(Object.entries(directory.aliases));
    this.municipalityNames = namesOf(this.#aliases);
    this.#streets = openTable(dataset, tables.streets);
    this.#points = openTable(dataset, tables.points);
    this.#units = openTable(dataset, tables.units);
    this.#names = openTable(dataset, tables.names);
    this.#spellings = openTable(dataset, tables.spellings);
    this.#near = this.#directory.near ? openTable(dataset, tables.near) : null;
  }

  /** Says whether the register has addresses with this mailing municipality within some kilometres of a point. */
  isMailedNear(mail: number, point: Coordinate): boolean {
    const squares = this.#directory.cells[mail] ?? [];
    return squaresAround(squareOf(point)).some((square) => squares.includes(square));
  }

  /** Returns census subdivisions with addresses in a postal area, given by the first three characters. */
  csdsOfPostalArea(area: string): readonly number[] {
    return this.#directory.postalAreas[area] ?? [];
  }

  /** Returns the code of the census division that a subdivision is in: two digits. */
  divisionOf(csd: number): string {
    return this.csds[csd]?.code.slice(2, 4) ?? '';
  }

  /** Returns the first letters of the postal codes of a census subdivision. */
  postalDistrictsOf(csd: number): ReadonlySet<string> {
    this.#postalDistricts ??= districtsOf(this.#directory.postalAreas);
    return this.#postalDistricts.get(csd) ?? new Set();
  }

  /** Returns the places that a municipality key names, most rows first. */
  municipality(key: string): readonly AliasTarget[] {
    return this.#aliases.get(key) ?? [];
  }

  /** Returns every municipality key. */
  municipalityKeys(): Iterable<string> {
    return this.#aliases.keys();
  }

  /** Returns the census subdivisions of all postal areas that begin so. */
  csdsOfPostalAreas(beginning: string): Set<number> {
    const { postalAreas } = this.#directory;
    const known = postalAreas[beginning];
    if (known !== undefined) return new Set(known);
    const areas = Object.keys(postalAreas).filter((area) => area.startsWith(beginning));
    return new Set(areas.flatMap((area) => postalAreas[area]!));
  }

  /** Returns the census subdivisions that have a street of this key. */
  csdsWith(key: string): number[] {
    const reader = new ByteReader(rowData(this.#names, rowOf(key, this.#directory.nameRows)));
    while (!reader.done) {
      const found = reader.text() === key;
      const csds = Array.from({ length: reader.u16() }, () => reader.u16());
      if (found) return csds;
    }
    return [];
  }

  /**
   * Returns the streets of a key in a census subdivision, in all its mailing municipalities, of every type and
   * direction.
   */
  streets(key: string, csd: number): Street[] {
    const id = streetRow(key, csd, this.#directory.streetRows);
    let row = this.#streetRows.get(id);
    if (row === undefined) this.#streetRows.set(id, (row = rowData(this.#streets, id)));
    return recordsOf(row, key, csd).map((record) => new Street(record, this));
  }

  points(row: number): Buffer {
    return rowData(this.#points, row);
  }

  units(row: number): Buffer {
    return rowData(this.#units, row);
  }

  /** Says whether the register was imported with the addresses of each square. */
  get knowsNear(): boolean {
    return this.#near !== null;
  }

  /** Returns the row of a square; empty where it has no address. */
  near(square: number): Buffer {
    return (this.#near && optionalRow(this.#near, square)) ?? EMPTY;
  }

  /** Returns the street keys of a census subdivision that are one letter away from a text. */
  spellingsNear(csd: number, text: string): string[] {
    const near: string[] = [];
    if (text.length >= LONGEST_SPELLING) return near;
    for (const length of [text.length - 1, text.length, text.length + 1]) {
      // One line per key, all of one length.
      const keys = optionalRow(this.#spellings, spellingRow(csd, length))?.toString() ?? '';
      for (let at = 0; at < keys.length; at += length + 1) {
        if (isOneEditAt(text, keys, at, length)) near.push(keys.slice(at, at + length));
      }
    }
    return near;
  }
}

function namesOf(aliases: ReadonlyMap<string, unknown>): MunicipalityNames {
  const byLength: string[][] = [];
  for (const key of aliases.keys()) (byLength[key.length] ??= []).push(key);
  return { has: (key) => aliases.has(key), ofLength: (length) => byLength[length] ?? [] };
}

function districtsOf(areas: GazetteerDirectory['postalAreas']): Map<number, Set<string>> {
  const districts = new Map<number, Set<string>>();
  for (const [area, csds] of Object.entries(areas)) {
    for (const csd of csds) districts.set(csd, (districts.get(csd) ?? new Set()).add(area[0]!));
  }
  return districts;
}

function openTable(dataset: Gdal.Dataset, table: string): Gdal.LayerFeatures {
  try {
    return dataset.layers.get(table).features;
  } catch (cause) {
    throw new Error(`the GeoPackage has no table "${table}": run \`land-lookup load-addresses\``, { cause });
  }
}

function rowData(table: Gdal.LayerFeatures, row: number): Buffer {
  // The binding's types lack binary fields. They arrive as a Buffer, and an empty one as undefined.
  const data: unknown = table.get(row).fields.get(0);
  return Buffer.isBuffer(data) ? data : EMPTY;
}

const EMPTY = Buffer.alloc(0);

/** Reads a row that may be missing: the binding then throws an error without a message. */
export function optionalRow(table: Gdal.LayerFeatures, row: number): Buffer | null {
  try {
    return rowData(table, row);
  } catch {
    return null;
  }
}
