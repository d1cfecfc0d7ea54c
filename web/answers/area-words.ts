/** What part of a parcel a layer has, as parts of a bar with their names. */
import { fill, metres, percent, textsIn } from '../shared/i18n.ts';
import { nameOfValue, type Layer } from './words.ts';
import type { Language } from '../shared/session.ts';
import type { AreaAnswer } from '../shared/api.ts';

export type BarPart = { name: string; share: number; tone: 'found' | 'none' | 'unknown'; shade: number };
export type AreaWords = { tone: 'found' | 'none' | 'unknown'; parts: BarPart[]; notes: string[] };

const bands = ['inside', 'regulated', 'adjacent'] as const;

/** Shares have four decimals: less than this is rounding. */
const LEAST_SHARE = 0.00005;

/** As much as lies on one side of an edge by the error of maps: less than this share and less than so many square metres. */
const TOUCHING_SHARE = 0.001;
const TOUCHING_M2 = 1000;

/** What remains of a share is the error of maps, too. */
const WHOLE_SHARE = 0.9995;

/** `areaM2`: of the parcel. */
export function areaInWords(language: Language, layer: Layer, answer: AreaAnswer, areaM2: number): AreaWords {
  const { words, area } = textsIn(language);
  if (answer === null) return { tone: 'unknown', parts: [part(words.unknown, 1, 'unknown')], notes: [] };
  const found = foundParts(language, layer, answer);
  const unknownShare = answer.unknownShare;
  const rest = 1 - unknownShare - found.reduce((sum, { share }) => sum + share, 0);
  const hasShares = answer.share !== undefined || answer.parts !== undefined || answer.bands !== undefined;
  const parts = hasShares
    ? [
        ...found,
        part(area.rest[answer.bands ? 'bands' : 'others'], rest, 'none'),
        part(words.unknown, unknownShare, 'unknown'),
      ]
    : [];
  const counts = features[layer.kind](language, layer, answer);
  const visible = parts.filter(({ share }) => share >= LEAST_SHARE);
  const { distanceM } = answer;
  const away =
    typeof distanceM === 'number' && distanceM > 0 ? [fill(area.away, { metres: metres(language, distanceM) })] : [];
  const hasFeatures = Object.entries(answer).some(([name, count]) => /^count/.test(name) && Number(count) > 0);
  const tone = found.length > 0 || hasFeatures ? 'found' : unknownShare > LEAST_SHARE ? 'unknown' : 'none';
  return { tone, parts: visible, notes: [...coversOrTouches(language, answer, { found, areaM2 }), ...counts, ...away] };
}

/** Tells what covers the parcel from what only meets it. */
function coversOrTouches(
  language: Language,
  { bands: shares, distanceM }: NonNullable<AreaAnswer>,
  { found, areaM2 }: { found: readonly BarPart[]; areaM2: number },
) {
  const { area } = textsIn(language);
  // A place near a feature is not in it.
  const inside = shares ? (shares.inside ?? 0) : found.reduce((sum, { share }) => sum + share, 0);
  if (inside >= WHOLE_SHARE) return [area.covers];
  if (shares && inside < LEAST_SHARE) return distanceM === 0 ? [area.meets] : [];
  return inside > 0 && inside < TOUCHING_SHARE && inside * areaM2 < TOUCHING_M2 ? [area.touches] : [];
}

function foundParts(language: Language, layer: Layer, answer: NonNullable<AreaAnswer>): BarPart[] {
  const { words, area } = textsIn(language);
  const { share, parts = [], bands: shares = {} } = answer;
  const found = [
    ...(share === undefined ? [] : [part(words.yes, share, 'found')]),
    ...parts.map(({ value, share }, i) => part(nameOfValue({ language, layer, value }), share, 'found', i)),
    ...bands.map((band, i) => part(area.bands[band], shares[band] ?? 0, 'found', i)),
  ];
  return found.filter(({ share }) => share >= LEAST_SHARE);
}

const nothing = () => [];

/**
 * What each kind of answer says of features besides the shares: nothing, and the rest of the area has none. `npm run types` reports a kind that is
 * missing.
 */
const features: Record<Layer['kind'], (language: Language, layer: Layer, answer: NonNullable<AreaAnswer>) => string[]> =
  {
    boolean: nothing,
    value: nothing,
    object: nothing,
    proximity: nothing,
    count: (language, layer, answer) => countsInWords(language, layer, answer),
  };

/** Counts have members of their own in each layer: how many in the parcel, how many near it, how far the nearest is. */
function countsInWords(language: Language, layer: Layer, answer: NonNullable<AreaAnswer>) {
  const { area } = textsIn(language);
  const { count, nearestDistanceM } = answer;
  const near = Object.entries(answer).find(([name]) => /^count\d/.test(name))?.[1];
  return [
    typeof count === 'number' ? fill(area.count, { count }) : null,
    typeof near === 'number' ? fill(area.near, { count: near, metres: metres(language, layer.radiusM ?? 0) }) : null,
    typeof nearestDistanceM === 'number' && nearestDistanceM > 0
      ? fill(area.away, { metres: metres(language, nearestDistanceM) })
      : null,
  ].filter((note) => note !== null);
}

const part = (name: string, share: number, tone: BarPart['tone'], shade: number = 0): BarPart => ({
  name,
  share,
  tone,
  shade,
});

export const shareInWords = (language: Language, share: number) =>
  share > 0 && share < 0.001 ? textsIn(language).area.tiny : percent(language, share);
