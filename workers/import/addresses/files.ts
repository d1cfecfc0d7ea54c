import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isOntarioFile,
  ONTARIO,
  registerFolders,
  type RegisterFileKind,
} from '../../../src/addresses/register-files.ts';
import { pathInside } from '../sources/own-folder.ts';
import { decode } from './decode.ts';
import { records } from './records.ts';
import { dayOf } from '../../../src/messages/time.ts';
import { messageOf } from '../../../src/words.ts';

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

/** Returns the newest of some times in milliseconds, as YYYY-MM-DD. */
export function newestDate(times: readonly number[]): string {
  return dayOf(Math.max(...times));
}

/** Field -> its header names in the releases. Order and number of columns differ between releases. */
export type Columns<Field extends string> = Readonly<Record<Field, readonly string[]>>;

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
    if (field !== false) row[field] = cells[i]!;
  }
  return row;
}

function fieldNames<Field extends string>(
  header: readonly string[],
  columns: Columns<Field>,
  required: readonly Field[],
): (Field | false)[] {
  const fields = Object.entries(columns) as [Field, readonly string[]][];
  const names = header.map(
    (name) => fields.find(([, spellings]) => spellings.includes(name.trim().toUpperCase()))?.[0] ?? false,
  );
  const missing = required.find((field) => !names.includes(field));
  if (missing !== undefined) throw new Error(`there is no column ${columns[missing].join(' or ')}`);
  return names;
}
