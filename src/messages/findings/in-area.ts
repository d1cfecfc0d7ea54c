/** What a layer has found in an area, in a sentence without a full stop. */
import type { AreaValue } from '../wire/area-lookup.ts';
import type { LayerValue } from '../wire/lookup.ts';
import { isRule, limitOf } from './at-place.ts';
import { fill } from './fill.ts';
import { nameOf, valueInWords, type SaidLayer, type Speech } from './speech.ts';

/** Shares have four decimals: less than this is rounding. */
export const LEAST_SHARE = 0.00005;
/** Most values that a sentence names. */
const MOST_PARTS = 3;

/** The value of a layer for an area, of any kind. */
export interface Shares {
  readonly share?: number;
  readonly parts?: readonly { readonly value: NonNullable<LayerValue>; readonly share: number }[];
  readonly bands?: Readonly<Partial<Record<'inside' | 'regulated' | 'adjacent', number>>>;
  readonly distanceM?: number | null;
  readonly unknownShare: number;
}

/** Returns null where the layer has found nothing. */
export function findingIn(layer: SaidLayer, given: AreaValue, speech: Speech): string | null {
  if (given === null) return null;
  const value = given as unknown as Shares;
  switch (layer.kind) {
    case 'boolean':
      return shareIn(layer, value.share, speech);
    case 'value':
    case 'object':
      return partsIn(layer, value.parts, speech);
    case 'count':
      return countsIn(layer, given, speech);
    case 'proximity':
      return nearnessIn(layer, value, speech);
  }
}

function shareIn(layer: SaidLayer, share: number | undefined, speech: Speech): string | null {
  if (share === undefined || share < LEAST_SHARE) return null;
  return fill(speech.words.share, { name: nameOf(layer, speech), share: speech.percent(share) });
}

/** How many features are in an area, and within the radius of it: a member that each layer calls by its own name. */
function countsIn(layer: SaidLayer, value: Readonly<Record<string, unknown>>, speech: Speech): string | null {
  const { words, metres } = speech;
  const counts = Object.entries(value).filter(([name]) => !/^(count|unknownShare)$|DistanceM$/.test(name));
  const around = Number(counts[0]?.[1] ?? 0);
  if (around === 0) return null;
  const told = { count: Number(value['count']), around, limit: metres(layer.radiusM ?? 0) };
  return fill(words.countArea, { name: nameOf(layer, speech), ...told });
}

function partsIn(layer: SaidLayer, parts: Shares['parts'] = [], speech: Speech): string | null {
  if (parts.length === 0) return null;
  const { words, percent } = speech;
  const name = nameOf(layer, speech);
  const told = parts
    .slice(0, MOST_PARTS)
    .map(({ value, share }) => fill(words.part, { value: valueInWords(value, speech), share: percent(share) }));
  const left = parts.length - told.length;
  return fill(words.parts, { name, parts: [...told, ...(left > 0 ? [fill(words.more, { n: left })] : [])].join(', ') });
}

const NOWHERE = { inside: 0, regulated: 0, adjacent: 0 };

function nearnessIn(layer: SaidLayer, { bands, distanceM = null }: Shares, speech: Speech): string | null {
  const { words, metres, percent } = speech;
  const name = nameOf(layer, speech);
  const { inside, regulated, adjacent } = { ...NOWHERE, ...bands };
  if (inside >= LEAST_SHARE) return shareIn(layer, inside, speech);
  if (distanceM === 0) return fill(words.meets, { name });
  if (distanceM === null || regulated + adjacent < LEAST_SHARE) return null;
  const distance = metres(distanceM);
  const limitM = regulated >= LEAST_SHARE && isRule(layer) ? limitOf(layer, 'regulated', distanceM) : null;
  if (limitM === null) return fill(words.nearArea, { name, distance });
  return fill(words.ruledArea, { name, distance, share: percent(regulated), limit: metres(limitM) });
}
