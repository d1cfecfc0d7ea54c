/** Numbers that GDAL would read as others: it takes what a text begins with, "12,5" for 12 and "n/a" for 0. */
import { closeSync, openSync, readSync } from 'node:fs';
import { fieldIndex } from '../../../src/catalogue/source-field.ts';
import { quotedName } from '../features/feature-table.ts';
import { askGeoPackage } from './check-geopackage.ts';
import { eachAttribute } from './check-json.ts';
import { dbfHeader, DELETED, eachRecord, siblingsOf } from './check-shapefile.ts';
import { quoted, readStart } from './read-start.ts';
import { sourceFormat } from './source-format.ts';

/**
 * GDAL gives a field of GeoJSON the type of all its values, so nothing is read as another number there. `esriTypes`: its types of the fields, of Esri
 * JSON.
 * @throws Error that quotes the first value that would be read as another one, in one of these fields of a Shapefile, of Esri JSON or of a GeoPackage's
 * layer.
 */
export function checkNumbers(
  path: string,
  { layer, esriTypes }: { readonly layer: string; readonly esriTypes: readonly string[] | null },
  fields: readonly string[],
  present: readonly string[],
): void {
  const format = sourceFormat(path);
  const indexes = fields.map((name) => fieldIndex(name, present)!);
  if (format === 'ESRI Shapefile') checkTable(siblingsOf(path).dbf!, new Set(indexes));
  if (format === 'GPKG') checkColumns(path, layer, fields);
  if (esriTypes !== null)
    checkAttributes(path, new Map(indexes.map((at) => [present[at]!.toLowerCase(), esriTypes[at]!])));
}

/** GDAL's names of types. */
const isNumber = /^(integer|integer64|real)$/i;

/** Fields without a value are not read. GDAL takes names without case. */
function checkAttributes(path: string, types: ReadonlyMap<string, string>): void {
  const fits = new Map(
    [...types].flatMap(([name, type]) =>
      isNumber.test(type) ? [[name, /real/i.test(type) ? anyNumber : wholeNumber]] : [],
    ),
  );
  if (fits.size === 0) return;
  eachAttribute(path, new Set(fits.keys()), (name, text) => {
    if (!fits.get(name.toLowerCase())!.test(text.trim())) refuse(name, text);
  });
}

/** Declared types of a GeoPackage that hold whole numbers, and others. SQLite itself stores anything in any column. */
const wholeTypes = /^(BOOLEAN|TINYINT|SMALLINT|MEDIUMINT|INT)/i;
const realTypes = /^(FLOAT|DOUBLE|REAL)/i;

function checkColumns(path: string, layer: string, fields: readonly string[]): void {
  const found = askGeoPackage(path, (db) => {
    const columns = db.prepare('SELECT name, type FROM pragma_table_info(?)').all(layer) as readonly Declared[];
    const examples = columns.filter(({ name }) => fields.includes(name)).flatMap(exampleIn);
    if (examples.length === 0) return {};
    return db.prepare(`SELECT ${examples.join(', ')} FROM ${quotedName(layer)}`).get() as Record<string, string | null>;
  });
  for (const [name, example] of Object.entries(found)) if (example !== null) refuse(name, example);
}

interface Declared {
  readonly name: string;
  readonly type: string;
}

/** What finds, in SQL, a value of a column that is no number of its type; none for a column of other values. */
function exampleIn({ name, type }: Declared): string[] {
  const isWhole = wholeTypes.test(type);
  if (!isWhole && !realTypes.test(type)) return [];
  const column = quotedName(name);
  const others = isWhole ? `'text', 'blob', 'real'` : `'text', 'blob'`;
  return [`max(CASE WHEN typeof(${column}) IN (${others}) THEN CAST(${column} AS TEXT) END) AS ${column}`];
}

function refuse(name: string, value: string): never {
  throw new Error(
    `has "${quoted(value.trim())}" in the field "${name}" of numbers, which would be read as another number: correct it, or make it a field of text`,
  );
}

/** Of a field's description in a .dbf, and where its name, type, length and decimals are (dBASE III). */
const [FIRST_FIELD, FIELD_BYTES, NAME_BYTES, TYPE_AT, LENGTH_AT, DECIMALS_AT] = [32, 32, 11, 11, 16, 17];

/** Types of dBASE III whose values stand in the record as text. Memos (M) stand in another file; others are binary, in FoxPro and dBASE 7. */
const textTypes = 'CNFDL';

const wholeNumber = /^[-+]?\d+(\.0*)?$/;
const anyNumber = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** Stands for a number that is too long for its field. */
const OVERFLOW = /^\*+$/;

interface NumberField {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly fits: RegExp;
}

function checkTable(dbf: string, used: ReadonlySet<number>): void {
  const fields = numberFields(headerOf(dbf), used);
  if (fields.length === 0) return;
  eachRecord(dbf, (block, at) => {
    if (block[at] !== DELETED) checkRecord(block, at, fields);
  });
}

function headerOf(dbf: string): Buffer {
  const header = Buffer.alloc(dbfHeader(readStart(dbf)).headerBytes);
  const file = openSync(dbf, 'r');
  try {
    return header.subarray(0, readSync(file, header, 0, header.length, 0));
  } finally {
    closeSync(file);
  }
}

function checkRecord(block: Buffer, at: number, fields: readonly NumberField[]): void {
  for (const { name, from, to, fits } of fields) {
    const text = block
      .toString('latin1', at + from, at + to)
      .replaceAll('\0', ' ')
      .trim();
    if (text !== '' && !fits.test(text) && !OVERFLOW.test(text)) refuse(name, text);
  }
}

/** The used fields of numbers. @throws Error for a used field of another type than dBASE III has. */
function numberFields(header: Buffer, used: ReadonlySet<number>): readonly NumberField[] {
  const fields: NumberField[] = [];
  let from = 1;
  for (let i = 0; FIRST_FIELD + (i + 1) * FIELD_BYTES <= header.length; i++) {
    const field = header.subarray(FIRST_FIELD + i * FIELD_BYTES);
    const [name] = field.toString('latin1', 0, NAME_BYTES).split('\0') as [string];
    const type = String.fromCharCode(field[TYPE_AT]!);
    const [start, to] = [from, (from += field[LENGTH_AT]!)];
    if (!used.has(i)) continue;
    if (!textTypes.includes(type))
      throw new Error(
        `has the field "${name}" of the type ${type}, whose values are not read (${type === 'M' ? 'a memo is in another file' : 'they are binary'}): export it as text or number`,
      );
    if (type === 'N' || type === 'F')
      fields.push({ name, from: start, to, fits: field[DECIMALS_AT] === 0 ? wholeNumber : anyNumber });
  }
  return fields;
}
