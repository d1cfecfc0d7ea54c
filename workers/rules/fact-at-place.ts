import { EDGE_SEARCH_M } from '../../src/messages/edge-search.ts';
import type { RuleFact } from '../../src/messages/wire/rules.ts';
import type { AnsweredLayer, AnsweredPlace, Nearest } from '../engine/feature.ts';
import { unknown, type Found, type Truth } from './found.ts';

/** Says whether a fact is true at a place, wherever within its uncertainty it is. */
export function factAtPlace(fact: RuleFact, place: AnsweredPlace): Found {
  const { layer: key, withinM } = fact;
  if (withinM !== undefined) {
    const nearest = place.nearest(key, withinM);
    if (nearest === null) return unknown;
    const truth = within(nearest, withinM, place.uncertaintyM);
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
function within({ countingM, unclearM, isKnown }: Nearest, withinM: number, uncertaintyM: number): Truth {
  if (countingM + uncertaintyM <= withinM) return true;
  return isKnown && Math.min(countingM, unclearM) - uncertaintyM > withinM ? false : null;
}
