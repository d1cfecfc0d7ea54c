import type { AnswerDefinition } from '../../src/catalogue/definition.ts';
import { adviceFor, type Office, feedbackLink } from '../../src/features/explain/messages/advice.ts';
import { type Shares, findingIn, LEAST_SHARE, findingAt } from '../../src/features/explain/messages/found.ts';
import { valueInWords, type Speech, nameOf, type SaidLayer } from '../../src/features/explain/messages/speech.ts';
import { fill } from '../../src/features/explain/messages/fill.ts';
import type { AskedWords, Finding } from '../../src/messages/wire/explained.ts';
import type { Answered, ThreadFeature, AnsweredLayer } from '../engine/feature.ts';
import { english } from '../../src/features/explain/messages/en.ts';
import { french } from '../../src/features/explain/messages/fr.ts';
import type { AreaValue } from '../../src/messages/wire/area-lookup.ts';

/** What the answers mean, in words: the member `explained`. */
export const explain: ThreadFeature = {
  name: 'explain',
  open: ({ snapshot }) => ({
    member: {
      name: 'explained',
      write: (asked, answered) => JSON.stringify(explained(answered, asked as AskedWords, snapshot.manifest.id)),
    },
  }),
};

/** Hazards come first, because a reader may stop early. */
const concerns = ['hazard', 'restriction', 'nearby', 'naming'] as const;

const rankOf = ({ reader }: AnswerDefinition): number => concerns.indexOf(reader?.concern ?? 'nearby');

function explained(
  answered: Answered,
  { language, feedbackUrl }: AskedWords,
  vintage: string,
): Readonly<Record<string, Finding>> {
  const answers = answered.answers.map(({ answer }) => answer).toSorted((one, other) => rankOf(one) - rankOf(other));
  const findings: Record<string, Finding> = {};
  for (const answer of answers) {
    const told = toldOf(answered, answer, speeches[language]);
    if (told === null) continue;
    const { key } = answer;
    const link = feedbackUrl && feedbackLink(feedbackUrl, { lookup: answered.lookupId ?? null, layer: key, vintage });
    findings[key] = {
      ...meaningOf(answered, answer, { ...told, speech: speeches[language] }),
      ...(link ? { feedback: link } : {}),
    };
  }
  return findings;
}

function toldOf(answered: Answered, answer: AnswerDefinition, speech: Speech): Told | null {
  if (answered.kind === 'area') return toldInArea(answer, answered.values[answer.key] ?? null, speech);
  return toldAtPlace(answered.layer(answer.key)!, speech, answered.uncertaintyM);
}

/** What follows from a finding by its definition. Of what nobody knows nothing follows, but somebody may know. */
function meaningOf(
  answered: Answered,
  { reader }: AnswerDefinition,
  { sentence, isFound, speech }: Told & { readonly speech: Speech },
): Finding {
  const key = reader?.next?.office;
  const { who, steps, contacts } = adviceFor(reader, key === undefined ? null : officeOf(answered, key, speech), {
    speech,
    isFound,
  });
  const next = steps.length === 0 ? null : [...steps, ...contacts].join(' ');
  const meaning = isFound ? reader?.meaning : undefined;
  if (!meaning) return { sentence, law: null, who, next };
  const { language } = speech;
  const law = { name: meaning.source[language], url: meaning.source.url };
  return { sentence: `${sentence} ${meaning[language]}`, law, who, next };
}

/** The office that decides here: by its name where the answer has it, otherwise by what such an office is called. Null: no layer of the service names it. */
function officeOf(answered: Answered, key: string, speech: Speech): Office | null {
  const found = answered.answers.find(({ answer }) => answer.key === key)?.answer;
  const words = found?.reader?.office;
  if (!words) return null;
  const name = nameOfOffice(answered, key, speech);
  return { name: name === CALLED ? words[speech.language] : name, none: words.none[speech.language] };
}

/** Its name is not known: what such an office is called stands for it. */
const CALLED = Symbol('called');

/** A parcel may lie in two municipalities. */
function nameOfOffice(answered: Answered, key: string, speech: Speech): string | typeof CALLED | null {
  if (answered.kind === 'place') {
    const { value, state } = answered.layer(key)!.given;
    if (state === 'absent') return null;
    return value === null ? CALLED : valueInWords(value, speech);
  }
  const value = answered.values[key] ?? null;
  if (value === null) return CALLED;
  const { parts = [], unknownShare } = value as unknown as Shares;
  if (parts.length > 0) return parts.map((part) => valueInWords(part.value, speech)).join(' / ');
  return unknownShare > 0 ? CALLED : null;
}

