import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { AnsweredRow } from './row.ts';
import {
  type WriterOptions,
  type Cell,
  type Column,
  type ColumnType,
  type TableRow,
  tableColumns,
  tableRow,
} from './table.ts';
import type { Coordinate } from '../../../messages/lookup.ts';

/** Rows of a row group. A program reads a group at once; the last part of the file lists each column of each group. */
const ROWS_PER_GROUP = 5000;

/** Bytes that are given out together. */
const MOST_BYTES = 256 * 1024;

/** UTF-16 units of texts after which a row group ends early: the answers for areas are long. */
const UNITS_PER_GROUP = 1 << 24;

/**
 * Writes rows as Parquet, piece by piece: the columns of CSV with their types, and the place of each row in `geometry` (GeoParquet 1.1). The
 * statements of the licences are `attribution` in the metadata of the file. Memory holds one row group and the list of all. Other work gets its turn
 * between two columns.
 */
export async function* parquetOf(rows: AsyncIterable<AnsweredRow>, options: WriterOptions): AsyncGenerator<Uint8Array> {
  // Loaded by those who need it only.
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const columns = parquetColumns(tableColumns(options));
  const root = { name: 'root', num_children: columns.length };
  const bytes = new ByteWriter();
  const file = new ParquetWriter({ writer: bytes, schema: [root, ...columns.map(({ element }) => element)] });
  const bounds = new PointBounds();
  const group = new RowGroup(columns);
  for await (const answered of rows) {
    const row = tableRow(answered);
    bounds.add(row.place ?? row.area);
    group.add(row);
    if (group.isFull) yield* group.writeTo(file, bytes);
  }
  if (group.rows > 0) yield* group.writeTo(file, bytes);
  file.kvMetadata = [
    { key: 'geo', value: JSON.stringify(geoMetadata(bounds.bbox)) },
    { key: 'attribution', value: options.attribution.join('\n') },
  ];
  await file.finish();
  yield* taken(bytes);
}

type Value = Cell | bigint | Uint8Array;
type SchemaElement = ParquetWriter['schema'][number];

interface ParquetColumn {
  readonly element: SchemaElement;
  readonly value: (row: TableRow) => Value;
}

/** The rows that are not written yet, column by column. */
class RowGroup {
  readonly #columns: readonly ParquetColumn[];
  #values: Value[][];
  #units = 0;
  rows = 0;

  constructor(columns: readonly ParquetColumn[]) {
    this.#columns = columns;
    this.#values = columns.map(() => []);
  }

  get isFull(): boolean {
    return this.rows >= ROWS_PER_GROUP || this.#units >= UNITS_PER_GROUP;
  }

  add(row: TableRow): void {
    this.#columns.forEach((column, i) => {
      const value = column.value(row);
      if (typeof value === 'string') this.#units += value.length;
      this.#values[i]!.push(value);
    });
    this.rows++;
  }

  /** Writes the rows, and forgets them. The library would write a group at once: here it writes one for each column, and they become one. */
  async *writeTo(file: ParquetWriter, bytes: ByteWriter): AsyncGenerator<Uint8Array> {
    const before = file.row_groups.length;
    for (const [i, { element }] of this.#columns.entries()) {
      await file.write({ columnData: [{ name: element.name, data: this.#values[i]! }], rowGroupSize: this.rows });
      yield* taken(bytes);
      await nextTurn();
    }
    const parts = file.row_groups.splice(before);
    file.row_groups.push({
      columns: parts.flatMap(({ columns }) => columns),
      total_byte_size: parts.reduce((sum, part) => sum + part.total_byte_size, 0n),
      num_rows: BigInt(this.rows),
    });
    file.num_rows = file.row_groups.reduce((sum, { num_rows: rows }) => sum + rows, 0n);
    this.#values = this.#columns.map(() => []);
    this.#units = this.rows = 0;
  }
}

/** Takes the bytes that were written, in pieces. */
function* taken(bytes: ByteWriter): Generator<Uint8Array> {
  const written = bytes.getBytes().slice();
  bytes.index = 0;
  for (let at = 0; at < written.length; at += MOST_BYTES) yield written.subarray(at, at + MOST_BYTES);
}

function parquetColumns(columns: readonly Column[]): readonly ParquetColumn[] {
  return [
    ...columns.map(({ name, type, isRequired, cell }): ParquetColumn => {
      const element: SchemaElement = { name, ...types[type], repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL' };
      return { element, value: type === 'integer' ? (row) => wholeNumber(cell(row)) : cell };
    }),
    {
      element: { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
      value: ({ place, area }) => pointWkb(place ?? area),
    },
  ];
}

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

/** Integers have 64 bits, because a smaller type would cut a larger number without a word. */
const types: Readonly<Record<ColumnType, Partial<SchemaElement>>> = {
  boolean: { type: 'BOOLEAN' },
  string: text,
  json: text,
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
};

function wholeNumber(cell: Cell): bigint | null {
  return typeof cell === 'number' ? BigInt(cell) : null;
}

// What GeoParquet 1.1 asks for (github.com/opengeospatial/geoparquet, v1.1.0, format-specs/geoparquet.md) of a column of points.

/** Smallest longitude and latitude, and largest. */
type Bbox = readonly [number, number, number, number];

/** Returns the metadata `geo` of a file whose points are in the column `geometry`, in WGS84 degrees. */
function geoMetadata(bbox: Bbox | null): object {
  const geometry = {
    encoding: 'WKB',
    // Known to be none where there is no point.
    geometry_types: bbox ? ['Point'] : [],
    ...(bbox ? { bbox } : {}),
  };
  return { version: '1.1.0', primary_column: 'geometry', columns: { geometry } };
}

/** Returns a point as well-known binary, in the order of bytes that most machines have: longitude first. */
function pointWkb(at: Coordinate | null): Uint8Array | null {
  if (!at) return null;
  const bytes = new DataView(new ArrayBuffer(21));
  bytes.setUint8(0, 1);
  bytes.setUint32(1, 1, true);
  bytes.setFloat64(5, at.lon, true);
  bytes.setFloat64(13, at.lat, true);
  return new Uint8Array(bytes.buffer);
}

/** The box around points. */
class PointBounds {
  #box: Bbox | null = null;

  add(at: Coordinate | null): void {
    if (!at) return;
    const { lon, lat } = at;
    const [west, south, east, north] = this.#box ?? [lon, lat, lon, lat];
    this.#box = [Math.min(west, lon), Math.min(south, lat), Math.max(east, lon), Math.max(north, lat)];
  }

  /** Null without points. */
  get bbox(): Bbox | null {
    return this.#box;
  }
}
