/** What a layer says of a place, in a sentence. */
import type { AnswerDefinition, ProximityAnswer } from '../../src/catalogue/definition.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import type { AnsweredLayer } from '../engine/feature.ts';
import { texts, type Language } from './texts.ts';
import { fill, metres, nameOf, valueInWords } from './words.ts';

/** What is said of a layer. */
export interface Told {
  readonly sentence: string;
  /** False: nobody knows. */
  readonly isFound: boolean;
}

/** Returns null where the layer has found nothing, and is no hazard of which nobody knows. @param uncertaintyM of the position. */
export function placeSentence(
  { answer, given, evidence }: AnsweredLayer,
  language: Language,
  uncertaintyM: number,
): Told | null {
  const { unknown, noCoverage, notLoaded, noValue, edge } = texts[language];
  if (given.state === 'absent') return null;
  if (given.state === 'present') {
    const found = foundIn(answer, given.value!, { language, distanceM: evidence.distanceM ?? 0 });
    const { nearBoundary, boundaryDistanceM } = evidence;
    if (!nearBoundary || boundaryDistanceM === null) return { sentence: found, isFound: true };
    const doubt = { distance: metres(language, boundaryDistanceM), uncertainty: metres(language, uncertaintyM) };
    return { sentence: `${found} ${fill(edge, doubt)}`, isFound: true };
  }
  if (answer.reader?.concern !== 'hazard') return null;
  const why = given.state === 'no_coverage' ? noCoverage : given.distanceM === null ? notLoaded : noValue;
  return { sentence: fill(unknown, { name: nameOf(answer, language), why }), isFound: false };
}

interface Found {
  readonly language: Language;
  readonly distanceM: number;
}

function foundIn(answer: AnswerDefinition, value: NonNullable<LayerValue>, { language, distanceM }: Found): string {
  const said = texts[language];
  const name = nameOf(answer, language);
  const distance = metres(language, distanceM);
  switch (answer.kind) {
    case 'boolean':
      return fill(said.here, { name });
    case 'value':
    case 'object':
      return fill(said.value, { name, value: valueInWords(value, language) });
    case 'count': {
      const { [answer.members.count]: count = 0 } = value as Readonly<Record<string, number>>;
      return fill(said.count, { name, count, limit: metres(language, answer.radiusM), distance });
    }
    case 'proximity': {
      if (value === 'inside') return fill(said.here, { name });
      const band = value === 'regulated' ? 'regulated' : 'adjacent';
      const limitM = limitOf(answer, band, distanceM);
      if (limitM === null) return fill(said.away, { name, distance });
      const form = band === 'regulated' && isRule(answer) ? said.ruled : said.near;
      return fill(form, { name, distance, limit: metres(language, limitM) });
    }
  }
}

/** A limit of what harms or restricts is a rule's; others only say what is near. */
export function isRule({ reader }: Pick<ProximityAnswer, 'reader'>): boolean {
  return reader?.concern === 'hazard' || reader?.concern === 'restriction';
}

/** The narrowest limit of a band that a distance is within: some features have others. Null: it is within none. */
export function limitOf(
  { bands, bandsFor = [] }: ProximityAnswer,
  band: 'regulated' | 'adjacent',
  distanceM: number,
): number | null {
  const limits = [bands, ...bandsFor.map((special) => special.bands)].flatMap((limit) => limit[band] ?? []);
  const within = limits.filter((limit) => limit >= distanceM);
  return within.length === 0 ? null : Math.min(...within);
}