// What is said of a layer: what it has found, or that nobody knows of a hazard.

interface Told {
  readonly sentence: string;
  /** False: nobody knows. */
  readonly isFound: boolean;
}

/** Returns null where the layer has found nothing, and is no hazard of which nobody knows. @param uncertaintyM of the position. */
function toldAtPlace({ answer, given, evidence }: AnsweredLayer, speech: Speech, uncertaintyM: number): Told | null {
  const { words, metres } = speech;
  if (given.state === 'absent') return null;
  const layer = saidOf(answer);
  if (given.state === 'present') {
    const found = findingAt(layer, { value: given.value!, distanceM: evidence.distanceM ?? 0 }, speech);
    const { nearBoundary, boundaryDistanceM } = evidence;
    if (!nearBoundary || boundaryDistanceM === null) return { sentence: `${found}.`, isFound: true };
    const doubt = { distance: metres(boundaryDistanceM), uncertainty: metres(uncertaintyM) };
    return { sentence: `${found}. ${fill(words.edge, doubt)}`, isFound: true };
  }
  if (answer.reader?.concern !== 'hazard') return null;
  const { noCoverage, notLoaded, noValue } = words;
  const why = given.state === 'no_coverage' ? noCoverage : given.distanceM === null ? notLoaded : noValue;
  const unknown = fill(words.unknown, { name: nameOf(layer, speech), why });
  return { sentence: `${unknown} ${words.notNo}`, isFound: false };
}

/** The same of an area. */
export function toldInArea(answer: AnswerDefinition, value: AreaValue, speech: Speech): Told | null {
  const { words, percent } = speech;
  const layer = saidOf(answer);
  const finding = findingIn(layer, value, speech);
  const found = finding && `${finding}.`;
  const { unknownShare } = (value as unknown as Shares | null) ?? { unknownShare: 1 };
  const isHazard = answer.reader?.concern === 'hazard';
  if (!isHazard || unknownShare < LEAST_SHARE) return found === null ? null : { sentence: found, isFound: true };
  const rest = unknownShare > 1 - LEAST_SHARE ? [] : [fill(words.partlyUnknown, { share: percent(unknownShare) })];
  const first = found ?? `${fill(words.unknownHere, { name: nameOf(layer, speech) })} ${words.notNo}`;
  return { sentence: [first, ...rest].join(' '), isFound: found !== null };
}

/** A definition as what is said of it needs it. */
function saidOf(answer: AnswerDefinition): SaidLayer {
  const { kind, title, french: inFrench = null, reader = null } = answer;
  const bands = answer.kind === 'proximity' ? answer : null;
  const special = bands?.bandsFor?.map(({ values, bands: limits }) => ({ for: values, bandsM: limits })) ?? null;
  const radiusM = answer.kind === 'count' ? answer.radiusM : null;
  return {
    ...{ kind, title, french: inFrench, reader, radiusM },
    bandsM: bands?.bands ?? null,
    specialBandsM: special,
  };
}

const decimal = (value: number): string => String(value).replace('.', ',');

/** @param little what stands for shares that round to nothing. @param unit what stands behind others. */
function speechIn(
  named: Pick<Speech, 'language' | 'words'>,
  written: (value: number) => string,
  { little, unit }: { readonly little: string; readonly unit: string },
): Speech {
  return {
    ...named,
    // Decimetres below 100 m.
    metres: (distanceM) =>
      distanceM >= 1000
        ? `${written(Math.round(distanceM / 100) / 10)} km`
        : `${written(distanceM < 100 ? Math.round(distanceM * 10) / 10 : Math.round(distanceM))} m`,
    percent(share) {
      const hundredths = Math.round(share * 1000) / 10;
      return hundredths === 0 ? little : `${written(hundredths)}${unit}`;
    },
  };
}

export const speeches = {
  en: speechIn({ language: 'en', words: english }, String, { little: 'under 0.1%', unit: '%' }),
  fr: speechIn({ language: 'fr', words: french }, decimal, { little: 'moins de 0,1 %', unit: ' %' }),
};
