/** A file of places, read in the browser before it is sent: which columns count, how many rows there are, and how they begin. */
import { columnsOfCsv, hasPlace, indexesOf, isOfService, placeOf, rolesIn } from './batch-columns.js';
import { isBlankText, lineSplitter, recordsOf } from './csv.js';

/**
 * @typedef {import('./batch-columns.js').Role} Role
 * @typedef {import('./batch-columns.js').Column | 'geometry'} Column geometry: in NDJSON only
 * @typedef {Partial<Record<Column, string>>} FirstRow
 * @typedef {'empty' | 'noColumns' | 'twice' | 'notLines' | 'tooLarge' | 'tooManyRows' | 'notUtf8' | 'unreadable'} PlacesFault
 * @typedef {{ fault: PlacesFault, header?: readonly string[] }} Refused
 * @typedef {{ separator: string, header: readonly string[], roles: readonly (Role | null)[] }} Table a table that the service does not understand by itself
 * @typedef {Map<number, [number, number]>} Points places of the first rows, from their own coordinates
 * @typedef {{
 *   format: 'csv' | 'ndjson', columns: Column[], ignored: string[], rows: number, first: FirstRow[], points: Points, table: Table | null,
 * }} Places
 * @typedef {{ take: (lines: readonly string[], isLast: boolean) => Refused | null, places: () => Places | Refused }} Reader
 */

/** As the service takes. */
const MOST_ROWS = 1_000_000;
const MOST_BYTES = 256_000_000;
const MOST_LETTERS = 16_384;

const FIRST_ROWS = 5;

/** Rows that the map shows at most. */
export const MOST_POINTS = 5000;

/** Plain decimals, as the service takes. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** @type {Record<Places['format'], readonly Column[]>} */
const known = { csv: columnsOfCsv, ndjson: [...columnsOfCsv, 'geometry'] };

/**
 * Reads a file to its end, a piece at a time.
 * @param {Blob & { name: string }} file
 * @param {readonly (Role | null)[]} [chosen] what each column of a table is, where somebody has said it
 * @returns {Promise<Places | Refused>}
 */
