/** A point on the map instead of an address that is refused. */
import { suggest } from '../shared/api.js';
import { byId, el } from '../shared/dom.js';
import { textsIn } from '../shared/i18n.js';

/**
 * @typedef {import('../shared/api.js').Problem} Problem
 * @typedef {import('../map/drawings.js').KnownPlace} KnownPlace
 * @typedef {import('../shared/session.js').Language} Language
 */

/** As the service gives. */
const MOST_PLACES = 10;

/**
 * Finds addresses near the one that was refused, to find one's way by: those that the refusal suggests, otherwise those that begin like it.
 * @param {string} address
 * @param {Problem} problem
 * @param {string} key
 * @returns {Promise<readonly KnownPlace[]>}
 */
export async function placesNear(address, { suggestions = [] }, key) {
  const found = await Promise.all(suggestions.map((text) => suggest(text, { key, limit: 1 })));
  const suggested = placesIn(found.flat());
  return suggested.length > 0 ? suggested : placesIn(await suggest(address, { key, limit: MOST_PLACES }));
}

/**
 * @param {readonly import('../../src/messages/geocode.ts').Suggestion[]} suggestions
 * @returns {KnownPlace[]}
 */
const placesIn = (suggestions) =>
  suggestions.flatMap(({ text, lat, lon }) => (lat === undefined || lon === undefined ? [] : [{ text, lat, lon }]));

/**
 * Adds the offer to the problem that is shown.
 * @param {Language} language
 * @param {() => void} open
 */
export function offerPoint(language, open) {
  const texts = textsIn(language);
  const button = el(
    'button',
    { type: 'button', id: 'offer-point', className: 'suggestion', onclick: open },
    texts.choosePoint,
  );
  byId('problem').append(el('p', { className: 'offer' }, texts.pointOffer), button);
}
