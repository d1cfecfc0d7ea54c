/** Values, numbers and names in the words of a language. */
import type { LayerDescription } from '../../../messages/wire/layers.ts';
import type { LayerValue } from '../../../messages/wire/lookup.ts';
import type { FindingWords } from './en.ts';
import { fill } from './fill.ts';

/** A language, and how whoever speaks writes numbers in it. */
export interface Speech {
  readonly language: 'en' | 'fr';
  readonly words: FindingWords;
  /** A distance with its unit. */
  readonly metres: (distanceM: number) => string;
  /** A share from 0 to 1, in hundredths. */
  readonly percent: (share: number) => string;
}

/** What must be known of a layer to speak of its findings. */
export type SaidLayer = Pick<
  LayerDescription,
  'kind' | 'title' | 'french' | 'reader' | 'bandsM' | 'specialBandsM' | 'radiusM'
>;

/** What a layer finds, for a reader. */
export function nameOf({ reader, title, french }: SaidLayer, { language }: Pick<Speech, 'language'>): string {
  return reader?.name?.[language] ?? (language === 'fr' ? (french?.title ?? title) : title);
}

type Members = readonly (readonly [string, string | number])[];

/** Members of a value that name the thing, or all that is known of one without a name; and the others. */
function membersOf(value: Exclude<NonNullable<LayerValue>, string | boolean>): { said: Members; rest: Members } {
  const known = Object.entries(value).filter((member): member is [string, string | number] => member[1] !== null);
  const named = known.filter(([name]) => !/id$/i.test(name));
  const hasName = named.some(([name]) => /name$/i.test(name));
  const names = named.filter(([name]) => !hasName || /name$|^(zone|designation)$/i.test(name));
  const said = named.length === 0 ? known.slice(0, 1) : names;
  return { said, rest: known.filter((member) => !said.includes(member)) };
}

/** A value of a layer that says which of many things is there: its name, or what is known instead of one. */
export function valueInWords(value: NonNullable<LayerValue>, { words }: Pick<Speech, 'words'>): string {
  if (typeof value !== 'object') return words.codes[String(value)] ?? readable(String(value));
  if (typeof value['cliClass'] === 'string') return fill(words.soilClass, { value: value['cliClass'] });
  const { said } = membersOf(value);
  const [[name, text] = ['', '']] = said;
  return /id$/i.test(name)
    ? fill(words.numbered, { value: text })
    : said.map((member) => readable(String(member[1]))).join(', ');
}

/** What else is known of such a thing, by member. */
export function furtherMembers(value: LayerValue): Members {
  return typeof value === 'object' && value !== null && !('cliClass' in value) ? membersOf(value).rest : [];
}

/** What a class of soil means; null: the value is none. */
export function soilInWords(value: NonNullable<LayerValue>, { words }: Pick<Speech, 'words'>): string | null {
  if (typeof value !== 'object') return null;
  const { cliClass, description = null } = value;
  if (typeof cliClass !== 'string') return null;
  if (words.soil !== null) return words.soil[cliClass] ?? null;
  return description === null ? null : String(description);
}

const SMALL = new Set(['of', 'and', 'the', 'on', 'de', 'du', 'des', 'la', 'le', 'et', 'sur', 'au', 'aux']);

/** Short forms that look like words. Others are known by their digits, their hyphen with a letter, or because they have no vowel. */
const SHORT_FORMS = new Set([
  'ANSI',
  'NHIC',
  'WHPA',
  'IPZ',
  'SGRA',
  'HVA',
  'NPCA',
  'TRCA',
  'GRCA',
  'LSRCA',
  'CLI',
  'OMAFRA',
]);
/** Without a vowel, and yet no short forms of things. */
const ABBREVIATED = new Set(['BLVD', 'HWY', 'STN', 'TWP']);
const ROMAN = /^(?=[IVX])X{0,3}(IX|IV|V?I{0,3})$/;

/** Official names come in capitals: "CITY OF SAMPLETON" reads as "City of Sampleton". Codes in them, and other spellings, stay as they are. */
export function readable(text: string): string {
  if (text !== text.toUpperCase() || !/[A-ZÀ-Þ]{4}/.test(text)) return text;
  return text.replace(/[\p{L}\d'’-]+/gu, (compound, at: number) =>
    /\d|-\p{L}$/u.test(compound)
      ? compound
      : compound.replace(/[\p{L}'’]+/gu, (word, within: number) => inName(word, at + within > 0)),
  );
}

function inName(word: string, isLater: boolean): string {
  if (isCode(word)) return word;
  const small = word.toLowerCase();
  // O'Brien and L'Orignal, but King's.
  return isLater && SMALL.has(small) ? small : small.replace(/^(\p{L}['’])?\p{L}/u, (start) => start.toUpperCase());
}

function isCode(word: string): boolean {
  if (SHORT_FORMS.has(word) || ROMAN.test(word)) return true;
  return /^[B-DF-HJ-NP-TV-XZ]{3,}$/.test(word) && !ABBREVIATED.has(word);
}
