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
    const truth = isNear(nearest, withinM, place.uncertaintyM);
    return { truth, distanceM: nearest.countingM, isPartly: false };
  }
  const layer = place.layer(key);
  if (layer === null) return unknown;
  const truth = isCertain(layer, place) ? says(layer, fact) : null;
  return { truth, distanceM: layer.given.distanceM, isPartly: false };
}

/** Most by which a distance of the evidence is rounded up. */
const ROUNDED_UP_M = 0.05;

/** Whether the layer says the same wherever the place is. Farther than `EDGE_SEARCH_M` nobody has looked for where the answer changes. */
function isCertain({ given, evidence }: AnsweredLayer, { uncertaintyM }: AnsweredPlace): boolean {
  if ((given.state !== 'present' && given.state !== 'absent') || evidence.nearBoundary) return false;
  const changesM = (evidence.boundaryDistanceM ?? Infinity) - ROUNDED_UP_M;
  return uncertaintyM <= Math.min(EDGE_SEARCH_M, changesM);
}

function says({ given }: AnsweredLayer, fact: RuleFact): boolean {
  return valuesOf(fact).some((one) => one === (typeof one === 'boolean' ? given.state === 'present' : given.value));
}

function valuesOf({ is, in: values = [is!] }: RuleFact): readonly (string | boolean)[] {
  return values;
}

/** @param uncertaintyM how far from where the distances were measured it may be. A distance that is no number makes nothing known. */
function isNear({ countingM, unclearM, isKnown }: Nearest, withinM: number, uncertaintyM: number): Truth {
  if (countingM + uncertaintyM <= withinM) return true;
  return isKnown && Math.min(countingM, unclearM) - uncertaintyM > withinM ? false : null;
}

/** Says whether a fact is true of any land in an area (`parcel`), or wherever in it a building stands (`point`). */
export function factInArea({ fact, applies }: AskedFact, area: AnsweredArea): Found {
  const { layer, withinM } = fact;
  if (withinM !== undefined) {
    const nearest = area.nearest(layer, withinM);
    if (nearest === null) return unknown;
    const truth = isNear(nearest, withinM, 0);
    // Near some land of the area is not near all of it.
    const isPartly = applies === 'point' && truth === true;
    return { truth: isPartly ? null : truth, distanceM: nearest.countingM, isPartly };
  }
  const value = area.values[layer];
  if (!value) return unknown;
  const land = landWith(fact, value);
  const { share, otherShare } = land;
  if (share === 0) return isNowhere(fact, land, area) ? { ...unknown, truth: false } : unknown;
  const isTrue = applies === 'parcel' || share === 1;
  return { truth: isTrue || null, distanceM: isTrue ? 0 : null, isPartly: !isTrue && otherShare > 0 };
}

/** What a layer says in the area of which the fact is told: of distances, the closest class of any land. */
export function valueInArea(fact: RuleFact, { values }: AnsweredArea): LayerValue {
  const value = values[fact.layer] ?? null;
  if (value === null) return null;
  if (fact.withinM === undefined) return landWith(fact, value).value;
  const { bands } = value as unknown as { readonly bands: Readonly<Record<string, number>> };
  return Object.keys(bands).find((name) => bands[name]! > 0) ?? null;
}

/** Shares of an area by what its layer says there. */
interface Land {
  /** The first value that makes the fact true. */
  readonly value: LayerValue;
  /** Where the fact is true, and where it is not. */
  readonly share: number;
  readonly otherShare: number;
  /** Where nothing is, and the data know it. */
  readonly absentShare: number;
  readonly unknownShare: number;
}

function landWith(fact: RuleFact, whole: NonNullable<AreaValue>): Land {
  const { share: anyShare = 0, unknownShare, ...given } = whole as Partial<Given> & Pick<Given, 'unknownShare'>;
  const parts = (given.parts ?? [{ value: true, share: anyShare }]).filter((part) => part.share > 0);
  const values = valuesOf(fact);
  const some = parts.filter(({ value }) => isAmong(values, value));
  const absentShare = rounded(1 - unknownShare - sumOf(parts));
  const trueAbsentShare = values.includes(false) ? absentShare : 0;
  const share = rounded(sumOf(some) + trueAbsentShare);
  const value = some[0]?.value ?? (trueAbsentShare > 0 ? false : null);
  return { value, share, otherShare: rounded(1 - unknownShare - share), absentShare, unknownShare };
}

/** An answer of a layer for an area: the share of it, or those of its values. */
interface Given {
  readonly share: number;
  readonly parts: readonly { readonly value: LayerValue; readonly share: number }[];
  readonly unknownShare: number;
}

/** @param value of a feature that is there. */
function isAmong(values: readonly (string | boolean)[], value: LayerValue): boolean {
  return values.includes(true) || values.includes(value as string);
}

/** Whether the fact, of which no share tells, is also true of no land along the edge of the area, nor of less than a share tells. */
function isNowhere(fact: RuleFact, { unknownShare, absentShare }: Land, area: AnsweredArea): boolean {
  const values = valuesOf(fact);
  const nearest = area.nearest(fact.layer, 0, (value) => isAmong(values, value));
  if (nearest === null || unknownShare > 0) return false;
  // Of data that know nothing but where they have features, these cover all of the area.
  const isKnown = nearest.isKnown || absentShare === 0;
  return isKnown && Math.min(nearest.countingM, nearest.unclearM) > 0;
}

function sumOf(parts: Given['parts']): number {
  return parts.reduce((all, part) => all + part.share, 0);
}

/** Shares have four decimals. */
function rounded(share: number): number {
  return Math.round(share * 1e4) / 1e4;
}
