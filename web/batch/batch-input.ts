/** A file of places, read in the browser before it is sent: which columns count, how many rows there are, and how they begin. */
import { indexesOf, isBlankText, type RowColumn } from '../../src/features/batches/rows/columns.ts';
import { MAX_LINE } from '../../src/features/batches/rows/csv-record.ts';
import { columnsOfCsv, hasPlace, isOfService, placeOf, rolesIn, type Role } from './batch-columns.ts';
import { lineSplitter, recordsOf } from './csv.ts';

type FirstRow = Partial<Record<RowColumn, string>>;
type PlacesFault = 'empty' | 'noColumns' | 'twice' | 'notLines' | 'tooLarge' | 'tooManyRows' | 'notUtf8' | 'unreadable';
type Refused = { fault: PlacesFault; header?: readonly string[] };
/** A table that the service does not understand by itself. */
type Table = { separator: string; header: readonly string[]; roles: readonly (Role | null)[] };
/** Places of the first rows, from their own coordinates. */
export type Points = Map<number, [number, number]>;
export type Places = {
  format: 'csv' | 'ndjson';
  columns: RowColumn[];
  ignored: string[];
  rows: number;
  first: FirstRow[];
  points: Points;
  table: Table | null;
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

const known: Record<Places['format'], readonly RowColumn[]> = {
  csv: columnsOfCsv,
  ndjson: [...columnsOfCsv, 'geometry'],
};

/** Reads a file to its end, a piece at a time. `chosen`: what each column of a table is, where somebody has said it. */
export async function readPlaces(
  file: Blob & { name: string },
  chosen?: readonly (Role | null)[],
): Promise<Places | Refused> {
  if (file.size > MOST_BYTES) return { fault: 'tooLarge' };
  const split = lineSplitter();
  const found = { reader: null } as { reader: Reader | null };
  const take = (piece: string | null) => {
    const lines = split(piece);
    found.reader ??= readerFor(file.name, lines, chosen);
    return found.reader?.take(lines, piece === null) ?? null;
  };
  for await (const piece of piecesOf(file)) {
    const fault = typeof piece === 'string' ? take(piece) : piece;
    if (fault) return fault;
  }
  return take(null) ?? found.reader?.places() ?? { fault: 'empty' };
}

/** Yields the text of a file; a fault where it cannot be read. */
async function* piecesOf(file: Blob): AsyncGenerator<string | Refused> {
  const reader = file
    .stream()
    .pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))
    .getReader();
  for (;;) {
    let result: ReadableStreamReadResult<string>;
    try {
      result = await reader.read();
    } catch (cause) {
      // Decoding throws a TypeError; a file that is gone has another error.
      yield { fault: cause instanceof TypeError ? 'notUtf8' : 'unreadable' };
      return;
    }
    if (result.done) return;
    yield result.value;
  }
}

function readerFor(name: string, lines: readonly string[], chosen?: readonly (Role | null)[]): Reader | null {
  const first = lines.find(isFilled);
  if (first === undefined) return null;
  const isNdjson = /\.(ndjson|jsonl)$/i.test(name) || (!/\.csv$/i.test(name) && first.trimStart().startsWith('{'));
  return isNdjson ? ndjsonReader() : csvReader(chosen);
}

function csvReader(chosen?: readonly (Role | null)[]): Reader {
  let table: Table | null = null;
  let rest: readonly string[] = [];
  const found = collector('csv');
  return {
    take: (lines, isLast) => {
      const all = [...rest, ...lines];
      const { own: left, separator } = table ? { own: all, separator: table.separator } : withoutPreamble(all);
      const { records, rest: unfinished } = recordsOf(left, { isLast, separator, mostLetters: MAX_LINE });
      rest = unfinished;
      for (const record of records) {
        if (table === null) {
          const header = record ?? [];
          table = { separator, header, roles: chosen ?? rolesIn(header) };
          const fault = faultOf(table, chosen !== undefined);
          if (fault) return fault;
          found.columns([...columnsOfCsv.filter((column) => table?.roles.includes(column)), ...ignoredIn(table)]);
          continue;
        }
        const own = table;
        found.row(() => placeOf(own, record ?? []));
        if (found.isFull()) return { fault: 'tooManyRows' };
      }
      return null;
    },
    places: () => {
      const places = found.places();
      if ('fault' in places || table === null) return places;
      const { separator, header, roles } = table;
      return separator === ',' && isOfService(roles, header) ? places : { ...places, table };
    },
  };
}

