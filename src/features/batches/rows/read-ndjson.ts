import { beyondShape, shapeWords, type JsonShape } from '../../../core/lookup/json-shape.ts';
import { MOST_OF_AREA } from '../../../messages/area-limits.ts';
import type { ReadArea } from '../../../messages/lookup.ts';
import { badRequest, cutShort } from '../../../messages/problems.ts';
import { SUREST, joinedAddress, foldedName, isBlankText, meaningOf, type Meaning, type RowColumn } from './columns.ts';
import { type OnIgnored, type ReadOptions, MAX_AREA_LINE } from './lines.ts';
import { MAX_LINE } from './csv-record.ts';
import { badRow, placeOf } from './place-of.ts';
import type { AskedRow } from './row.ts';

type Members = Readonly<Record<string, unknown>>;

/** What a row with an area may have, with the other members that tables have. */
const LONG_ROW: JsonShape = { ...MOST_OF_AREA, texts: 5000 };

/** Names of members that are kept. */
const MOST_NAMES = 1000;

/**
 * Yields the rows of NDJSON: one object a line, with `address`, or `lat` and `lon`, or `geometry`; and `custom_id` if given. Other members are
 * ignored, and so are blank lines. @throws AppError BAD_REQUEST when there are no rows.
 */
export async function* readNdjson(lines: AsyncIterable<string>, options: ReadOptions): AsyncGenerator<AskedRow> {
  let isEmpty = true;
  const names = new MemberNames(options);
  for await (const line of lines) {
    if (isBlankText(line)) {
      options.onBlank?.();
      continue;
    }
    if (isEmpty) refuseOtherJson(line.trim());
    isEmpty = false;
    yield rowOf(line, names, options.readArea ?? null);
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

/** Two members of a row that mean the same. */
class Twice {
  readonly names: readonly [string, string];
  constructor(...names: readonly [string, string]) {
    this.names = names;
  }
}

/** What a name means: a column, or a part of the address by its place among the parts. */
type MemberMeaning = Meaning | { readonly part: number };

/** Says what the members of rows mean. Names repeat from row to row, so each is looked at once. */
class MemberNames {
  readonly #onIgnored: OnIgnored;
  readonly #parts: readonly string[] | null;
  readonly #known = new Map<string, MemberMeaning | null>();

  constructor({ onIgnored = () => undefined, addressColumns }: ReadOptions) {
    this.#onIgnored = onIgnored;
    this.#parts = addressColumns?.map(foldedName) ?? null;
  }

  /** Returns the members that count by the names of their columns. */
  read(members: Members): Members | Twice {
    const near = this.#nearIn(members);
    if (near instanceof Twice || this.#parts === null) return near ?? members;
    const parts: unknown[] = [];
    for (const name of Object.keys(members)) {
      const meaning = this.#meaningOf(name);
      if (meaning && 'part' in meaning) parts[meaning.part] ??= members[name];
    }
    return { ...(near ?? members), ...addressOf(parts) };
  }

  /** Adds the members whose names mean a column that is not there by its own name; null: none does. */
  #nearIn(members: Members): Members | Twice | null {
    const near: Record<string, unknown> = {};
    const by = new Map<RowColumn, { readonly name: string; readonly sureness: number }>();
    for (const name of Object.keys(members)) {
      const meaning = this.#meaningOf(name);
      if (meaning === null || 'part' in meaning) continue;
      const { column, sureness } = meaning;
      if (column === name) continue;
      if (column in members) {
        // Its own name in other letters is no less sure, as in the header of CSV.
        if (sureness === SUREST) return new Twice(column, name);
        continue;
      }
      const before = by.get(column);
      if (before?.sureness === sureness) return new Twice(before.name, name);
      if (before && before.sureness < sureness) continue;
      by.set(column, { name, sureness });
      near[column] = members[name];
    }
    return by.size > 0 ? { ...members, ...near } : null;
  }

  #meaningOf(name: string): MemberMeaning | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const meaning = this.#find(name);
    // A file may have other names in each row.
    if (this.#known.size < MOST_NAMES) {
      this.#known.set(name, meaning);
      if (meaning === null) this.#onIgnored(name);
    }
    return meaning;
  }

  #find(name: string): MemberMeaning | null {
    const part = this.#parts?.indexOf(foldedName(name)) ?? -1;
    if (part >= 0) return { part };
    const meaning = meaningOf(name);
    return this.#parts && meaning?.column === 'address' ? null : meaning;
  }
}

/** The address of its parts; a part that is no text and no number stays what it is, and is refused. */
function addressOf(parts: readonly unknown[]): { readonly address?: unknown } {
  const given = [...parts].filter((part) => part !== undefined && part !== null);
  const odd = given.find((part) => typeof part !== 'string' && typeof part !== 'number');
  if (odd !== undefined) return { address: odd };
  return { address: given.length === 0 ? undefined : joinedAddress(given.map(String)) };
}

function rowOf(line: string, names: MemberNames, readArea: ReadArea | null): AskedRow {
  const fault = lengthFault(line);
  if (fault !== null) return bad(fault);
  const object = objectOf(line);
  if (!object) return bad('the row must be one JSON object, on a line of its own');
  const twice = memberTwice(line, object);
  if (twice !== null) return bad(`the row has two members ${JSON.stringify(cutShort(twice))}`);
  const members = names.read(object);
  if (members instanceof Twice) {
    const [one, other] = members.names.map((name) => JSON.stringify(cutShort(name)));
    return bad(`the row has two members that mean the same: ${one} and ${other}`);
  }
  const { custom_id: customId = null } = members;
  if (customId === null || typeof customId === 'string') return { customId, place: placeOf(members, readArea) };
  // Beyond, two different numbers would be one identifier.
  if (typeof customId === 'number' && Number.isSafeInteger(customId))
    return { customId: String(customId), place: placeOf(members, readArea) };
  return bad('custom_id must be a text, or a whole number of up to 15 digits', '/custom_id');
}

/** Names with their colons, the other texts, and what holds members. */
const TOKENS = /("(?:[^"\\]|\\.)*")\s*(:?)|[{}[\]]/g;

/** Returns the first member of a row that counts and is there twice, of which parsing keeps the last; null: there is none. */
function memberTwice(line: string, members: Members): string | null {
  // Most rows have as many colons behind quotes as members.
  if ((line.match(/"\s*:/g) ?? []).length === Object.keys(members).length) return null;
  const seen = new Set<string>();
  let depth = 0;
  for (const [token, text, colon] of line.matchAll(TOKENS)) {
    if (text === undefined) depth += token === '{' || token === '[' ? 1 : -1;
    else if (depth === 1 && colon === ':') {
      const name = JSON.parse(text) as string;
      if (seen.has(name) && meaningOf(name) !== null) return name;
      seen.add(name);
    }
  }
  return null;
}

/** Says what a long line has too much of, before it is parsed; null: nothing. */
function lengthFault(line: string): string | null {
  if (line.length <= MAX_LINE) return null;
  const mostUnits = line.includes('"geometry"') ? MAX_AREA_LINE : MAX_LINE;
  if (line.length > mostUnits) return `the row has more than ${mostUnits} characters`;
  const beyond = beyondShape(Buffer.from(line), LONG_ROW);
  return beyond === null ? null : `the row has more than ${LONG_ROW[beyond]} ${shapeWords[beyond]}`;
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
