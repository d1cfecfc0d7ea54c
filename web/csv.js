/** Records of CSV (RFC 4180), split as the service splits them (src/rows/csv-records.ts). */

/** Longest record, as the service takes. */
const MOST_LETTERS = 16_384;

/**
 * Splits lines into records; null stands for a malformed one. Empty lines are none. A malformed record costs its first line only.
 * @param {readonly string[]} lines
 * @param {{ isLast: boolean }} options isLast: no more lines come
 * @returns {{ records: (string[] | null)[], rest: string[] }} rest: lines of a record whose end has not come yet
 */
export function recordsOf(lines, { isLast }) {
  /** @type {(string[] | null)[]} */
  const records = [];
  for (let i = 0; i < lines.length;) {
    if (lines[i] === '') {
      i++;
      continue;
    }
    const { fields, end } = recordAt(lines, i);
    if (fields === 'open' && end === lines.length && !isLast) return { records, rest: lines.slice(i) };
    records.push(typeof fields === 'string' ? null : fields);
    i = typeof fields === 'string' ? i + 1 : end;
  }
  return { records, rest: [] };
}

/**
 * @param {readonly string[]} lines
 * @param {number} start
 * @returns {{ fields: string[] | 'open' | 'malformed', end: number }} end: the line behind it
 */
function recordAt(lines, start) {
  let record = lines[start] ?? '';
  let fields = fieldsOf(record);
  let end = start + 1;
  for (; fields === 'open' && record.length <= MOST_LETTERS && end < lines.length; end++) {
    const more = lines[end] ?? '';
    record += `\n${more}`;
    // Only a quote can end a quoted field.
    if (more.includes('"')) fields = fieldsOf(record);
  }
  return { fields: record.length > MOST_LETTERS ? 'malformed' : fields, end };
}

/**
 * @param {string} record
 * @returns {string[] | 'open' | 'malformed'} its fields; `open` when a quoted field has no end, `malformed` when text follows its end
 */
function fieldsOf(record) {
  if (!record.includes('"')) return record.split(',').map((field) => field.trim());
  const fields = [];
  for (let at = 0; at <= record.length;) {
    const field = /^[ \t]*"/.test(record.slice(at, at + 20)) ? quotedAt(record, at) : plainAt(record, at);
    if (typeof field === 'string') return field;
    fields.push(field.text);
    at = field.end + 1;
  }
  return fields;
}

/**
 * @param {string} record
 * @param {number} start
 */
function plainAt(record, start) {
  const comma = record.indexOf(',', start);
  const end = comma === -1 ? record.length : comma;
  return { text: record.slice(start, end).trim(), end };
}

/** A quoted field, in which two quotes stand for one. */
const QUOTED = /[ \t]*"([^"]*(?:""[^"]*)*)("[ \t]*)?/y;

/**
 * @param {string} record
 * @param {number} start
 */
function quotedAt(record, start) {
  QUOTED.lastIndex = start;
  const [whole = '', text = '', closing] = QUOTED.exec(record) ?? [];
  const end = start + whole.length;
  if (closing === undefined) return 'open';
  if (end < record.length && record[end] !== ',') return 'malformed';
  return { text: text.replaceAll('""', '"').trim(), end };
}

/**
 * Splits a text that comes in pieces into lines (LF, CR LF, or CR in a text without LF).
 * @returns {(piece: string | null) => string[]} null: the end
 */
export function lineSplitter() {
  let rest = '';
  /** @type {string | null} */
  let end = null;
  return (piece) => {
    if (piece === null) return rest === '' ? [] : [withoutReturn(rest)];
    const text = rest + piece;
    end ??= text.includes('\n') ? '\n' : text.slice(0, -1).includes('\r') ? '\r' : null;
    const lines = text.split(end ?? '\n');
    rest = lines.pop() ?? '';
    return lines.map(withoutReturn);
  };
}

/** @param {string} line */
const withoutReturn = (line) => (line.endsWith('\r') ? line.slice(0, -1) : line);
