/** A file of places, read in the browser before it is sent: which columns count, how many rows there are, and how they begin. */
import { lineSplitter, recordsOf } from './csv.js';

/**
 * @typedef {'custom_id' | 'address' | 'lat' | 'lon'} Column
 * @typedef {Partial<Record<Column, string>>} FirstRow
 * @typedef {'empty' | 'noColumns' | 'twice' | 'tooLarge' | 'tooManyRows' | 'notUtf8' | 'unreadable'} PlacesFault
 * @typedef {Map<number, [number, number]>} Points places of the first rows, from their own coordinates
 * @typedef {{
 *   format: 'csv' | 'ndjson', columns: Column[], ignored: string[], rows: number, first: FirstRow[], points: Points,
 * }} Places
 */

/** As the service takes. */
export const MOST_ROWS = 1_000_000;
const MOST_BYTES = 256_000_000;

const FIRST_ROWS = 5;

/** Rows that the map shows at most. */
export const MOST_POINTS = 5000;

/** Plain decimals, as the service takes. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** @type {readonly Column[]} */
const known = ['custom_id', 'address', 'lat', 'lon'];

/**
 * Reads a file to its end, a piece at a time.
 * @param {Blob & { name: string }} file
 * @returns {Promise<Places | { fault: PlacesFault, ignored?: string[] }>}
 */
export async function readPlaces(file) {
  if (file.size > MOST_BYTES) return { fault: 'tooLarge' };
  const split = lineSplitter();
  const found = /** @type {{ reader: ReturnType<typeof csvReader> | null }} */ ({ reader: null });
  const take = (/** @type {string | null} */ piece) => {
    const lines = split(piece);
    found.reader ??= readerFor(file.name, lines);
    return found.reader?.take(lines, piece === null) ?? null;
  };
  for await (const piece of piecesOf(file)) {
    const fault = typeof piece === 'string' ? take(piece) : piece;
    if (fault) return fault;
  }
  const fault = take(null);
  if (fault) return fault;
  return found.reader?.places() ?? { fault: 'empty' };
}

/**
 * Yields the text of a file; a fault where it cannot be read.
 * @param {Blob} file
 * @returns {AsyncGenerator<string | { fault: PlacesFault }>}
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
 */
function readerFor(name, lines) {
  const first = lines.find((line) => line.trim() !== '');
  if (first === undefined) return null;
  const isNdjson = /\.(ndjson|jsonl)$/i.test(name) || (!/\.csv$/i.test(name) && first.trimStart().startsWith('{'));
  return isNdjson ? ndjsonReader() : csvReader();
}

function csvReader() {
  /** @type {string[] | null} */
  let header = null;
  /** @type {string[]} */
  let rest = [];
  const found = collector('csv');
  return {
    take: (/** @type {readonly string[]} */ lines, /** @type {boolean} */ isLast) => {
      const { records, rest: unfinished } = recordsOf(rest.length > 0 ? [...rest, ...lines] : lines, { isLast });
      rest = unfinished;
      for (const record of records) {
        if (header === null) {
          const isBlank = record?.length === 1 && record[0] === '';
          if (isBlank) continue;
          header = (record ?? []).map((name) => name.toLowerCase());
          const fault = faultOf(header);
          if (fault) return fault;
          found.columns(header);
          continue;
        }
        const names = header;
        found.row(() => Object.fromEntries(names.map((name, i) => [name, record?.[i]])));
        if (found.isFull()) return { fault: /** @type {const} */ ('tooManyRows') };
      }
      return null;
    },
    places: found.places,
  };
}

/** @returns {ReturnType<typeof csvReader>} */
function ndjsonReader() {
  const found = collector('ndjson');
  return {
    take: (lines) => {
      for (const line of lines) {
        if (line.trim() === '') continue;
        found.row(() => membersOf(line));
        if (found.isFull()) return { fault: 'tooManyRows' };
      }
      return null;
    },
    places: found.places,
  };
}

/** @param {string} line */
function membersOf(line) {
  try {
    const members = JSON.parse(line);
    return typeof members === 'object' && members !== null ? members : {};
  } catch {
    return {};
  }
}

/**
 * @param {readonly string[]} header
 * @returns {{ fault: PlacesFault, ignored?: string[] } | null}
 */
function faultOf(header) {
  if (known.some((name) => header.indexOf(name) !== header.lastIndexOf(name))) return { fault: 'twice' };
  const has = (/** @type {string} */ name) => header.includes(name);
  return has('address') || (has('lat') && has('lon')) ? null : { fault: 'noColumns', ignored: [...header] };
}

/**
 * Collects what the page shows of the rows.
 * @param {'csv' | 'ndjson'} format
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
        first.push(Object.fromEntries(known.map((name) => [name, textOf(members[name])])));
      }
      const [lat, lon] = [numberOf(members['lat']), numberOf(members['lon'])];
      if (Math.abs(lat) <= 90 && Math.abs(lon) <= 180) points.set(rows, [lon, lat]);
    },
    isFull: () => rows > MOST_ROWS,
    /** @returns {Places | { fault: PlacesFault, ignored?: string[] }} */
    places: () => {
      if (rows === 0) return { fault: 'empty' };
      const columns = known.filter((name) => names.has(name));
      const ignored = [...names].filter((name) => !known.some((one) => one === name));
      return { format, columns, ignored, rows, first, points };
    },
  };
}

/** @param {unknown} member */
const textOf = (member) => (typeof member === 'string' || typeof member === 'number' ? String(member) : '');

/** @param {unknown} member */
function numberOf(member) {
  if (typeof member === 'number') return member;
  return typeof member === 'string' && DECIMAL.test(member.trim()) ? Number(member) : NaN;
}
