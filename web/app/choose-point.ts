/** A point on the map instead of an address that is refused. */
import { suggest, type Problem } from '../shared/api.ts';
import { byId, el } from '../shared/dom.ts';
import { textsIn } from '../shared/i18n.ts';
import type { Suggestion } from '../../src/messages/geocode.ts';
import type { KnownPlace } from '../map/drawings.ts';
import type { Language } from '../shared/session.ts';

/** As the service gives. */
const MOST_PLACES = 10;

/** Finds addresses near the one that was refused, to find one's way by: those that the refusal suggests, otherwise those that begin like it. */
export async function placesNear(
  address: string,
  { suggestions = [] }: Problem,
  key: string,
): Promise<readonly KnownPlace[]> {
  const found = await Promise.all(suggestions.map((text) => suggest(text, { key, limit: 1 })));
  const suggested = placesIn(found.flat());
  return suggested.length > 0 ? suggested : placesIn(await suggest(address, { key, limit: MOST_PLACES }));
}

const placesIn = (suggestions: readonly Suggestion[]): KnownPlace[] =>
  suggestions.flatMap(({ text, lat, lon }) => (lat === undefined || lon === undefined ? [] : [{ text, lat, lon }]));

/** Adds the offer to the problem that is shown. */
export function offerPoint(language: Language, open: () => void) {
  const texts = textsIn(language);
  const button = el(
    'button',
    { type: 'button', id: 'offer-point', className: 'suggestion', onclick: open },
    texts.choosePoint,
  );
  byId('problem').append(el('p', { className: 'offer' }, texts.pointOffer), button);
}
