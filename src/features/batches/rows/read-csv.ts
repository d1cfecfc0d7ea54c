import { badRequest, cutShort, type AppError } from '../../../messages/problems.ts';
import { indexesOfColumns } from './address-columns.ts';
import { columns, indexesOf, isBlankText, meaningOf, joinedAddress } from './columns.ts';
import { MAX_LINE } from './csv-record.ts';
import { csvRecords } from './csv-records.ts';
import { badRow, placeOf } from './place-of.ts';
import type { OnIgnored, ReadOptions } from './lines.ts';
import type { AskedRow } from './row.ts';

/** Columns that count: a geometry does not fit into CSV. */
const columnsOfCsv = columns.filter((name) => name !== 'geometry');
type CsvColumn = (typeof columnsOfCsv)[number];

interface Header {
  /** Where each column is; -1: nowhere. */
  readonly at: Readonly<Record<CsvColumn, number>>;
  /** Where the parts of the address are; null: it is in one column. */
  readonly parts: readonly number[] | null;
  /** Of columns. */
  readonly count: number;
}

/**
 * Yields the rows of a CSV file whose first record names the columns: `address` or the address columns, or `lat` and `lon`; and `custom_id` if given. Other
 * columns are ignored. @throws AppError BAD_REQUEST when the header names no place, or when there are no rows.
 */
export async function* readCsv(lines: AsyncIterable<string>, options: ReadOptions): AsyncGenerator<AskedRow> {
  let header: Header | null = null;
  let isEmpty = true;
  for await (const record of csvRecords(withoutPreamble(lines, options), options)) {
    if (header) {
      isEmpty = false;
      yield rowOf(record, header);
    } else header = headerOf(record, options);
  }
  if (!header) throw badRequest('the file is empty: it needs a header with "address", or "lat" and "lon"');
  if (isEmpty) throw badRequest('the file has a header, but no rows');
}

const separators: Readonly<Record<string, string>> = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' };

/** Leaves out the line with which a spreadsheet says that commas separate. @throws AppError when something else does. */
async function* withoutPreamble(
  lines: AsyncIterable<string>,
  { onBlank }: Pick<ReadOptions, 'onBlank'>,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const line of lines) {
    const named: string | undefined = isFirst ? /^"?sep=(.)"?$/i.exec(line)?.[1] : undefined;
    if (named !== undefined && named !== ',') throw otherSeparator(named);
    if (isFirst && named === undefined) refuseOtherSeparators(line);
    isFirst &&= named !== undefined;
    if (named === undefined) yield line;
    else onBlank?.();
  }
}

function refuseOtherSeparators(header: string): void {
  const other = Object.keys(separators).find((separator) => isHeaderBy(separator, header));
  if (other !== undefined && !isHeaderBy(',', header)) throw otherSeparator(other);
}

function isHeaderBy(separator: string, line: string): boolean {
  const names = line.split(separator).map((name) => meaningOf(name.trim().replace(/^"(.*)"$/, '$1'))?.column);
  return names.length > 1 && (names.includes('address') || (names.includes('lat') && names.includes('lon')));
}

function otherSeparator(separator: string): AppError {
  const name = separators[separator] ?? JSON.stringify(separator);
  return badRequest(`${name} separate the columns of the file: save it with commas, and with points in numbers`);
}

function headerOf(
  names: readonly string[] | null,
  { addressColumns, onIgnored = () => undefined }: ReadOptions,
): Header {
  if (!names) {
    throw badRequest(`the header in the first line has quotes without an end, or more than ${MAX_LINE} characters`);
  }
  const parts = addressColumns ? indexesOfColumns(addressColumns, names) : null;
  const find = (column: CsvColumn): number => (parts && column === 'address' ? -1 : indexOf(column, names));
  const at = Object.fromEntries(columnsOfCsv.map((column) => [column, find(column)])) as Header['at'];
  if (!parts && at.address < 0 && (at.lat < 0 || at.lon < 0))
    throw badRequest(missing(names.map((name) => name.toLowerCase())));
  tellIgnored(names, [...Object.values(at), ...(parts ?? [])], onIgnored);
  return { at, parts, count: names.length };
}

function tellIgnored(names: readonly string[], used: readonly number[], onIgnored: OnIgnored): void {
  const all = new Set(used);
  for (const [index, name] of names.entries()) if (!all.has(index) && !isBlankText(name)) onIgnored(name);
}

/** Returns where a column is: of those with such a name the one whose name is surest; -1: nowhere. @throws AppError that names both when there are two. */
function indexOf(column: CsvColumn, header: readonly string[]): number {
  const [first, second] = indexesOf(column, header);
  if (first !== undefined && second !== undefined) throw badRequest(twice(column, [header[first]!, header[second]!]));
  return first ?? -1;
}

/** What is wrong with two columns that mean the same. */
function twice(column: string, [one, other]: readonly [string, string]): string {
  const isOneName = one.toLowerCase() === column && other.toLowerCase() === column;
  const names = isOneName
    ? ''
    : `: ${JSON.stringify(cutShort(one))} and ${JSON.stringify(cutShort(other))}. Rename one of them`;
  return `the file has two columns "${column}"${names}`;
}

function missing(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => JSON.stringify(name.slice(0, 40)));
  const rest = names.length > shown.length ? `, and ${names.length - shown.length} more` : '';
  const isJson = names.includes('geometry') || /^[[{]/.test(names[0] ?? '');
  const hint = isJson ? '. Areas and other JSON are sent as NDJSON, one object a line' : '';
  const parts = isJson
    ? ''
    : '. Where several columns make the address, name them: --address-columns, or address_columns of a request';
  return `the file needs a column "address", or columns "lat" and "lon": its header has ${shown.join(', ')}${rest}${hint}${parts}`;
}

function rowOf(record: readonly string[] | null, { at, parts, count }: Header): AskedRow {
  if (record === null) {
    return {
      customId: null,
      place: badRow(`the row is malformed: its quotes have no end, or it has more than ${MAX_LINE} characters`),
    };
  }
  // A row that is too short may end in the middle of an address. The one column of a file needs no quotes around its commas.
  const isAll = count === 1 && at.address === 0;
  if (!isAll && (record.length < count || !record.slice(count).every(isBlankText))) {
    const hint = hasDecimalComma(record, at)
      ? 'write numbers with a point, as 44.1'
      : 'put quotes around a text with a comma';
    const fault = `the row has ${record.length} fields, the header ${count}: ${hint}`;
    return { customId: null, place: badRow(fault) };
  }
  const all = parts ?? (isAll ? record.keys() : null);
  const address = all ? joinedAddress([...all].map((index) => record[index]!)) : record[at.address];
  return {
    customId: record[at.custom_id] ?? null,
    place: placeOf({ address, lat: record[at.lat], lon: record[at.lon] }, null),
  };
}

/** Whether the latitude is cut in two, as 44,1 is where commas separate the fields. */
function hasDecimalComma(record: readonly string[], { lat }: Header['at']): boolean {
  return lat >= 0 && /^[+-]?\d{1,2}$/.test(record[lat] ?? '') && /^\d+$/.test(record[lat + 1] ?? '');
}
