/** What part of a parcel a layer has, as parts of a bar with their names. */
import { speech, texts } from '../shared/i18n.ts';
import { LEAST_SHARE } from '../../src/messages/findings/in-area.ts';
import { nameOfValue } from './words.ts';
import type { AreaAnswer } from '../shared/api.ts';

export type BarPart = { name: string; share: number; tone: 'found' | 'none' | 'unknown'; shade: number };
export type AreaWords = { tone: 'found' | 'none' | 'unknown'; parts: BarPart[]; notes: string[] };

const bands = ['inside', 'regulated', 'adjacent'] as const;

/** As much as lies on one side of an edge by the error of maps: less than this share and less than so many square metres. */
const TOUCHING_SHARE = 0.001;
const TOUCHING_M2 = 1000;

/** What remains of a share is the error of maps, too. */
const WHOLE_SHARE = 0.9995;

/** `areaM2`: of the parcel. */
export function areaInWords(answer: AreaAnswer, areaM2: number): AreaWords {
  const { words, area } = texts;
  if (answer === null) return { tone: 'unknown', parts: [part(words.unknown, 1, 'unknown')], notes: [] };
  const found = foundParts(answer);
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
  const visible = parts.filter(({ share }) => share >= LEAST_SHARE);
  const hasFeatures = Object.entries(answer).some(([name, count]) => /^count/.test(name) && Number(count) > 0);
  const tone = found.length > 0 || hasFeatures ? 'found' : unknownShare > LEAST_SHARE ? 'unknown' : 'none';
  return { tone, parts: visible, notes: coversOrTouches(answer, { found, areaM2 }) };
}

/** Tells what covers the parcel from what only meets it. */
function coversOrTouches(
  { bands: shares, distanceM }: NonNullable<AreaAnswer>,
  { found, areaM2 }: { found: readonly BarPart[]; areaM2: number },
) {
  const { area } = texts;
  // A place near a feature is not in it.
  const inside = shares ? (shares.inside ?? 0) : found.reduce((sum, { share }) => sum + share, 0);
  if (inside >= WHOLE_SHARE) return [area.covers];
  if (shares && inside < LEAST_SHARE) return distanceM === 0 ? [area.meets] : [];
  return inside > 0 && inside < TOUCHING_SHARE && inside * areaM2 < TOUCHING_M2 ? [area.touches] : [];
}

function foundParts(answer: NonNullable<AreaAnswer>): BarPart[] {
  const { words, area } = texts;
  const { share, parts = [], bands: shares = {} } = answer;
  const found = [
    ...(share === undefined ? [] : [part(words.yes, share, 'found')]),
    ...parts.map(({ value, share }, i) => part(nameOfValue(value), share, 'found', i)),
    ...bands.map((band, i) => part(area.bands[band], shares[band] ?? 0, 'found', i)),
  ];
  return found.filter(({ share }) => share >= LEAST_SHARE);
}

const part = (name: string, share: number, tone: BarPart['tone'], shade: number = 0): BarPart => ({
  ...{ name, share, tone, shade },
});

export const shareInWords = (share: number) => speech().percent(share);
