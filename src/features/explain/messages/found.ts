/** What a layer has found at a place or in an area, in a sentence without a full stop: the heading of its card, and the beginning of what is explained. */
import type { LayerValue } from '../../../messages/wire/lookup.ts';
import { fill } from './fill.ts';
import { nameOf, valueInWords, type SaidLayer, type Speech } from './speech.ts';
import type { AreaValue } from '../../../messages/wire/area-lookup.ts';

/** What was found. `distanceM`: of the nearest feature. */
interface FoundAtPlace {
  readonly value: NonNullable<LayerValue>;
  readonly distanceM: number;
}

export function findingAt(layer: SaidLayer, found: FoundAtPlace, speech: Speech): string {
  const { words } = speech;
  const name = nameOf(layer, speech);
  switch (layer.kind) {
    case 'boolean':
      return hereOf(layer, speech) ?? fill(words.here, { name });
    case 'value':
    case 'object':
      return fill(words.value, { name: hereOf(layer, speech) ?? name, value: valueInWords(found.value, speech) });
    case 'count':
      return countOf(layer, found.value, speech);
    case 'proximity':
      return found.value === 'inside'
        ? (hereOf(layer, speech) ?? fill(words.here, { name }))
        : nearnessOf(layer, found, speech);
  }
}

/** How many there are, and how far the nearest is: members that each layer calls by its own names, in this order. */
function countOf(layer: SaidLayer, value: NonNullable<LayerValue>, speech: Speech): string {
  const { words, metres } = speech;
  const [count, nearestM] = Object.values(value as Readonly<Record<string, string | number | null>>);
  const told = { name: nameOf(layer, speech), count: count ?? 0, limit: metres(layer.radiusM ?? 0) };
  if (typeof nearestM !== 'number') return fill(words.countAlone, told);
  return fill(words.count, { ...told, distance: metres(nearestM) });
}

/** The words for a place that is in what the layer finds; null: its definition has none. */
const hereOf = ({ reader }: SaidLayer, { language }: Speech): string | null => reader?.here?.[language] ?? null;

type Band = 'regulated' | 'adjacent';

function nearnessOf(layer: SaidLayer, { value, distanceM }: FoundAtPlace, speech: Speech): string {
  const band = value === 'regulated' ? 'regulated' : 'adjacent';
  const { words, metres, language } = speech;
  const from = layer.reader?.from?.[language];
  const distance = metres(distanceM);
  const finding = from
    ? fill(words.from, { distance, from })
    : fill(words.away, { name: nameOf(layer, speech), distance });
  const limitM = limitOf(layer, band, distanceM);
  if (limitM === null) return finding;
  return fill(band === 'regulated' && isRule(layer) ? words.ruled : words.near, { finding, limit: metres(limitM) });
}

/** A limit of what harms or restricts is a rule's; others only say what is near. */
function isRule({ reader }: SaidLayer): boolean {
  return reader?.concern === 'hazard' || reader?.concern === 'restriction';
}

/** The narrowest limit of a band that a distance is within: some features have others. Null: it is within none. */
function limitOf({ bandsM, specialBandsM }: SaidLayer, band: Band, distanceM: number): number | null {
  const limits = [bandsM, ...(specialBandsM ?? []).map((special) => special.bandsM)].flatMap(
    (bands) => bands?.[band] ?? [],
  );
  const within = limits.filter((limit) => limit >= distanceM);
  return within.length === 0 ? null : Math.min(...within);
}

// In an area.

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
