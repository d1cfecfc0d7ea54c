/** What is said of a layer: what it has found, or that nobody knows of a hazard. */
import type { AnswerDefinition } from '../../src/catalogue/definition.ts';
import { findingAt } from '../../src/messages/findings/at-place.ts';
import { english } from '../../src/messages/findings/en.ts';
import { fill } from '../../src/messages/findings/fill.ts';
import { french } from '../../src/messages/findings/fr.ts';
import { findingIn, LEAST_SHARE, type Shares } from '../../src/messages/findings/in-area.ts';
import { nameOf, type SaidLayer, type Speech } from '../../src/messages/findings/speech.ts';
import type { AreaValue } from '../../src/messages/wire/area-lookup.ts';
import type { AnsweredLayer } from '../engine/feature.ts';

export interface Told {
  readonly sentence: string;
  /** False: nobody knows. */
  readonly isFound: boolean;
}

/** Returns null where the layer has found nothing, and is no hazard of which nobody knows. @param uncertaintyM of the position. */
export function toldAtPlace(
  { answer, given, evidence }: AnsweredLayer,
  speech: Speech,
  uncertaintyM: number,
): Told | null {
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

function speechIn(language: Speech['language'], { words, written, little, unit }: Numbers): Speech {
  return {
    ...{ language, words },
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

interface Numbers extends Pick<Speech, 'words'> {
  readonly written: (value: number) => string;
  readonly little: string;
  readonly unit: string;
}

export const speeches = {
  en: speechIn('en', { words: english, written: String, little: 'under 0.1%', unit: '%' }),
  fr: speechIn('fr', { words: french, written: decimal, little: 'moins de 0,1 %', unit: ' %' }),
};
