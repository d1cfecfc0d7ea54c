/** A layer's answer in plain words. */
import { fill, metres, textsIn } from '../shared/i18n.ts';
import type { LayerDescription } from '../../src/messages/wire/layers.ts';
import type { LayerEvidence as Evidence } from '../../src/messages/wire/full-lookup.ts';
import type { LayerValue as Value } from '../../src/messages/wire/lookup.ts';
import type { Language } from '../shared/session.ts';

export type Layer = LayerDescription;
export type Tone = 'found' | 'none' | 'unknown';
/** `reason`: why nobody knows. */
type Words = { tone: Tone; main: string; note: string | null; reason?: string };
/** `shownM`: how far the nearest feature on the map is, farther than was searched. */
export type Answer = { language: Language; layer: Layer; value: Value; evidence: Evidence; shownM: number | null };

/** Only the state `absent` reads as "no": what is not known always looks and sounds different. */
export function inWords(answer: Answer): Words {
  const { language, layer, evidence } = answer;
  const { words } = textsIn(language);
  if (evidence.state === 'no_coverage') return unknown(language, words.noCoverage);
  if (evidence.state === 'unavailable') {
    return unknown(language, layer.dataSets[0]?.state === 'loaded' ? words.noValue : words.notLoaded);
  }
  if (evidence.state === 'absent') return absent(answer);
  return found[layer.kind](answer);
}

/** What each kind of answer says where something is found. `npm run types` reports a kind that is missing. */
const found: Record<Layer['kind'], (answer: Answer) => Words> = {
  boolean: ({ language }) => ({ tone: 'found', main: textsIn(language).words.yes, note: null }),
  value: ({ language, value }) => ({ tone: 'found', main: code(language, value as string), note: null }),
  object: (answer) => object(answer),
  proximity: (answer) => proximity(answer),
  count: (answer) => count(answer),
};

const unknown = (language: Language, why: string): Words => ({
  tone: 'unknown',
  main: textsIn(language).words.unknown,
  note: why,
  reason: why,
});

function absent({ language, layer, evidence, shownM }: Answer): Words {
  const { words } = textsIn(language);
  const searchedM = evidence.searchedM ?? 0;
  if (searchedM > 0) {
    const note =
      shownM !== null && shownM > searchedM ? fill(words.nearestShown, { metres: metres(language, shownM) }) : null;
    return { tone: 'none', main: fill(words.outside, { metres: metres(language, searchedM) }), note };
  }
  return { tone: 'none', main: layer.kind === 'boolean' ? words.no : words.none, note: null };
}

/** The name of what was found, by itself. */
export function nameOfValue({ language, value }: { language: Language; layer: Layer; value: Value }): string {
  if (value === true) return textsIn(language).words.yes;
  return typeof value === 'string' ? code(language, value) : object({ language, value }).main;
}

function proximity({ language, layer, value, evidence }: Answer): Words {
  const { words } = textsIn(language);
  if (value === 'inside') return { tone: 'found', main: words.inside, note: words.insideNote };
  const distanceM = evidence.distanceM ?? 0;
  const limits = [layer.bandsM, ...(layer.specialBandsM ?? []).map((special) => special.bandsM)]
    .map((bands) => (value === 'regulated' ? bands?.regulated : bands?.adjacent))
    .filter((limit) => limit !== undefined && limit >= distanceM);
  const text = value === 'regulated' ? words.regulatedNote : words.adjacentNote;
  const limit = Math.min(...(limits as number[]));
  return {
    tone: 'found',
    main: fill(words.away, { metres: metres(language, distanceM) }),
    note: Number.isFinite(limit) ? fill(text, { metres: metres(language, limit) }) : null,
  };
}

function count({ language, layer, value }: Answer): Words {
  const { words } = textsIn(language);
  const members = value as Record<string, number | string | null>;
  const [found = 0, nearestM = null] = Object.values(members);
  const depth = members['nearestDepthM'];
  const notes = [
    typeof nearestM === 'number' ? fill(words.nearestWell, { metres: metres(language, nearestM) }) : null,
    typeof depth === 'number' ? fill(words.depth, { metres: metres(language, depth) }) : null,
  ].filter((note) => note !== null);
  const main = fill(words.wells, { count: Number(found), metres: metres(language, layer.radiusM ?? 0) });
  return { tone: 'found', main, note: notes.join(', ') || null };
}

/** The name (or, without one, the first member that has a value; a number is called one), then what else is known. */
function object({ language, value }: Pick<Answer, 'language' | 'value'>): Words {
  const texts = textsIn(language);
  const members = value as Record<string, string | number | null>;
  if (typeof members['cliClass'] === 'string')
    return soil(language, members['cliClass'], String(members['description']));
  const known = Object.entries(members).filter(([, member]) => member !== null);
  const name = known.find(([member]) => /name$/i.test(member)) ?? known[0];
  const rest = known.filter((entry) => entry !== name && !/id$/i.test(entry[0]));
  const phrase = ([member, text]: [string, string | number | null]) => {
    const pattern = (texts.members as Record<string, string>)[member] ?? '{value}';
    return fill(pattern, { value: readable(String(text)) });
  };
  const id = known.find(([member]) => /^(code|siteId|policyId)$/.test(member) && member !== name?.[0]);
  const note = [...(id && id[0] !== 'code' ? [id] : []), ...rest].map(phrase).join(' · ');
  const [called = '', named] = name ?? [];
  const main = /id$/i.test(called) ? fill(texts.numbered, { value: String(named) }) : readable(String(named ?? ''));
  return { tone: 'found', main, note: note || null };
}

function soil(language: Language, cliClass: string, description: string): Words {
  const texts = textsIn(language);
  return {
    tone: 'found',
    main: fill(texts.soilClass, { class: cliClass }),
    note: texts.soil?.[cliClass] ?? description,
  };
}

function code(language: Language, value: string) {
  return (textsIn(language).codes as Record<string, string>)[value] ?? readable(value);
}

const SMALL = new Set(['of', 'and', 'the', 'de', 'du', 'des', 'la', 'le', 'et']);

/** Official names come in capitals; "CITY OF SAMPLETON" reads as "City of Sampleton". Other spellings stay as they are. */
export function readable(text: string) {
  if (text !== text.toUpperCase() || !/[A-ZÀ-Þ]{4}/.test(text)) return text;
  return text
    .toLowerCase()
    .replace(/[\p{L}']+/gu, (word, index) => (index > 0 && SMALL.has(word) ? word : capital(word)));
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
