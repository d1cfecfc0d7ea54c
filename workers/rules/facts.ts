import type { Rule, RuleFact } from '../../src/features/rules/messages/wire.ts';
import { EDGE_SEARCH_M } from '../../src/messages/lookup.ts';
import type { AnsweredLayer, AnsweredPlace, Nearest, AnsweredArea } from '../engine/feature.ts';
import type { AreaValue } from '../../src/messages/wire/area-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';

/** Null: not known. */
export type Truth = boolean | null;

/** What a fact is where it was looked for. */
export interface Found {
  readonly truth: Truth;
  /** Ground metres. */
  readonly distanceM: number | null;
  /** In an area it is true of some land and not of all, so that it depends on where a building stands. */
  readonly isPartly: boolean;
}

/** Nothing is known of the layer. */
const unknown: Found = { truth: null, distanceM: null, isPartly: false };

/** A fact that rules ask for. Those that ask for the same one share it. */
export interface AskedFact {
  readonly fact: RuleFact;
  readonly applies: Rule['applies'];
  /** In the answer that is judged; null: nobody has looked yet. */
  found: Found | null;
}

/** Says whether a fact is true at a place, wherever within its uncertainty it is. */
export function factAtPlace(fact: RuleFact, place: AnsweredPlace): Found {
  const { layer: key, withinM } = fact;
  if (withinM !== undefined) {
    const nearest = place.nearest(key, withinM);
    if (nearest === null) return unknown;
    const truth = nearPlace(nearest, withinM, place.uncertaintyM);
    return { truth, distanceM: nearest.countingM, isPartly: false };
  }
  const layer = place.layer(key);
  if (layer === null) return unknown;
  const truth = isCertain(layer, place) ? says(layer, fact) : null;
  return { truth, distanceM: layer.given.distanceM, isPartly: false };
}

/** Whether the layer says the same wherever the place is. */
function isCertain({ given, evidence }: AnsweredLayer, { uncertaintyM }: AnsweredPlace): boolean {
  if (given.state !== 'present' && given.state !== 'absent') return false;
  // Farther than that nobody has looked for where the answer changes.
  const isLookedAt = uncertaintyM <= EDGE_SEARCH_M || evidence.boundaryDistanceM !== null;
  return isLookedAt && !evidence.nearBoundary;
}

function says({ given }: AnsweredLayer, { is, in: values = [is!] }: RuleFact): boolean {
  return values.some((one) => one === (typeof one === 'boolean' ? given.state === 'present' : given.value));
}

/** @param uncertaintyM how far the real place may be from where the distances were measured. */
function nearPlace({ countingM, unclearM, isKnown }: Nearest, withinM: number, uncertaintyM: number): Truth {
  if (countingM + uncertaintyM <= withinM) return true;
  return isKnown && Math.min(countingM, unclearM) - uncertaintyM > withinM ? false : null;
}

/** Says whether a fact is true of any land in an area (`parcel`), or wherever in it a building stands (`point`). */
export function factInArea({ fact, applies }: AskedFact, area: AnsweredArea): Found {
  const { withinM } = fact;
  if (withinM !== undefined) {
    const { truth, distanceM } = nearArea(fact.layer, withinM, area);
    // Near some land of the area is not near all of it.
    const isPartly = applies === 'point' && truth === true;
    return { truth: isPartly ? null : truth, distanceM, isPartly };
  }
  const parts = partsOf(area.values[fact.layer] ?? null);
  if (parts === null) return unknown;
  const told = partsWith(parts, valuesOf(fact));
  const { truth, isPartly } = truthOf(told, { applies, isTouched: () => isTouched(fact.layer, parts, area) });
  return { truth, distanceM: truth === true ? 0 : null, isPartly };
}

/** What a layer says in the area of which the fact is told: of distances, the closest class of any land. */
export function valueInArea(fact: RuleFact, { values }: AnsweredArea): LayerValue {
  const parts = partsOf(values[fact.layer] ?? null);
  if (parts === null) return null;
  return fact.withinM === undefined ? partsWith(parts, valuesOf(fact)).value : (parts.present[0]?.value ?? null);
}

function valuesOf({ is, in: values = [is!] }: RuleFact): readonly (string | boolean)[] {
  return values;
}

function nearArea(layer: string, withinM: number, area: AnsweredArea): Pick<Found, 'truth' | 'distanceM'> {
  const nearest = area.nearest(layer, withinM);
  if (nearest === null) return { truth: null, distanceM: null };
  const { countingM, unclearM, isKnown } = nearest;
  const truth: Truth = countingM <= withinM ? true : isKnown && unclearM > withinM ? false : null;
  return { truth, distanceM: countingM };
}

/** What an area has of each value of a layer. */
interface Parts {
  readonly present: readonly { readonly value: LayerValue; readonly share: number }[];
  readonly unknownShare: number;
  /** Classes of distances: "outside" is the land where nothing is near. */
  readonly areBands: boolean;
}

/** Null: nothing is known of the layer anywhere in the area. */
function partsOf(value: AreaValue): Parts | null {
  if (value === null) return null;
  const { share, parts, bands, unknownShare } = value as {
    readonly share?: number;
    readonly parts?: Parts['present'];
    readonly bands?: Readonly<Record<string, number>>;
    readonly unknownShare: number;
  };
  const given =
    parts ??
    (bands
      ? Object.entries(bands).map(([name, part]) => ({ value: name, share: part }))
      : [{ value: true, share: share ?? 0 }]);
  return { present: given.filter((part) => part.share > 0), unknownShare, areBands: bands !== undefined };
}

function partsWith(
  { present, unknownShare }: Parts,
  values: readonly (string | boolean)[],
): {
  readonly value: LayerValue;
  /** Of the land of which one of the values is true, and of all other land of which the layer knows. */
  readonly share: number;
  readonly otherShare: number;
  readonly unknownShare: number;
} {
  const some = values.includes(true) ? present : present.filter(({ value }) => values.includes(value as string));
  const sum = (parts: Parts['present']): number => parts.reduce((all, part) => all + part.share, 0);
  const absent = rounded(1 - unknownShare - sum(present));
  const share = rounded(sum(some) + (values.includes(false) ? absent : 0));
  const value = some[0]?.value ?? (values.includes(false) && absent > 0 ? false : null);
  return { value, share, otherShare: rounded(1 - unknownShare - share), unknownShare };
}

/** Shares have four decimals. */
function rounded(share: number): number {
  return Math.round(share * 1e4) / 1e4;
}

function truthOf(
  { share, otherShare, unknownShare }: ReturnType<typeof partsWith>,
  {
    applies,
    isTouched: touches,
  }: {
    readonly applies: Rule['applies'];
    /** Whether a feature meets the area all the same, along its edge or on less land than a share tells. */
    readonly isTouched: () => boolean;
  },
): { readonly truth: Truth; readonly isPartly: boolean } {
  if (share === 0) return { truth: unknownShare === 0 && !touches() ? false : null, isPartly: false };
  if (applies === 'parcel') return { truth: true, isPartly: false };
  return { truth: share === 1 ? true : null, isPartly: otherShare > 0 };
}

function isTouched(layer: string, { present, areBands }: Parts, area: AnsweredArea): boolean {
  return !areBands && present.length === 0 && area.nearest(layer, 0)?.countingM !== Infinity;
}
