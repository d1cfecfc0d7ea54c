import { MAX_LINE } from './lines.ts';

/**
 * Yields the fields of each record of a CSV text (RFC 4180), null for a malformed one. A quoted field may hold line ends. A malformed
 * record costs its first line only: the next line is read as a record again, so that one stray quote does not swallow the rows after
 * it. Empty lines are no records. Blanks around a field are not part of it.
 */
export async function* csvRecords(lines: AsyncIterable<string>): AsyncGenerator<readonly string[] | null> {
  const source: AsyncIterator<string, unknown> = lines[Symbol.asyncIterator]();
  /** Lines that were read as the rest of a record and were not. */
  let again: string[] = [];
  const next = async (): Promise<string | undefined> => {
    const line = again.shift();
    if (line !== undefined) return line;
    const result = await source.next();
    return result.done === true ? undefined : result.value;
  };
  for (let line = await next(); line !== undefined; line = await next()) {
    if (line === '') continue;
    const { fields, taken } = await readRecord(line, next);
    if (fields === null) again = [...taken, ...again];
    yield fields;
  }
}

async function readRecord(
  line: string,
  next: () => Promise<string | undefined>,
): Promise<{ readonly fields: readonly string[] | null; readonly taken: readonly string[] }> {
  const taken: string[] = [];
  let record = line;
  let fields = fieldsOf(record);
  while (fields === 'open' && record.length <= MAX_LINE) {
    const more = await next();
    if (more === undefined) break;
    taken.push(more);
    record += `\n${more}`;
    // Only a quote can end a quoted field.
    if (more.includes('"')) fields = fieldsOf(record);
  }
  return { fields: typeof fields === 'string' || record.length > MAX_LINE ? null : fields, taken };
}

/** Returns the fields of a record; `open` when a quoted field has no end, `malformed` when text follows its end. */
function fieldsOf(record: string): readonly string[] | 'open' | 'malformed' {
  if (!record.includes('"')) return record.split(',').map((field) => field.trim());
  const fields: string[] = [];
  for (let at = 0; at <= record.length;) {
    const field = /^[ \t]*"/.test(record.slice(at, at + 20)) ? quotedAt(record, at) : plainAt(record, at);
    if (typeof field === 'string') return field;
    fields.push(field.text);
    at = field.end + 1;
  }
  return fields;
}

interface Field {
  readonly text: string;
  /** Where the comma behind it is, or the end of the record. */
  readonly end: number;
}

function plainAt(record: string, start: number): Field {
  const comma = record.indexOf(',', start);
  const end = comma === -1 ? record.length : comma;
  return { text: record.slice(start, end).trim(), end };
}

/** A quoted field, in which two quotes stand for one. */
const QUOTED = /[ \t]*"([^"]*(?:""[^"]*)*)("[ \t]*)?/y;

function quotedAt(record: string, start: number): Field | 'open' | 'malformed' {
  QUOTED.lastIndex = start;
  const [whole, text, closing] = QUOTED.exec(record)!;
  const end = start + whole.length;
  if (closing === undefined) return 'open';
  if (end < record.length && record[end] !== ',') return 'malformed';
  return { text: text!.replaceAll('""', '"').trim(), end };
}
