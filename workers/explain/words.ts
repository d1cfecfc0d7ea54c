/** Values, numbers and names in the words of a language. */
import type { AnswerDefinition } from '../../src/catalogue/definition.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import { texts, type Language } from './texts.ts';

/** Fills `{name}` places of a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

const decimal = (language: Language, value: number): string =>
  language === 'fr' ? String(value).replace('.', ',') : String(value);

/** A distance with its unit: decimetres below 100 m. */
export function metres(language: Language, distanceM: number): string {
  if (distanceM >= 1000) return `${decimal(language, Math.round(distanceM / 100) / 10)} km`;
  return `${decimal(language, distanceM < 100 ? Math.round(distanceM * 10) / 10 : Math.round(distanceM))} m`;
}

/** A share from 0 to 1, in hundredths with one decimal. */
export function percent(language: Language, share: number): string {
  const hundredths = Math.round(share * 1000) / 10;
  const { little, percent: form } = texts[language];
  return hundredths === 0 ? little : fill(form, { n: decimal(language, hundredths) });
}

/** What a layer finds, for a reader. */
export function nameOf({ reader, title, french }: AnswerDefinition, language: Language): string {
  return reader?.name?.[language] ?? (language === 'fr' ? (french?.title ?? title) : title);
}

/** A value of a layer that says which of many things is there: its name, or what is known instead of one. */
export function valueInWords(value: NonNullable<LayerValue>, language: Language): string {
  const { codes, soilClass, numbered } = texts[language];
  if (typeof value !== 'object') return codes[String(value)] ?? readable(String(value));
  const { cliClass, description } = value;
  if (typeof cliClass === 'string') {
    const said = fill(soilClass, { value: cliClass });
    // The source has it in English alone.
    return language === 'en' && description ? `${said} (${description})` : said;
  }
  const known = Object.entries(value).filter(([, member]) => member !== null);
  const named = known.filter(([name]) => !/id$/i.test(name));
  const [first] = known;
  if (named.length === 0) return fill(numbered, { value: first?.[1] ?? '' });
  const name = named.find(([member]) => /name$/i.test(member));
  const told = name ? [name, ...named.filter(([member]) => member === 'zone' || member === 'designation')] : named;
  return told.map(([, text]) => readable(String(text))).join(', ');
}

const SMALL = new Set(['of', 'and', 'the', 'de', 'du', 'des', 'la', 'le', 'et']);

/** Official names come in capitals: "CITY OF SAMPLETON" reads as "City of Sampleton". Other spellings stay as they are. */
function readable(text: string): string {
  if (text !== text.toUpperCase() || !/[A-ZÀ-Þ]{4}/.test(text)) return text;
  return text
    .toLowerCase()
    .replace(/[\p{L}']+/gu, (word, at: number) => (at > 0 && SMALL.has(word) ? word : capital(word)));
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
