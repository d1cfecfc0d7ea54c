import { registerDirection } from '../../../src/addresses/directions.ts';
import { displayCase } from '../../../src/addresses/format.ts';
import { otherRoadKeys, parseStreet, type StreetParts } from '../../../src/addresses/street-name.ts';
import { tokenise } from '../../../src/addresses/tokens.ts';
import { MOST_SPELLINGS } from '../../engine/gazetteer/civic-block.ts';
import type { StreetSpelling } from '../../engine/gazetteer/street-record.ts';
import type { Row, AddressField } from './files.ts';

/** Number of a street, and of one of its spellings. */
interface SpeltStreet {
  readonly street: number;
  readonly spelling: number;
}

/** Numbers the distinct streets and municipality names of a register while its rows are read. */
export class StreetIndex {
  readonly streets: (StreetParts & {
    /** Index in `StreetIndex.mails`. */
    readonly mail: number;
    /** In the order in which they appear. */
    readonly spellings: StreetSpelling[];
    /** Other names of the street: the mailing name if it differs. */
    readonly otherNames: Map<string, StreetParts>;
  })[] = [];
  /** Mailing municipalities as the register writes them. */
  readonly mails: string[] = [];
  readonly #ids = new Map<string, number>();
  readonly #mailIds = new Map<string, number>();
  readonly #rawIds = new Map<string, SpeltStreet | null>();

  /** Returns the row's street; null when the row names none. */
  of(row: Row<AddressField>): SpeltStreet | null {
    const raw = [row.name, row.type, row.direction, row.mailName, row.mailType, row.mailDirection, mailOf(row)].join(
      '\t',
    );
    const known = this.#rawIds.get(raw);
    if (known !== undefined) return known;
    const spelt = this.#add(row);
    this.#rawIds.set(raw, spelt);
    return spelt;
  }

  #add(row: Row<AddressField>): SpeltStreet | null {
    const official = nameParts(row.name, row.type, row.direction);
    const mailing = nameParts(row.mailName, row.mailType, row.mailDirection);
    const parts = official ?? mailing;
    if (parts === null) return null;
    const mail = numberOf(mailOf(row), this.mails, this.#mailIds);
    const identity = [parts.key, parts.type, parts.direction, mail].join('\t');
    let id = this.#ids.get(identity);
    if (id === undefined) {
      id = this.streets.push({ ...parts, mail, spellings: [], otherNames: new Map() }) - 1;
      this.#ids.set(identity, id);
    }
    const { otherNames, spellings } = this.streets[id]!;
    if (mailing !== null && mailing.key !== parts.key) otherNames.set(mailing.key, mailing);
    for (const key of otherRoadKeys(parts.key)) otherNames.set(key, { ...parts, key });
    const spelling = official
      ? spellingOf(row.name, row.type, row.direction)
      : spellingOf(row.mailName, row.mailType, row.mailDirection);
    return { street: id, spelling: numberOfSpelling(spelling, spellings) };
  }
}

/** Returns the position of a spelling in a street's list, and adds it when it differs in more than signs and case. */
function numberOfSpelling(spelling: StreetSpelling, known: StreetSpelling[]): number {
  const written = tokenise(spelling.name).join(' ');
  const at = known.findIndex(({ name }) => tokenise(name).join(' ') === written);
  if (at >= 0) return at;
  return known.length < MOST_SPELLINGS ? known.push(spelling) - 1 : 0;
}

/** Returns the mailing municipality of a row, otherwise its census subdivision. */
function mailOf(row: Row<AddressField>): string {
  return row.municipality.trim() || (row.csdEnglish.split(' / ')[0] ?? '');
}

function numberOf(value: string, values: string[], ids: Map<string, number>): number {
  const known = ids.get(value);
  if (known !== undefined) return known;
  const id = values.push(detached(value)) - 1;
  ids.set(value, id);
  return id;
}

/** Copies a cell's text. Without the copy, V8 would keep the megabyte of text that the cell was cut from. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}

function nameParts(name: string, type: string, direction: string): StreetParts | null {
  const words = tokenise(`${name} ${type}`);
  if (words.length === 0 || name.trim() === '') return null;
  const letter = registerDirection(direction.trim().toUpperCase());
  return parseStreet(letter === null ? words : [...words, letter]);
}

function spellingOf(name: string, type: string, direction: string): StreetSpelling {
  const capitals = name === name.toUpperCase();
  return {
    name: detached(capitals ? displayCase(name) : name.trim()),
    type: type.trim().toUpperCase() || null,
    direction: direction.trim().toUpperCase() || null,
  };
}
