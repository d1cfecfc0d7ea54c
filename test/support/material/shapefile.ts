/** Shapefiles made byte by byte, for what GDAL never writes (ESRI Shapefile Technical Description, July 1998; dBASE III). */
import type { Ring } from './sources.ts';

const [POLYGON, FILE_CODE, VERSION] = [5, 9994, 1000];
const HEADER_BYTES = 100;

const PRJ =
  'GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],' +
  'PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';

/** A field of a table: its type, length and decimals. */
export type DbfField = readonly [name: string, type: string, length: number, decimals?: number];

/** The files of a Shapefile of polygons in NAD83, the .shp first; each shape is its rings as they are given. */
export function shapefile(
  name: string,
  shapes: readonly (readonly Ring[])[],
  fields: readonly DbfField[],
  rows: readonly (readonly (string | Buffer)[])[],
): Record<string, Buffer> {
  const records = shapes.map((rings, i) => record(i + 1, content(rings)));
  let words = HEADER_BYTES / 2;
  const index = records.map((one) => {
    const entry = Buffer.alloc(8);
    entry.writeInt32BE(words, 0);
    entry.writeInt32BE((one.length - 8) / 2, 4);
    words += one.length / 2;
    return entry;
  });
  return {
    [`${name}.shp`]: withHeader(records),
    [`${name}.shx`]: withHeader(index),
    [`${name}.dbf`]: table(fields, rows),
    [`${name}.prj`]: Buffer.from(PRJ),
  };
}

function withHeader(parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32BE(FILE_CODE, 0);
  header.writeInt32BE((HEADER_BYTES + body.length) / 2, 24);
  header.writeInt32LE(VERSION, 28);
  header.writeInt32LE(POLYGON, 32);
  [-81, 43, -79, 45].forEach((bound, i) => header.writeDoubleLE(bound, 36 + i * 8));
  return Buffer.concat([header, body]);
}

function record(number: number, shape: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeInt32BE(number, 0);
  header.writeInt32BE(shape.length / 2, 4);
  return Buffer.concat([header, shape]);
}

function content(rings: readonly Ring[]): Buffer {
  const positions = rings.flat();
  const xs = positions.map(([x]) => x);
  const ys = positions.map(([, y]) => y);
  const shape = Buffer.alloc(44 + rings.length * 4 + positions.length * 16);
  shape.writeInt32LE(POLYGON, 0);
  [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)].forEach((bound, i) =>
    shape.writeDoubleLE(bound, 4 + i * 8),
  );
  shape.writeInt32LE(rings.length, 36);
  shape.writeInt32LE(positions.length, 40);
  let first = 0;
  rings.forEach((ring, i) => {
    shape.writeInt32LE(first, 44 + i * 4);
    first += ring.length;
  });
  positions.flat().forEach((value, i) => shape.writeDoubleLE(value, 44 + rings.length * 4 + i * 8));
  return shape;
}

function table(fields: readonly DbfField[], rows: readonly (readonly (string | Buffer)[])[]): Buffer {
  const header = Buffer.alloc(32 + fields.length * 32 + 1);
  header.writeUInt8(3, 0);
  header.writeUInt32LE(rows.length, 4);
  header.writeUInt16LE(header.length, 8);
  header.writeUInt16LE(1 + fields.reduce((sum, [, , length]) => sum + length, 0), 10);
  fields.forEach(([name, type, length, decimals = 0], i) => {
    const at = 32 + i * 32;
    header.write(name.slice(0, 10), at, 'latin1');
    header.write(type, at + 11, 'latin1');
    header.writeUInt8(length, at + 16);
    header.writeUInt8(decimals, at + 17);
  });
  header.writeUInt8(0x0d, header.length - 1);
  const records = rows.map((row) =>
    Buffer.concat([Buffer.from(' '), ...row.map((value, i) => cell(value, fields[i]!))]),
  );
  return Buffer.concat([header, ...records, Buffer.from([0x1a])]);
}

function cell(value: string | Buffer, [, type, length]: DbfField): Buffer {
  if (typeof value !== 'string') return value;
  return Buffer.from(type === 'N' ? value.padStart(length) : value.padEnd(length), 'latin1');
}
