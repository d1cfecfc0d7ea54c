/** A file of places, read in the browser before it is sent: which columns count, how many rows there are, and how they begin. */
import { indexesOf, isBlankText, type RowColumn } from '../../src/features/batches/rows/columns.ts';
import { markedEncoding } from '../shared/encoding.ts';
import { columnsOfCsv, hasPlace, isOfService, isTooLong, placeOf, type Role } from './batch-columns.ts';
import { lineSplitter, piecesOf, recordsAgain, tableReader, type Encoding, type Table } from './read-table.ts';

export type FirstRow = Partial<Record<RowColumn, string>>;
type PlacesFault = 'empty' | 'noColumns' | 'twice' | 'notLines' | 'tooLarge' | 'tooManyRows' | 'notUtf8' | 'unreadable';
type Refused = { fault: PlacesFault; header?: readonly string[] };
/** Places of the first rows, from their own coordinates. */
export type Points = Map<number, [number, number]>;
/**
 * `asked`: what the first rows ask for, as a person reads it. `table`: null for NDJSON. `isAsIs`: the service understands the file by itself.
 * `unusual`: a word of a text in the encoding of Windows that shows whether it was read right.
 */
export type Places = {
  format: 'csv' | 'ndjson';
  columns: RowColumn[];
  ignored: string[];
  rows: number;
  first: FirstRow[];
  points: Points;
  asked: Map<number, string>;
  table: Table | null;
  isAsIs: boolean;
  unusual: string;
};
type Reader = { take: (lines: readonly string[], isLast: boolean) => Refused | null; places: () => Places | Refused };

/** As the service takes. */
const MOST_ROWS = 1_000_000;
const MOST_BYTES = 256_000_000;

const FIRST_ROWS = 5;

/** Rows that the map shows at most. */
export const MOST_POINTS = 5000;

/** Plain decimals, as the service takes. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** A word with a letter that encodings write differently. */
const UNUSUAL = /[\p{L}'’-]*[^\p{ASCII}][\p{L}'’-]*/u;

const known: Record<Places['format'], readonly RowColumn[]> = {
  csv: columnsOfCsv,
  ndjson: [...columnsOfCsv, 'geometry'],
};

/**
 * Reads a file to its end, a piece at a time. A text without a mark that is not UTF-8 is in the encoding of Windows. `chosen`: what each column of a
 * table is, where somebody has said it.
 */
export async function readPlaces(
  file: Blob & { name: string },
  chosen?: readonly (Role | null)[],
): Promise<Places | Refused> {
  if (file.size > MOST_BYTES) return { fault: 'tooLarge' };
  const begin = await file
    .slice(0, 2)
    .arrayBuffer()
    .catch(() => null);
  if (begin === null) return { fault: 'unreadable' };
  const marked = markedEncoding(new Uint8Array(begin));
  const places = await readAs(file, marked ?? 'utf-8', chosen);
  const isOther = marked === null && 'fault' in places && places.fault === 'notUtf8';
  return isOther ? readAs(file, 'windows-1252', chosen) : places;
}

async function readAs(
  file: Blob & { name: string },
  encoding: Encoding,
  chosen?: readonly (Role | null)[],
): Promise<Places | Refused> {
  const split = lineSplitter();
  let reader: Reader | null = null;
  let unusual = '';
  for await (const piece of piecesOf(file, encoding)) {
    if (piece !== null && typeof piece !== 'string') return piece;
    const lines = split(piece);
    reader ??= readerFor(file.name, lines, { encoding, chosen });
    const fault = reader?.take(lines, piece === null);
    if (fault) return fault;
    if (encoding === 'windows-1252') unusual ||= unusualIn(piece);
  }
  const places: Places | Refused = reader === null ? { fault: 'empty' } : reader.places();
  return 'fault' in places ? places : { ...places, unusual };
}

const unusualIn = (piece: string | null) => UNUSUAL.exec(piece ?? '')?.[0] ?? '';

