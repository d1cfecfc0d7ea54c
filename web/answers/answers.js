/** The answers to a place or a parcel as items: what each says in words, how near it is, and on demand what it rests on. */
import { el } from '../shared/dom.js';
import { ageOf, dayOf, fill, longDay, metres, textsIn } from '../shared/i18n.js';
import { inWords } from './words.js';

/**
 * @typedef {import('./words.js').Answer} Answer
 * @typedef {import('./words.js').Layer} Layer
 * @typedef {import('./words.js').Language} Language
 * @typedef {import('./words.js').Tone} Tone
 * @typedef {import('../shared/api.js').AddressBody | import('../shared/api.js').PointBody} Body
 * @typedef {{
 *   layer: Layer, tone: Tone, band: 'here' | 'regulated' | 'near', distanceM: number | null, main: string, value: Node,
 *   reason: string | null, boundary: string | null, isBare: boolean, pairs: (readonly [string, unknown])[],
 * }} Item band: how close what was found is. main: the value alone, as text. reason: why nobody knows. isBare: the value says no more than its details do. pairs: what it rests on, besides its data sets
 */

/**
 * The catalogue without the further layers that were not asked for.
 * @param {import('../../src/messages/wire/layers.ts').LayersBody} catalogue
 * @param {{ layers: object }} body
 */
export function answeredBy(catalogue, body) {
  return { ...catalogue, layers: catalogue.layers.filter(({ key }) => key in body.layers) };
}

/**
 * Every layer that was answered, in the order of the catalogue.
 * @param {Language} language
 * @param {readonly Layer[]} layers
 * @param {Body} body
 * @returns {Item[]}
 */
export function itemsOf(language, layers, body) {
  return layers.flatMap((layer) => {
    const evidence = body.evidence[layer.key];
    if (!evidence) return [];
    const shownM = evidence.state === 'absent' ? shownDistance(layer, layers, body) : null;
    return [itemOf({ language, layer, value: body.layers[layer.key] ?? null, evidence, shownM }, body)];
  });
}

/**
 * @param {Answer} answer
 * @param {Body} body
 * @returns {Item}
 */
function itemOf(answer, body) {
  const { language, layer, value, evidence } = answer;
  const { tone, main, note, reason } = inWords(answer);
  const { boundaryDistanceM: edgeM, nearBoundary } = evidence;
  const doubt = { edge: metres(language, edgeM ?? 0), uncertainty: metres(language, body.geocode.uncertaintyM) };
  return {
    ...{ layer, tone, main, reason: reason ?? null, pairs: restsOn(answer) },
    band: value === 'adjacent' ? 'near' : value === 'regulated' ? 'regulated' : 'here',
    distanceM: evidence.distanceM,
    isBare: layer.kind === 'boolean',
    value: el(
      'p',
      { className: 'value' },
      el('strong', {}, main),
      note === null ? null : el('span', { className: 'value-note' }, note),
    ),
    boundary: nearBoundary && edgeM !== null ? fill(textsIn(language).boundary, doubt) : null,
  };
}

/**
 * The distance of the nearest feature on the map, where the search ended before it. Features of a data set that other answers use too may be theirs.
 * @param {Layer} layer
 * @param {readonly Layer[]} layers
 * @param {Body} body
 */
function shownDistance(layer, layers, body) {
  const ids = layer.dataSets.map(({ id }) => id);
  const isShared = layers.some((other) => other !== layer && other.dataSets.some(({ id }) => ids.includes(id)));
  const distances = (body.geometry?.features ?? [])
    .filter(({ properties }) => ids.includes(properties.dataSet))
    .map(({ properties }) => properties.distanceM);
  return isShared || distances.length === 0 ? null : Math.min(...distances);
}

/**
 * Where nobody knows, there is no distance.
 * @param {Answer} answer
 * @returns {Item['pairs']}
 */
function restsOn({ language, evidence, shownM }) {
  const texts = textsIn(language);
  const { searchedM, boundaryDistanceM, feature, others } = evidence;
  const isKnown = searchedM !== null && evidence.state !== 'unavailable';
  return [
    [texts.nearest, isKnown ? nearestOf(language, evidence, shownM) : null],
    [texts.others, others ?? null],
    [texts.edge, isKnown ? edgeOf(language, boundaryDistanceM) : null],
    // For layers whose sources differ from place to place.
    [texts.mappedBy, feature?.['publisher'] ?? null],
  ];
}

/**
 * @param {Language} language
 * @param {Answer['evidence']} evidence
 * @param {number | null} shownM
 */
function nearestOf(language, { distanceM, searchedM }, shownM) {
  const nearestM = distanceM ?? shownM;
  if (nearestM !== null) return placeOf(language, nearestM);
  return searchedM ? fill(textsIn(language).beyond, { metres: metres(language, searchedM) }) : null;
}