/** As spreadsheets write them. */
const SEPARATORS = [',', ';', '\t', '|'];

/**
 * Leaves out what stands before the header: blank lines, and the line with which a spreadsheet says what separates. Otherwise that separates which
 * gives the header columns that are known, or the most columns.
 */
function withoutPreamble(lines: readonly string[]): { own: readonly string[]; separator: string } {
  let named = '';
  for (const [i, line] of lines.entries()) {
    const separator = /^"?sep=(.)"?$/i.exec(line)?.[1];
    if (separator === undefined && !isBlankRecord(line))
      return { own: lines.slice(i), separator: named || separatorIn(line) };
    named = separator ?? named;
  }
  return { own: [], separator: ',' };
}

/** Nothing but blanks and what may separate columns. */
const isBlankRecord = (line: string) => line.split(/[,;|\t]/).every(isBlankText);

function separatorIn(line: string) {
  const headers = SEPARATORS.map((separator) => recordsOf([line], { isLast: true, separator }).records[0] ?? []);
  const known = headers.findIndex((header) => hasPlace(rolesIn(header)));
  const widths = headers.map((header) => header.length);
  return SEPARATORS[known >= 0 ? known : widths.indexOf(Math.max(...widths))] ?? ',';
}

/**
 * A table as the service takes it: the columns that count, by the service's names, separated by commas. A row that cannot be read stays a row, so that
 * the rows keep their numbers.
 * Null: it cannot be read any more.
 */
export async function asTheServiceTakes(file: Blob, table: Table): Promise<Blob | null> {
  const { separator } = table;
  const split = lineSplitter();
  const parts: Blob[] = [];
  let rest: readonly string[] = [];
  let isHeader = true;
  const take = (piece: string | null) => {
    const lines = [...rest, ...split(piece)];
    const own = isHeader ? withoutPreamble(lines).own : lines;
    const { records, rest: unfinished } = recordsOf(own, {
      isLast: piece === null,
      separator,
      mostLetters: MAX_LINE,
    });
    rest = unfinished;
    const rows = records.map((record) => lineOf(table, record ?? []));
    if (isHeader && rows.length > 0) rows[0] = columnsOfCsv.join(',');
    isHeader &&= rows.length === 0;
    parts.push(new Blob(rows.map((row) => `${row}\n`)));
  };
  for await (const piece of piecesOf(file)) {
    if (typeof piece !== 'string') return null;
    take(piece);
  }
  take(null);
  return new Blob(parts);
}

/** The service answers it with an error; it would take a line of blanks for none. */
const NO_PLACE = '""x';

function lineOf(table: Table, record: readonly string[]) {
  const place = placeOf(table, record);
  const fields = columnsOfCsv.map((name) => place[name]);
  return fields.every(isBlankText) ? NO_PLACE : fields.map(quoted).join(',');
}

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
  header.filter((name, i) => roles[i] === null && !columnsOfCsv.some((column) => column === name));

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
    },
    isEmpty: () => rows === 0,
    isFull: () => rows > MOST_ROWS,
    places: (): Places | Refused => {
      if (rows === 0) return { fault: 'empty' };
      const columns = known[format].filter((name) => names.has(name));
      const ignored = [...names].filter((name) => !known[format].some((one) => one === name));
      return { format, columns, ignored, rows, first, points, table: null };
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