function readerFor(
  name: string,
  lines: readonly string[],
  { encoding, chosen }: { encoding: Encoding; chosen?: readonly (Role | null)[] | undefined },
): Reader | null {
  const first = lines.find(isFilled);
  if (first === undefined) return null;
  const isNdjson = /\.(ndjson|jsonl)$/i.test(name) || (!/\.csv$/i.test(name) && first.trimStart().startsWith('{'));
  if (!isNdjson) return csvReader(encoding, chosen);
  // JSON is UTF-8.
  return encoding === 'utf-8'
    ? ndjsonReader()
    : { take: () => ({ fault: 'notUtf8' }), places: () => ({ fault: 'notUtf8' }) };
}

function csvReader(encoding: Encoding, chosen?: readonly (Role | null)[]): Reader {
  const read = tableReader(encoding, chosen);
  const found = collector('csv');
  let table: Table | null = null;
  return {
    take: (lines, isLast) => {
      const { table: own, records } = read(lines, isLast);
      if (own === null) return null;
      if (table === null) {
        table = own;
        const fault = faultOf(table, chosen !== undefined);
        if (fault) return fault;
        found.columns([...columnsOfCsv.filter((column) => own.roles.includes(column)), ...ignoredIn(own)]);
      }
      for (const record of records) {
        found.row(() => placeOf(own, record));
        if (found.isFull()) return { fault: 'tooManyRows' };
      }
      return null;
    },
    places: () => {
      const places = found.places();
      if ('fault' in places || table === null) return places;
      const { separator, header, roles, titles } = table;
      const isAsIs = separator === ',' && encoding === 'utf-8' && titles.length === 0 && isOfService(roles, header);
      return { ...places, table, isAsIs };
    },
  };
}

/**
 * A table as the service takes it: the columns that count, by the service's names, separated by commas. A row that cannot be read stays a row, so that
 * the rows keep their numbers.
 * Null: it cannot be read any more.
 */
export async function asTheServiceTakes(file: Blob, table: Table): Promise<Blob | null> {
  const parts = [new Blob([`${columnsOfCsv.join(',')}\n`])];
  for await (const records of recordsAgain(file, table)) {
    if (records === null) return null;
    parts.push(new Blob(records.map((record) => `${lineOf(table, record)}\n`)));
  }
  return new Blob(parts);
}

/**
 * Yields what each row has, as its writer wrote it, and what was asked for: the cells of a table under its header, or the members of NDJSON.
 * Throws where the file cannot be read any more.
 */
export async function* rowsAgain(
  file: Blob,
  { table }: Pick<Places, 'table'>,
): AsyncGenerator<{ cells: readonly string[]; members: Record<string, unknown>; asked: string }> {
  if (table) {
    for await (const records of recordsAgain(file, table)) {
      if (records === null) throw new Error('the file has changed');
      for (const record of records) {
        const members = placeOf(table, record);
        yield { cells: record ?? [], members, asked: askedIn(members) };
      }
    }
    return;
  }
  const split = lineSplitter();
  for await (const piece of piecesOf(file, 'utf-8')) {
    if (piece !== null && typeof piece !== 'string') throw new Error('the file has changed');
    for (const line of split(piece).filter(isFilled)) {
      const members = membersOf(line);
      yield { cells: [], members, asked: askedIn(members) };
    }
  }
}

/** The address, else the point that a row asks for. */
function askedIn(members: Record<string, unknown>) {
  const [address, lat, lon] = [members['address'], members['lat'], members['lon']].map(textOf);
  return address?.trim() || (lat && lon ? `${lat}, ${lon}` : '');
}

/** The service answers it with an error; it would take a line of blanks for none. */
const NO_PLACE = '""x';

function lineOf(table: Table, record: readonly string[] | null) {
  if (record && isTooLong(table, record)) return TOO_LONG;
  const place = placeOf(table, record);
  const fields = columnsOfCsv.map((name) => place[name]);
  return fields.every(isBlankText) ? NO_PLACE : fields.map(quoted).join(',');
}