/** Edges are searched that far beyond what an answer looks at, as by the service. */
export const EDGE_SEARCH_M = 250;

/**
 * @param {Language} language
 * @param {number | null} distanceM
 */
const edgeOf = (language, distanceM) =>
  distanceM === null
    ? fill(textsIn(language).beyond, { metres: metres(language, EDGE_SEARCH_M) })
    : metres(language, distanceM);

/**
 * @param {Language} language
 * @param {number} distanceM
 */
const placeOf = (language, distanceM) => (distanceM === 0 ? textsIn(language).here : metres(language, distanceM));

/**
 * Source and date; on demand what the answer rests on, since those of all layers would bury the answers.
 * @param {Language} language
 * @param {Item} item
 */
export function renderMore(language, item) {
  const [dataSet] = item.layer.dataSets;
  const day = dataSet?.asOf == null ? textsIn(language).words.notLoaded : dateOf(language, dataSet);
  const details = el('details', {}, el('summary', {}, `${dataSet?.title ?? ''} · ${day}`));
  details.addEventListener('toggle', () => details.append(...explain(language, item)), { once: true });
  return details;
}

/**
 * @param {Language} language
 * @param {Item} item
 */
function explain(language, { layer, pairs }) {
  const texts = textsIn(language);
  const known = [
    ...pairs,
    ...layer.dataSets.flatMap((dataSet) => [
      [texts.source, `${dataSet.title} (${publisherOf(dataSet, language)})`],
      [texts.date, dataSet.asOf === null ? texts.words.notLoaded : dateOf(language, dataSet)],
      [texts.sourceUntil, dataSet.sourceUntil && untilOf(dataSet.sourceUntil, language)],
      [texts.licence, licenceOf(dataSet, language)],
      [texts.limits, dataSet.limits.map((limit) => limit[language]).join(' ') || null],
      ...dataSet.announced.map((change) => [texts.announced, announcedOf(change, language)]),
    ]),
  ].filter(([, value]) => value !== null && value !== undefined);
  return [
    el('p', {}, layer.french && language === 'fr' ? layer.french.description : layer.description),
    el(
      'dl',
      {},
      ...known.flatMap(([name, value]) => [el('dt', {}, String(name)), el('dd', {}, /** @type {any} */ (value))]),
    ),
  ];
}

/**
 * How old the data are, as far as their source says.
 * @param {Language} language
 * @param {Layer['dataSets'][number]} dataSet
 */
function dateOf(language, { asOf, sourceUntil }) {
  const age = ageOf(language, sourceUntil?.day ?? asOf ?? '');
  return `${dayOf(language, asOf ?? '')}${age === null ? '' : ` (${age})`}`;
}

/**
 * @param {NonNullable<Layer['dataSets'][number]['sourceUntil']>} sourceUntil
 * @param {Language} language
 */
const untilOf = ({ day, stated }, language) => `${longDay(language, day)}. ${stated}`;

/**
 * What will change, from which day where that is known, with a link to where it is described.
 * @param {Layer['dataSets'][number]['announced'][number]} change
 * @param {Language} language
 */
function announcedOf({ from, url, ...change }, language) {
  const texts = textsIn(language);
  const day = from === null ? texts.dayNotKnown : fill(texts.fromDay, { day: longDay(language, from) });
  const link = el('a', { href: url, rel: 'noreferrer' }, texts.describedAt);
  return el('span', {}, `${change[language]} ${day} `, link);
}

/**
 * @param {Layer} layer
 * @param {Language} language
 */
export function titleOf(layer, language) {
  return language === 'fr' && layer.french ? layer.french.title : layer.title;
}

/**
 * @param {Layer['dataSets'][number]} dataSet
 * @param {Language} language
 */
export const publisherOf = ({ publisher, french }, language) => (language === 'fr' && french?.publisher) || publisher;

/**
 * What is found, for a reader.
 * @param {Layer} layer
 * @param {Language} language
 */
export const nameOfLayer = (layer, language) => layer.reader?.name?.[language] ?? titleOf(layer, language);

/**
 * The text that the licence demands, with a link to the licence.
 * @param {Pick<Layer['dataSets'][number], 'licence' | 'attribution' | 'sample'>} dataSet
 * @param {Language} language
 * @returns {Node | string}
 */
export function licenceOf({ licence, attribution, sample }, language) {
  if (sample) return textsIn(language).sampleNotice;
  if (licence.url === null) return attribution;
  return el('span', {}, `${attribution} `, el('a', { href: licence.url, rel: 'noreferrer' }, licence.id));
}
