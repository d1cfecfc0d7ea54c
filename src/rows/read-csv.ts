import { badRequest, type AppError } from '../shared/problems.ts';
import { columnOf, columns, type OnIgnored } from './columns.ts';
import { csvRecords } from './csv-records.ts';
import { MAX_LINE } from './lines.ts';
import { badRow, placeOf } from './place-of.ts';
import type { AskedRow } from './row.ts';

/** Columns that count: a geometry does not fit into CSV. */
const columnsOfCsv = columns.filter((name) => name !== 'geometry');
type Columns = Readonly<Record<(typeof columnsOfCsv)[number], number>>;

/**
 * Yields the rows of a CSV file whose first record names the columns: `address`, or `lat` and `lon`; and `custom_id` if given. Other
 * columns are ignored. @throws AppError BAD_REQUEST when the header names no place, or when there are no rows.
 */
export async function* readCsv(lines: AsyncIterable<string>, onIgnored: OnIgnored): AsyncGenerator<AskedRow> {
  let header: { readonly at: Columns; readonly count: number } | null = null;
  let isEmpty = true;
  for await (const record of csvRecords(withoutPreamble(lines))) {
    if (header) {
      isEmpty = false;
      yield rowOf(record, header);
    } else header = { at: columnsOf(record, onIgnored), count: record?.length ?? 0 };
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

function columnsOf(header: readonly string[] | null, onIgnored: OnIgnored): Columns {
  if (!header) {
    throw badRequest(`the header in the first line has quotes without an end, or more than ${MAX_LINE} characters`);
  }
  const at = Object.fromEntries(columnsOfCsv.map((name) => [name, indexOf(name, header)])) as Columns;
  if (at.address < 0 && (at.lat < 0 || at.lon < 0)) throw badRequest(missing(header.map((name) => name.toLowerCase())));
  const used = new Set(Object.values(at));
  for (const [index, name] of header.entries()) if (!used.has(index)) onIgnored(name);
  return at;
}

/** Returns where a column is: the one of this name, otherwise the one of nearly this name; -1: nowhere. @throws AppError when there are two. */
function indexOf(column: (typeof columnsOfCsv)[number], header: readonly string[]): number {
  const indexes = (isIt: (name: string) => boolean) => header.flatMap((name, index) => (isIt(name) ? [index] : []));
  const exact = indexes((name) => name.toLowerCase() === column);
  const found = exact.length > 0 ? exact : indexes((name) => columnOf(name) === column);
  if (found.length > 1) throw badRequest(`the file has two columns "${column}"`);
  return found[0] ?? -1;
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
    return {
      customId: null,
      place: badRow(`the row is malformed: its quotes have no end, or it has more than ${MAX_LINE} characters`),
    };
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
