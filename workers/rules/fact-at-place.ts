import { EDGE_SEARCH_M } from '../../src/messages/edge-search.ts';
import type { RuleFact } from '../../src/messages/wire/rules.ts';
import type { AnsweredLayer, AnsweredPlace, Nearest } from '../engine/feature.ts';
import type { Found, Truth } from './found.ts';

/** Says whether a fact is true at a place, wherever within its uncertainty it is. */
export function factAtPlace(fact: RuleFact, place: AnsweredPlace): Found {
  const { withinM } = fact;
  const value = (): ReturnType<Found['value']> => place.layer(fact.layer)?.given.value ?? null;
  if (withinM !== undefined) {
    const nearest = place.nearest(fact.layer, withinM);
    if (nearest === null) return { truth: null, value, distanceM: null };
    return { truth: within(nearest, withinM, place.uncertaintyM), value, distanceM: nearest.countingM };
  }
  const layer = place.layer(fact.layer);
  if (layer === null) return { truth: null, value, distanceM: null };
  return { truth: isCertain(layer, place) ? says(layer, fact) : null, value, distanceM: layer.given.distanceM };
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
