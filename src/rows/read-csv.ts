import { csvRecords } from './csv-records.ts';
import { badRow, placeOf } from './place-of.ts';
import type { AskedRow } from './row.ts';

/** Columns that count. */
const columns = ['address', 'lat', 'lon', 'custom_id'] as const;
type Columns = Readonly<Record<(typeof columns)[number], number>>;

/**
 * Yields the rows of a CSV file whose first record names the columns: `address`, or `lat` and `lon`; and `custom_id` if given. Other
 * columns are ignored. @throws Error when the header names no place.
 */
export async function* readCsv(lines: AsyncIterable<string>): AsyncGenerator<AskedRow> {
  let header: { readonly at: Columns; readonly count: number } | null = null;
  for await (const record of csvRecords(lines)) {
    if (header) yield rowOf(record, header);
    else header = { at: columnsOf(record ?? []), count: record?.length ?? 0 };
  }
  if (!header) throw new Error('the file is empty: it needs a header with "address", or "lat" and "lon"');
}

function columnsOf(header: readonly string[]): Columns {
  const names = header.map((name) => name.toLowerCase());
  const twice = columns.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw new Error(`the file has two columns "${twice}"`);
  const at = Object.fromEntries(columns.map((name) => [name, names.indexOf(name)])) as Columns;
  if (at.address >= 0 || (at.lat >= 0 && at.lon >= 0)) return at;
  throw new Error('the file needs a column "address", or columns "lat" and "lon"');
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
