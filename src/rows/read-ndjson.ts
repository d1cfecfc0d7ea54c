import { badRequest } from '../shared/problems.ts';
import { columnOf, type OnIgnored, type RowColumn } from './columns.ts';
import { MAX_AREA_LINE, MAX_LINE } from './lines.ts';
import { badRow, placeOf } from './place-of.ts';
import type { AskedRow } from './row.ts';

type Members = Readonly<Record<string, unknown>>;

/** Names of members that are kept. */
const MOST_NAMES = 1000;

/**
 * Yields the rows of NDJSON: one object a line, with `address`, or `lat` and `lon`, or `geometry`; and `custom_id` if given. Other members are
 * ignored, and so are blank lines. @throws AppError BAD_REQUEST when there are no rows.
 */
export async function* readNdjson(lines: AsyncIterable<string>, onIgnored: OnIgnored): AsyncGenerator<AskedRow> {
  let isEmpty = true;
  const names = new MemberNames(onIgnored);
  for await (const line of lines) {
    if (line.trim() === '') continue;
    if (isEmpty) refuseOtherJson(line.trim());
    isEmpty = false;
    yield rowOf(line, names);
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

/** Says what the members of rows mean. Names repeat from row to row, so each is looked at once. */
class MemberNames {
  readonly #onIgnored: OnIgnored;
  readonly #known = new Map<string, RowColumn | null>();

  constructor(onIgnored: OnIgnored) {
    this.#onIgnored = onIgnored;
  }

  /** Returns the members that count by the names of their columns; null when two mean the same and neither has its name. */
  read(members: Members): Members | null {
    let near: Record<string, unknown> | null = null;
    for (const name of Object.keys(members)) {
      const column = this.#columnOf(name);
      if (column === null || column === name || column in members) continue;
      near ??= {};
      if (column in near) return null;
      near[column] = members[name];
    }
    return near ? { ...members, ...near } : members;
  }

  #columnOf(name: string): RowColumn | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const column = columnOf(name);
    // A file may have other names in each row.
    if (this.#known.size < MOST_NAMES) {
      this.#known.set(name, column);
      if (column === null) this.#onIgnored(name);
    }
    return column;
  }
}

function rowOf(line: string, names: MemberNames): AskedRow {
  const mostUnits = line.length > MAX_LINE && line.includes('"geometry"') ? MAX_AREA_LINE : MAX_LINE;
  if (line.length > mostUnits) return bad(`the row has more than ${mostUnits} characters`);
  const object = objectOf(line);
  if (!object) return bad('the row must be one JSON object, on a line of its own');
  const members = names.read(object);
  if (!members) return bad('the row has two members of nearly the same name, such as "Address" and "ADDRESS"');
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

function objectOf(line: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}
