import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type RegisterFileKind,
  checkParts,
  isOntarioFile,
  ONTARIO,
  registerFolders,
} from '../../../src/messages/import.ts';
import { pathInside } from '../sources/own-folder.ts';
import { dayOf } from '../../../src/messages/time.ts';
import { messageOf } from '../../../src/words.ts';
import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';

/** Ontario's files of a register. */
export interface RegisterFiles {
  readonly addresses: readonly RegisterFile[];
  readonly locations: readonly RegisterFile[];
  /** Newest file date, YYYY-MM-DD. */
  readonly date: string;
}

export interface RegisterFile {
  readonly name: string;
  /** Unpacked. */
  readonly bytes: number;
  open(): AsyncIterable<Buffer>;
}

/**
 * Finds `Addresses/Address_35*.csv` and `Locations/Location_35*.csv`; the number of parts differs between releases.
 * @throws Error when the folder has none.
 */
export async function registerFolder(folder: string): Promise<RegisterFiles> {
  const dates: number[] = [];
  const list = async (kind: RegisterFileKind): Promise<RegisterFile[]> => {
    const parent = join(folder, registerFolders[kind]);
    const names = (await readdir(parent).catch(() => [])).filter((name) => isOntarioFile(name, kind)).sort();
    if (names.length === 0) throw new Error(`${parent} has no ${kind}_${ONTARIO}*.csv`);
    checkParts(parent, names, kind);
    return Promise.all(
      names.map(async (name) => {
        const path = pathInside(folder, join(registerFolders[kind], name));
        const { size, mtimeMs } = await stat(path);
        dates.push(mtimeMs);
        return { name, bytes: size, open: () => createReadStream(path, { highWaterMark: 1 << 20 }) };
      }),
    );
  };
  const [addresses, locations] = [await list('Address'), await list('Location')];
  return { addresses, locations, date: newestDate(dates) };
}

/** Returns the newest of some times in milliseconds, or today where that is to come, as YYYY-MM-DD. */
export function newestDate(times: readonly number[]): string {
  return dayOf(Math.min(Math.max(...times), Date.now()));
}

/** Field -> its header names in the releases. Order and number of columns differ between releases. */
type Columns<Field extends string> = Readonly<Record<Field, readonly string[]>>;

export type Row<Field extends string> = Readonly<Record<Field, string>>;

/**
 * Yields the rows of register files, with fields by name. A column that a release does not have is "".
 * @param onBytes called with the number of bytes read since the last call.
 * @throws Error that names the file when a column in `required` is missing or the CSV is broken.
 */
export async function* readRows<Field extends string>(
  files: readonly RegisterFile[],
  columns: Columns<Field>,
  required: readonly NoInfer<Field>[],
  onBytes: (count: number) => void,
): AsyncGenerator<Row<Field>> {
  for (const file of files) {
    try {
      yield* rowsOf(file, columns, required, onBytes);
    } catch (cause) {
      throw new Error(`${file.name}: ${messageOf(cause)}`, { cause });
    }
  }
}

async function* rowsOf<Field extends string>(
  file: RegisterFile,
  columns: Columns<Field>,
  required: readonly Field[],
  onBytes: (count: number) => void,
): AsyncGenerator<Row<Field>> {
  const absent = Object.fromEntries(Object.keys(columns).map((field) => [field, ''])) as Row<Field>;
  let fields: readonly (Field | false)[] | null = null;
  for await (const cells of records(decode(counted(file, onBytes)))) {
    if (fields === null) fields = fieldNames(cells, columns, required);
    else yield rowOf(cells, fields, absent);
  }
}

async function* counted(file: RegisterFile, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of file.open()) {
    onBytes(chunk.length);
    yield chunk;
  }
}

function rowOf<Field extends string>(
  cells: readonly string[],
  fields: readonly (Field | false)[],
  absent: Row<Field>,
): Row<Field> {
  if (cells.length !== fields.length) throw new Error(`a row has ${cells.length} columns instead of ${fields.length}`);
  const row: Record<Field, string> = { ...absent };
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i]!;
    if (field !== false) row[field] = isNone(cells[i]!) ? '' : cells[i]!;
  }
  return row;
}

/** What programs write for nothing: databases, Python, R and spreadsheets. */
const none = new Set(['NULL', 'null', '(null)', '\\N', 'N/A', '#N/A', '<NA>', 'NaN', 'nan', 'None', '(blank)']);
const LONGEST_NONE = 7;

/** Nearly all cells are longer, or blank. */
function isNone(cell: string): boolean {
  return cell.length > 1 && cell.length <= LONGEST_NONE && none.has(cell);
}

function fieldNames<Field extends string>(
  header: readonly string[],
  columns: Columns<Field>,
  required: readonly Field[],
): (Field | false)[] {
  const present = header.map((name) => name.trim().toUpperCase());
  const names: (Field | false)[] = present.map(() => false);
  for (const [field, spellings] of Object.entries(columns) as [Field, readonly string[]][]) {
    const spelling = spellings.find((one) => present.includes(one));
    if (spelling === undefined) continue;
    if (present.indexOf(spelling) !== present.lastIndexOf(spelling))
      throw new Error(`there are two columns ${spelling}: remove one`);
    names[present.indexOf(spelling)] = field;
  }
  const missing = required.find((field) => !names.includes(field));
  if (missing !== undefined) throw new Error(`there is no column ${columns[missing].join(' or ')}`);
  return names;
}