export async function readPlaces(file, chosen) {
  if (file.size > MOST_BYTES) return { fault: 'tooLarge' };
  const split = lineSplitter();
  const found = /** @type {{ reader: Reader | null }} */ ({ reader: null });
  const take = (/** @type {string | null} */ piece) => {
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

/**
 * Yields the text of a file; a fault where it cannot be read.
 * @param {Blob} file
 * @returns {AsyncGenerator<string | Refused>}
 */
async function* piecesOf(file) {
  const reader = file
    .stream()
    .pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))
    .getReader();
  for (;;) {
    /** @type {ReadableStreamReadResult<string>} */
    let result;
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

/**
 * @param {string} name
 * @param {readonly string[]} lines
 * @param {readonly (Role | null)[]} [chosen]
 * @returns {Reader | null}
 */
function readerFor(name, lines, chosen) {
  const first = lines.find(isFilled);
  if (first === undefined) return null;
  const isNdjson = /\.(ndjson|jsonl)$/i.test(name) || (!/\.csv$/i.test(name) && first.trimStart().startsWith('{'));
  return isNdjson ? ndjsonReader() : csvReader(chosen);
}

/**
 * @param {readonly (Role | null)[]} [chosen]
 * @returns {Reader}
 */
function csvReader(chosen) {
  /** @type {Table | null} */
  let table = null;
  /** @type {readonly string[]} */
  let rest = [];
  const found = collector('csv');
  return {
    take: (lines, isLast) => {
      const all = [...rest, ...lines];
      const { own: left, separator } = table ? { own: all, separator: table.separator } : withoutPreamble(all);
      const { records, rest: unfinished } = recordsOf(left, { isLast, separator, mostLetters: MOST_LETTERS });
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
 * @param {readonly string[]} lines
 * @returns {{ own: readonly string[], separator: string }}
 */
function withoutPreamble(lines) {
  let named = '';
  for (const [i, line] of lines.entries()) {
    const separator = /^"?sep=(.)"?$/i.exec(line)?.[1];
    if (separator === undefined && !isBlankRecord(line))
      return { own: lines.slice(i), separator: named || separatorIn(line) };
    named = separator ?? named;
  }
  return { own: [], separator: ',' };
}

/** Nothing but blanks and what may separate columns. @param {string} line */
const isBlankRecord = (line) => line.split(/[,;|\t]/).every(isBlankText);

/** @param {string} line */
function separatorIn(line) {
  const headers = SEPARATORS.map((separator) => recordsOf([line], { isLast: true, separator }).records[0] ?? []);
  const known = headers.findIndex((header) => hasPlace(rolesIn(header)));
  const widths = headers.map((header) => header.length);
  return SEPARATORS[known >= 0 ? known : widths.indexOf(Math.max(...widths))] ?? ',';
}

/**
 * A table as the service takes it: the columns that count, by the service's names, separated by commas. A row that cannot be read stays a row, so that
 * the rows keep their numbers.
 * @param {Blob} file
 * @param {Table} table
 * @returns {Promise<Blob | null>} null: it cannot be read any more
 */
export async function asTheServiceTakes(file, table) {
  const { separator } = table;
  const split = lineSplitter();
  /** @type {Blob[]} */
  const parts = [];
  /** @type {readonly string[]} */
  let rest = [];
  let isHeader = true;
  const take = (/** @type {string | null} */ piece) => {
    const lines = [...rest, ...split(piece)];
    const own = isHeader ? withoutPreamble(lines).own : lines;
    const { records, rest: unfinished } = recordsOf(own, {
      isLast: piece === null,
      separator,
      mostLetters: MOST_LETTERS,
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

/**
 * @param {Table} table
 * @param {readonly string[]} record
 */
function lineOf(table, record) {
  const place = placeOf(table, record);
  const fields = columnsOfCsv.map((name) => place[name]);
  return fields.every(isBlankText) ? NO_PLACE : fields.map(quoted).join(',');
}

/** @param {string} field */
const quoted = (field) => `"${field.replaceAll('"', '""')}"`;

/** @returns {Reader} */
function ndjsonReader() {
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

/** @param {string} line */
const isFilled = (line) => !isBlankText(line);

/** @param {string} line */
function membersOf(line) {
  try {
    const members = JSON.parse(line);
    if (typeof members !== 'object' || members === null) return {};
    const names = withColumnNames(Object.keys(members), known.ndjson);
    return Object.fromEntries(Object.values(members).map((member, i) => [names[i], member]));
  } catch {
    return {};
  }
}

/**
 * The names of a header or of a row, with those of the columns that they mean.
 * @param {readonly string[]} names
 * @param {readonly Column[]} columns
 */
function withColumnNames(names, columns = columnsOfCsv) {
  const named = [...names];
  for (const column of columns) {
    const [index] = indexesOf(column, names);
    if (index !== undefined) named[index] = column;
  }
  return named;
}

/** Names of columns that do not count. @param {Table} table */
const ignoredIn = ({ header, roles }) =>
  header.filter((name, i) => roles[i] === null && !columnsOfCsv.some((column) => column === name));

/**
 * @param {Table} table
 * @param {boolean} isChosen somebody has said which column is which
 * @returns {Refused | null}
 */
function faultOf({ header, roles }, isChosen) {
  const [twice] = isChosen
    ? []
    : columnsOfCsv.map((column) => indexesOf(column, header)).filter(({ length }) => length > 1);
  if (twice) return { fault: 'twice', header: twice.map((i) => header[i] ?? '') };
  return hasPlace(roles) ? null : { fault: 'noColumns', header };
}

/**
 * Collects what the page shows of the rows.
 * @param {Places['format']} format
 */
function collector(format) {
  const names = new Set();
  /** @type {FirstRow[]} */
  const first = [];
  /** @type {Points} */
  const points = new Map();
  let rows = 0;
  return {
    columns: (/** @type {readonly string[]} */ header) => header.forEach((name) => names.add(name)),
    /** `read` is called for the first rows only. */
    row: (/** @type {() => Record<string, unknown>} */ read) => {
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
    /** @returns {Places | Refused} */
    places: () => {
      if (rows === 0) return { fault: 'empty' };
      const columns = known[format].filter((name) => names.has(name));
      const ignored = [...names].filter((name) => !known[format].some((one) => one === name));
      return { format, columns, ignored, rows, first, points, table: null };
    },
  };
}

/**
 * @param {any} member
 * @returns {string} of a geometry its type
 */
function textOf(member) {
  if (typeof member === 'string' || typeof member === 'number') return String(member);
  return typeof member?.type === 'string' ? member.type : '';
}

/** @param {unknown} member */
function numberOf(member) {
  if (typeof member === 'number') return member;
  return typeof member === 'string' && DECIMAL.test(member.trim()) ? Number(member) : NaN;
}
