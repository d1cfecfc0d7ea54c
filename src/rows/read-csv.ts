import { badRequest, type AppError } from '../shared/problems.ts';
import { csvRecords } from './csv-records.ts';
import { MAX_LINE } from './lines.ts';
import { badRow, placeOf } from './place-of.ts';
import type { AskedRow } from './row.ts';

/** Columns that count. */
const columns = ['address', 'lat', 'lon', 'custom_id'] as const;
type Columns = Readonly<Record<(typeof columns)[number], number>>;

/**
 * Yields the rows of a CSV file whose first record names the columns: `address`, or `lat` and `lon`; and `custom_id` if given. Other
 * columns are ignored. @throws AppError BAD_REQUEST when the header names no place, or when there are no rows.
 */
export async function* readCsv(lines: AsyncIterable<string>): AsyncGenerator<AskedRow> {
  let header: { readonly at: Columns; readonly count: number } | null = null;
  let isEmpty = true;
  for await (const record of csvRecords(withoutPreamble(lines))) {
    if (header) {
      isEmpty = false;
      yield rowOf(record, header);
    } else header = { at: columnsOf(record), count: record?.length ?? 0 };
  }
  if (!header) throw badRequest('the file is empty: it needs a header with "address", or "lat" and "lon"');
  if (isEmpty) throw badRequest('the file has a header, but no rows');
}

const separators: Readonly<Record<string, string>> = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' };

/** Leaves out the line with which a spreadsheet says that commas separate. @throws AppError when something else does. */
async function* withoutPreamble(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const line of lines) {
    const named: string | undefined = isFirst ? /^"?sep=(.)"?$/i.exec(line)?.[1] : undefined;
    if (named !== undefined && named !== ',') throw otherSeparator(named);
    if (isFirst && named === undefined) refuseOtherSeparators(line);
    isFirst &&= named !== undefined;
    if (named === undefined) yield line;
  }
}

function refuseOtherSeparators(header: string): void {
  const other = Object.keys(separators).find((separator) => isHeaderBy(separator, header));
  if (other !== undefined && !isHeaderBy(',', header)) throw otherSeparator(other);
}

function isHeaderBy(separator: string, line: string): boolean {
  const names = line.split(separator).map((name) =>
    name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  );
  return names.length > 1 && (names.includes('address') || (names.includes('lat') && names.includes('lon')));
}

function otherSeparator(separator: string): AppError {
  const name = separators[separator] ?? JSON.stringify(separator);
  return badRequest(`${name} separate the columns of the file: save it with commas, and with points in numbers`);
}

function columnsOf(header: readonly string[] | null): Columns {
  if (!header) {
    throw badRequest(`the header in the first line has quotes without an end, or more than ${MAX_LINE} characters`);
  }
  const names = header.map((name) => name.toLowerCase());
  const twice = columns.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw badRequest(`the file has two columns "${twice}"`);
  const at = Object.fromEntries(columns.map((name) => [name, names.indexOf(name)])) as Columns;
  if (at.address >= 0 || (at.lat >= 0 && at.lon >= 0)) return at;
  throw badRequest(missing(names));
}

function missing(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => JSON.stringify(name.slice(0, 40)));
  const rest = names.length > shown.length ? `, and ${names.length - shown.length} more` : '';
  const isJson = names.includes('geometry') || /^[[{]/.test(names[0] ?? '');
  const hint = isJson ? '. Areas and other JSON are sent as NDJSON, one object a line' : '';
  return `the file needs a column "address", or columns "lat" and "lon": its header has ${shown.join(', ')}${rest}${hint}`;
}

function rowOf(
  record: readonly string[] | null,
  { at, count }: { readonly at: Columns; readonly count: number },
): AskedRow {
  if (record === null) {
    return { customId: null, place: badRow('the row is malformed: its quotes have no end, or it is too long') };
  }
  if (record.length !== count) {
    const fault = `the row has ${record.length} fields, the header ${count}: put quotes around a text with a comma`;
    return { customId: null, place: badRow(fault) };
  }
  return {
    customId: record[at.custom_id] ?? null,
    place: placeOf({ address: record[at.address], lat: record[at.lat], lon: record[at.lon] }),
  };
}