const NEWLINE = 0x0a;

/** A line of a register has some hundred bytes. */
const MOST_LINE_BYTES = 1024 ** 2;

/**
 * Decodes the text of a register file: UTF-8 since 2024, Latin-1 before, and sometimes a Latin-1 line in a UTF-8 file.
 * It decides for each line.
 * @param chunks bytes of the file, cut anywhere.
 * @throws Error when a line has no end within reason.
 */
async function* decode(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(end);
    if (rest.length > MOST_LINE_BYTES)
      throw new Error(`a line has more than ${MOST_LINE_BYTES} bytes: that is no register`);
    if (end > 0) yield text(bytes.subarray(0, end));
  }
  if (rest.length > 0) yield text(rest);
}

function text(lines: Buffer): string {
  if (isUtf8(lines)) return lines.toString('utf8');
  const parts: string[] = [];
  for (let from = 0; from < lines.length;) {
    const newline = lines.indexOf(NEWLINE, from);
    const to = newline < 0 ? lines.length : newline + 1;
    const line = lines.subarray(from, to);
    parts.push(isUtf8(line) ? line.toString('utf8') : latin1.decode(line));
    from = to;
  }
  return parts.join('');
}

/** Windows-1252, the superset of Latin-1 that office programs write. */
const latin1 = new TextDecoder('windows-1252');

/** A record of a register has some hundred characters. */
const MOST_RECORD_LENGTH = 64 * 1024;

/**
 * Yields the records of CSV text that arrives in pieces of whole lines. Lines without quotes, which are nearly all
 * lines of a register, are split at their commas. That is ten times as fast as the parser, which reads the others.
 * @throws Error when a quote is never closed, or the parser refuses a record.
 */
async function* records(pieces: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  /** Lines of a record with a line break in a quoted field. */
  let open = '';
  for await (const line of lines(pieces)) {
    if (open === '' && !line.includes('"')) {
      const text = line.trimEnd();
      if (text !== '') yield text.split(',');
      continue;
    }
    open += line;
    if (open.length > MOST_RECORD_LENGTH)
      throw new Error(`a quoted field has no end within ${MOST_RECORD_LENGTH} characters`);
    if (!isClosed(open)) continue;
    yield* parse(open);
    open = '';
  }
  if (open !== '') throw new Error('a quoted field has no end');
}

/** Yields lines with their ends, the first without a byte order mark. */
async function* lines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const piece of pieces) {
    let from = isFirst && piece.startsWith('\ufeff') ? 1 : 0;
    isFirst = false;
    while (from < piece.length) {
      const newline = piece.indexOf('\n', from);
      const to = newline < 0 ? piece.length : newline + 1;
      yield piece.slice(from, to);
      from = to;
    }
  }
}

function isClosed(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 0;
}

/** Address columns in all releases (2023 has a typing error in its header). */
export const addressColumns = {
  location: ['LOC_GUID'],
  unit: ['APT_NO_LABEL'],
  civic: ['CIVIC_NO'],
  suffix: ['CIVIC_NO_SUFFIX'],
  name: ['OFFICIAL_STREET_NAME'],
  type: ['OFFICIAL_STREET_TYPE'],
  direction: ['OFFICIAL_STREET_DIR'],
  province: ['PROV_CODE'],
  csdEnglish: ['CSD_ENG_NAME'],
  csdFrench: ['CSD_FRE_NAME'],
  mailName: ['MAIL_STREET_NAME'],
  mailType: ['MAIL_STREET_TYPE'],
  mailDirection: ['MAIL_STREET_DIR', 'MAIL_STEET_DIR'],
  municipality: ['MAIL_MUN_NAME'],
  postalCode: ['MAIL_POSTAL_CODE'],
} satisfies Columns<string>;

export type AddressField = keyof typeof addressColumns;

/** Columns that every release has. */
export const requiredAddressColumns: readonly AddressField[] = [
  'location',
  'civic',
  'name',
  'type',
  'direction',
  'csdEnglish',
  'municipality',
  'postalCode',
];

/** Location columns: the building's point and, since 2026, the point of its side of the street. */
export const locationColumns = {
  location: ['LOC_GUID'],
  csd: ['CSD_CODE'],
  lat: ['BG_LATITUDE', 'REPPOINT_LATITUDE'],
  lon: ['BG_LONGITUDE', 'REPPOINT_LONGITUDE'],
  blockfaceLat: ['BF_REPPOINT_LATITUDE'],
  blockfaceLon: ['BF_REPPOINT_LONGITUDE'],
} satisfies Columns<string>;

export type LocationField = keyof typeof locationColumns;

export const requiredLocationColumns: readonly LocationField[] = ['location', 'csd', 'lat', 'lon'];
