import { badRequest } from '../shared/problems.ts';
import { MAX_AREA_LINE, MAX_LINE } from './lines.ts';
import { badRow, placeOf } from './place-of.ts';
import type { AskedRow } from './row.ts';

/**
 * Yields the rows of NDJSON: one object a line, with `address`, or `lat` and `lon`, or `geometry`; and `custom_id` if given. Other members are
 * ignored, and so are blank lines. @throws AppError BAD_REQUEST when there are no rows.
 */
export async function* readNdjson(lines: AsyncIterable<string>): AsyncGenerator<AskedRow> {
  let isEmpty = true;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    if (isEmpty) refuseOtherJson(line.trim());
    isEmpty = false;
    yield rowOf(line);
  }
  if (isEmpty) throw badRequest('the file has no rows: it needs one JSON object a line');
}

/** CSV, and JSON that is spread over lines, would be one bad row a line. */
function refuseOtherJson(firstLine: string): void {
  if (firstLine.startsWith('['))
    throw badRequest('the file is a JSON array: send one object a line, without brackets and commas');
  if (!firstLine.startsWith('{')) throw badRequest('the first line is no JSON object: send CSV as CSV');
  if (firstLine === '{') throw badRequest('the first line is half an object: write each object on one line');
}

function rowOf(line: string): AskedRow {
  const mostUnits = line.length > MAX_LINE && line.includes('"geometry"') ? MAX_AREA_LINE : MAX_LINE;
  if (line.length > mostUnits) return bad(`the row has more than ${mostUnits} characters`);
  const members = objectOf(line);
  if (!members) return bad('the row must be one JSON object, on a line of its own');
  const { custom_id: customId = null } = members;
  if (customId === null || typeof customId === 'string') return { customId, place: placeOf(members) };
  // Beyond, two different numbers would be one identifier.
  if (typeof customId === 'number' && Number.isSafeInteger(customId))
    return { customId: String(customId), place: placeOf(members) };
  return bad('custom_id must be a text, or a whole number of up to 15 digits', '/custom_id');
}

function bad(detail: string, param?: string): AskedRow {
  return { customId: null, place: badRow(detail, param) };
}

function objectOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
