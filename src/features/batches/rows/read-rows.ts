import { badRequest } from '../../../messages/problems.ts';
import { isBlankText } from './columns.ts';
import { type ReadOptions, linesOf } from './lines.ts';
import { ROWS_OF_MAP, TextFault } from './checked-text.ts';
import { readCsv } from './read-csv.ts';
import { readNdjson } from './read-ndjson.ts';
import type { AskedRow } from './row.ts';

/** Formats of a file of places. */
export type RowsFormat = 'csv' | 'ndjson';

const endings: readonly (readonly [RegExp, RowsFormat])[] = [
  [/\.csv$/i, 'csv'],
  [/\.(ndjson|jsonl)$/i, 'ndjson'],
];

/** Returns the format that the name of a file says; null when it says none. */
export function formatOfName(name: string): RowsFormat | null {
  return endings.find(([ending]) => ending.test(name))?.[1] ?? null;
}

/**
 * Yields the rows of a file as it is read. Without a format the first line says it: NDJSON begins with a brace.
 * @throws AppError BAD_REQUEST when the file names no places at all, and when it is not UTF-8, with the row, the line and the column; a
 * bad row is a row.
 */
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  format: RowsFormat | null,
  options: ReadOptions = {},
): AsyncGenerator<AskedRow> {
  let count = 0;
  try {
    for await (const row of rowsOf(chunks, { format, ...options })) {
      count++;
      yield row;
    }
  } catch (cause) {
    if (!(cause instanceof TextFault)) throw cause;
    const { line, column, message } = cause;
    throw badRequest(`row ${count + 1} (line ${line}), column ${column}: ${message}`, { reason: 'ENCODING' });
  }
}

async function* rowsOf(
  chunks: AsyncIterable<Uint8Array>,
  { format, ...options }: ReadOptions & { format: RowsFormat | null },
): AsyncGenerator<AskedRow> {
  const lines = linesOf(chunks, options);
  const first = await firstFilled(lines, options);
  // The root of XML, and the type of GeoJSON, may stand in the second line.
  const second = /^\s*(<|\{\s*$)/.test(first) ? await lines.next() : null;
  const begin = second === null || second.done === true ? [first] : [first, second.value];
  refuseOtherText(begin.join('\n').trimStart());
  const isNdjson = format === null ? first.trimStart().startsWith('{') : format === 'ndjson';
  const all = joined(begin, lines);
  yield* isNdjson ? readNdjson(all, options) : readCsv(all, options);
}

async function firstFilled(
  lines: AsyncIterator<string, unknown>,
  { onBlank }: Pick<ReadOptions, 'onBlank'>,
): Promise<string> {
  for (;;) {
    const result = await lines.next();
    if (result.done === true) return '';
    if (!isBlankText(result.value)) return result.value;
    onBlank?.();
  }
}

/** What a text is that is no table, by its beginning. */
const otherTexts: readonly (readonly [RegExp, string])[] = [
  [/^<[^]*<?kml\b/i, `KML: ${ROWS_OF_MAP}`],
  [/^<(!doctype )?html\b/i, 'a web page, perhaps one that asks to log in: get the file itself'],
  [/^<[?\w!]/, `XML: if it is a map, ${ROWS_OF_MAP}`],
  [/^version https:\/\/git-lfs/, 'a pointer of Git LFS: fetch the file that it stands for'],
  [/^\{\s*"type"\s*:\s*"(FeatureCollection|GeometryCollection|Topology)"/, `a map as JSON: ${ROWS_OF_MAP}`],
  [
    /^\{\s*"(geometryType|displayFieldName|objectIdFieldName|fieldAliases|hasZ|layers)"/,
    `JSON of Esri: ask the server with f=geojson, and ${ROWS_OF_MAP}`,
  ],
  [/^\{\s*"error"\s*:\s*\{/, 'a refusal of a server, not what it was asked for: get the file itself'],
];

/** @throws AppError BAD_REQUEST that says what the file is. */
function refuseOtherText(begin: string): void {
  const other = otherTexts.find(([pattern]) => pattern.test(begin));
  if (other) throw badRequest(`the file is ${other[1]}`);
}

async function* joined(begin: readonly string[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* begin;
    yield* rest;
  } finally {
    // Also when nobody reads beyond the first line.
    await rest.return(undefined);
  }
}
