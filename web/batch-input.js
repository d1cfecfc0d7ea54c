/** A file of places, read in the browser before it is sent: which columns count, how many rows there are, and how they begin. */
import { lineSplitter, recordsOf } from './csv.js';

/**
 * @typedef {'custom_id' | 'address' | 'lat' | 'lon' | 'geometry'} Column geometry: in NDJSON only
 * @typedef {Partial<Record<Column, string>>} FirstRow
 * @typedef {'empty' | 'noColumns' | 'twice' | 'separator' | 'notLines' | 'tooLarge' | 'tooManyRows' | 'notUtf8' | 'unreadable'} PlacesFault
 * @typedef {{ fault: PlacesFault, ignored?: string[] }} Refused
 * @typedef {Map<number, [number, number]>} Points places of the first rows, from their own coordinates
 * @typedef {{
 *   format: 'csv' | 'ndjson', columns: Column[], ignored: string[], rows: number, first: FirstRow[], points: Points,
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

/** @type {readonly Column[]} */
const columnsOfCsv = ['custom_id', 'address', 'lat', 'lon'];

/** @type {Record<Places['format'], readonly Column[]>} */
const known = { csv: columnsOfCsv, ndjson: [...columnsOfCsv, 'geometry'] };

/**
 * Reads a file to its end, a piece at a time.
 * @param {Blob & { name: string }} file
 * @returns {Promise<Places | Refused>}
 */
export async function readPlaces(file) {
  if (file.size > MOST_BYTES) return { fault: 'tooLarge' };
  const split = lineSplitter();
  const found = /** @type {{ reader: Reader | null }} */ ({ reader: null });
  const take = (/** @type {string | null} */ piece) => {
    const lines = split(piece);
    found.reader ??= readerFor(file.name, lines);
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
 * @returns {Reader | null}
 */
function readerFor(name, lines) {
  const first = lines.find(isFilled);
  if (first === undefined) return null;
  const isNdjson = /\.(ndjson|jsonl)$/i.test(name) || (!/\.csv$/i.test(name) && first.trimStart().startsWith('{'));
  return isNdjson ? ndjsonReader() : csvReader();
}

/** @returns {Reader} */
function csvReader() {
  /** @type {string[] | null} */
  let header = null;
  /** @type {readonly string[]} */
  let rest = [];
  const found = collector('csv');
  return {
    take: (lines, isLast) => {
      const own = header === null ? withoutPreamble([...rest, ...lines]) : [...rest, ...lines];
      if ('fault' in own) return own;
      const { records, rest: unfinished } = recordsOf(own, { isLast, mostLetters: MOST_LETTERS });
      rest = unfinished;
      for (const record of records) {
        if (header === null) {
          const fault = faultOf(record ?? []);
          if (fault) return fault;
          header = withColumnNames(record ?? []);
          found.columns(header);
          continue;
        }
        const names = header;
        found.row(() => Object.fromEntries(names.map((name, i) => [name, record?.[i]])));
        if (found.isFull()) return { fault: 'tooManyRows' };
      }
      return null;
    },
    places: found.places,
  };
}

/**
 * Leaves out what stands before the header: blank lines, and the line with which a spreadsheet says that commas separate.
 * @param {readonly string[]} lines
 * @returns {readonly string[] | Refused}
 */
function withoutPreamble(lines) {
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const named = /^"?sep=(.)"?$/i.exec(line)?.[1];
    if (named !== undefined && named !== ',') return { fault: 'separator' };
    if (named !== undefined || !isFilled(line)) continue;
    const isOther = [';', '\t', '|'].some((separator) => isHeaderBy(separator, line));
    return isOther && !isHeaderBy(',', line) ? { fault: 'separator' } : lines.slice(i);
  }
  return [];
}

/**
 * @param {string} separator
 * @param {string} line
 */
function isHeaderBy(separator, line) {
  const names = line.split(separator).map((name) =>
    name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  );
  return names.length > 1 && hasPlace(names);
}

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
const isFilled = (line) => line.trim() !== '';

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
 * A name without case, spaces, hyphens and underscores: as the service, the page takes `Custom ID` for `custom_id`.
 * @param {string} name
 */
const folded = (name) => name.toLowerCase().replace(/[\s_-]+/g, '');

/**
 * Where a column is: the one of its name, otherwise those of nearly its name.
 * @param {Column} column
 * @param {readonly string[]} names
 */
function indexesOf(column, names) {
  const exact = [...names.keys()].filter((i) => names[i]?.toLowerCase() === column);
  return exact.length > 0 ? exact : [...names.keys()].filter((i) => folded(names[i] ?? '') === folded(column));
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

/**
 * @param {readonly string[]} header
 * @returns {Refused | null}
 */
function faultOf(header) {
  if (columnsOfCsv.some((column) => indexesOf(column, header).length > 1)) return { fault: 'twice' };
  return hasPlace(withColumnNames(header))
    ? null
    : { fault: 'noColumns', ignored: header.map((name) => name.toLowerCase()) };
}

/** @param {readonly string[]} names */
const hasPlace = (names) => names.includes('address') || (names.includes('lat') && names.includes('lon'));

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
      return { format, columns, ignored, rows, first, points };
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