/** The service says of it what it says of a row with more fields than the header. */
const TOO_LONG = `${','.repeat(columnsOfCsv.length)}x`;

const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`;

function ndjsonReader(): Reader {
  const found = collector('ndjson');
  return {
    take: (lines) => {
      for (const line of lines) {
        if (!isFilled(line)) continue;
        if (found.isEmpty() && (line.trim() === '{' || line.trim().startsWith('['))) return { fault: 'notLines' };
        found.row(() => membersOf(line));
        if (found.isFull()) return { fault: 'tooManyRows' };
      }
      return null;
    },
    places: found.places,
  };
}

const isFilled = (line: string) => !isBlankText(line);

function membersOf(line: string): Record<string, unknown> {
  try {
    const members = JSON.parse(line) as Record<string, unknown> | string | null;
    if (typeof members !== 'object' || members === null) return {};
    const names = withColumnNames(Object.keys(members), known.ndjson);
    return Object.fromEntries(Object.values(members).map((member, i) => [names[i] ?? '', member] as const));
  } catch {
    return {};
  }
}

/** The names of a header or of a row, with those of the columns that they mean. */
function withColumnNames(names: readonly string[], columns: readonly RowColumn[] = columnsOfCsv) {
  const named = [...names];
  for (const column of columns) {
    const [index] = indexesOf(column, names);
    if (index !== undefined) named[index] = column;
  }
  return named;
}

/** Names of columns that do not count. */
const ignoredIn = ({ header, roles }: Table) =>
  header.filter(
    (name, i) => roles[i] === null && !isBlankText(name) && !columnsOfCsv.some((column) => column === name),
  );

/** `isChosen`: somebody has said which column is which. */
function faultOf({ header, roles }: Table, isChosen: boolean): Refused | null {
  const [twice] = isChosen
    ? []
    : columnsOfCsv.map((column) => indexesOf(column, header)).filter(({ length }) => length > 1);
  if (twice) return { fault: 'twice', header: twice.map((i) => header[i] ?? '') };
  return hasPlace(roles) ? null : { fault: 'noColumns', header };
}

/** Collects what the page shows of the rows. */
function collector(format: Places['format']) {
  const names = new Set<string>();
  const first: FirstRow[] = [];
  const points: Points = new Map();
  const asked = new Map<number, string>();
  let rows = 0;
  return {
    columns: (header: readonly string[]) => {
      header.forEach((name) => names.add(name));
    },
    /** `read` is called for the first rows only. */
    row: (read: () => Record<string, unknown>) => {
      rows++;
      if (rows > MOST_POINTS) return;
      const members = read();
      if (rows <= FIRST_ROWS) {
        if (format === 'ndjson') Object.keys(members).forEach((name) => names.add(name));
        first.push(Object.fromEntries(known[format].map((name) => [name, textOf(members[name])])));
      }
      const [lat, lon] = [numberOf(members['lat']), numberOf(members['lon'])];
      if (Math.abs(lat) <= 90 && Math.abs(lon) <= 180) points.set(rows, [lon, lat]);
      asked.set(rows, askedIn(members));
    },
    isEmpty: () => rows === 0,
    isFull: () => rows > MOST_ROWS,
    places: (): Places | Refused => {
      if (rows === 0) return { fault: 'empty' };
      const columns = known[format].filter((name) => names.has(name));
      const ignored = [...names].filter((name) => !known[format].some((one) => one === name));
      return { format, columns, ignored, rows, first, points, asked, table: null, isAsIs: true, unusual: '' };
    },
  };
}

/** Returns of a geometry its type. */
function textOf(member: unknown): string {
  if (typeof member === 'string' || typeof member === 'number') return String(member);
  const { type } = (member ?? {}) as { type?: unknown };
  return typeof type === 'string' ? type : '';
}

function numberOf(member: unknown) {
  if (typeof member === 'number') return member;
  return typeof member === 'string' && DECIMAL.test(member.trim()) ? Number(member) : NaN;
}
