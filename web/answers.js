/** The answers in their groups. */
import { el } from './dom.js';
import { fill, longDay, metres, textsIn } from './i18n.js';
import { inWords } from './words.js';

/**
 * @typedef {import('./words.js').Answer} Answer
 * @typedef {import('./words.js').Layer} Layer
 * @typedef {import('./words.js').Language} Language
 * @typedef {import('./words.js').Words} Words
 * @typedef {import('./api.js').AddressBody | import('./api.js').PointBody} Body
 * @typedef {{ words: Words, answer: Answer }} Row
 */

/**
 * The catalogue without the further layers that were not asked for.
 * @param {import('../src/shared/wire/layers.ts').LayersBody} catalogue
 * @param {{ layers: object }} body
 */
export function answeredBy(catalogue, body) {
  return { ...catalogue, layers: catalogue.layers.filter(({ key }) => key in body.layers) };
}

/**
 * Every layer with its words, in the order of the catalogue.
 * @param {Language} language
 * @param {readonly Layer[]} layers
 * @param {Body} body
 * @returns {Row[]}
 */
export function rowsOf(language, layers, body) {
  return layers.flatMap((layer) => {
    const evidence = body.evidence[layer.key];
    if (!evidence) return [];
    const answer = { language, layer, value: body.layers[layer.key] ?? null, evidence };
    return [{ answer, words: inWords(answer) }];
  });
}

/** What is there comes first, and what nobody knows before what is not there. */
const tones = ['found', 'unknown', 'none'];

/**
 * @param {Language} language
 * @param {Row[]} rows
 * @param {Body} body
 */
export function renderGroups(language, rows, body) {
  const { groups } = textsIn(language);
  const names = [...new Set(rows.map(({ answer }) => answer.layer.group))];
  const order = Object.keys(groups);
  return names
    .sort((a, b) => order.indexOf(a) - order.indexOf(b))
    .map((group) => {
      const members = rows
        .filter(({ answer }) => answer.layer.group === group)
        .sort((a, b) => tones.indexOf(a.words.tone) - tones.indexOf(b.words.tone));
      return el(
        'section',
        { className: 'group', 'aria-labelledby': `group-${group}` },
        el('h3', { id: `group-${group}` }, groups[group]),
        el('ul', { className: 'rows' }, ...members.map((row) => renderRow(row, body))),
      );
    });
}

/**
 * @param {Row} row
 * @param {Body} body
 */
function renderRow({ answer, words }, body) {
  const { language, layer, evidence } = answer;
  const texts = textsIn(language);
  const uncertaintyM = body.geocode.uncertaintyM;
  return el(
    'li',
    { className: `row ${words.tone}`, 'data-key': layer.key },
    el('span', { className: 'mark', 'aria-hidden': 'true' }),
    el('h4', {}, titleOf(layer, language)),
    el(
      'p',
      { className: 'value' },
      el('strong', {}, words.main),
      words.note === null ? null : el('span', { className: 'value-note' }, words.note),
    ),
    evidence.nearBoundary && evidence.boundaryDistanceM !== null
      ? el(
          'p',
          { className: 'boundary' },
          fill(texts.boundary, {
            edge: metres(language, evidence.boundaryDistanceM),
            uncertainty: metres(language, uncertaintyM),
          }),
        )
      : null,
    renderMore(answer),
  );
}

/**
 * Source and date; on demand what the answer rests on, since those of all layers would bury the answers.
 * @param {Answer} answer
 */
function renderMore(answer) {
  const { language, layer } = answer;
  const [dataSet] = layer.dataSets;
  const day = dataSet?.asOf == null ? textsIn(language).words.notLoaded : longDay(language, dataSet.asOf);
  const details = el('details', {}, el('summary', {}, `${dataSet?.title ?? ''} · ${day}`));
  details.addEventListener('toggle', () => details.append(...explain(answer)), { once: true });
  return details;
}

/** @param {Answer} answer */
function explain({ language, layer, evidence }) {
  const texts = textsIn(language);
  const pairs = [
    [texts.nearest, evidence.distanceM === null ? null : metres(language, evidence.distanceM)],
    [texts.edge, evidence.boundaryDistanceM === null ? texts.edgeFar : metres(language, evidence.boundaryDistanceM)],
    [texts.mappedBy, publisherOf(evidence)],
    ...layer.dataSets.flatMap((dataSet) => [
      [texts.source, `${dataSet.title} (${dataSet.publisher})`],
      [texts.date, dataSet.asOf === null ? texts.words.notLoaded : longDay(language, dataSet.asOf)],
      [texts.sourceUntil, dataSet.sourceUntil && untilOf(dataSet.sourceUntil, language)],
      [texts.licence, licenceOf(dataSet, language)],
      [texts.limits, dataSet.limits.map((limit) => limit[language]).join(' ') || null],
    ]),
  ];
  const known = pairs.filter(([, value]) => value !== null && value !== undefined);
  return [
    el('p', {}, layer.french && language === 'fr' ? layer.french.description : layer.description),
    el('dl', {}, ...known.flatMap(([name, value]) => [el('dt', {}, String(name)), el('dd', {}, value)])),
  ];
}

/**
 * @param {NonNullable<Layer['dataSets'][number]['sourceUntil']>} sourceUntil
 * @param {Language} language
 */
const untilOf = ({ day, stated }, language) => `${longDay(language, day)}. ${stated}`;

/**
 * Who mapped the feature that decides, for layers whose sources differ from place to place.
 * @param {Answer['evidence']} evidence
 */
function publisherOf({ feature }) {
  const publisher = feature?.['publisher'] ?? null;
  return publisher === null ? null : String(publisher);
}

/**
 * @param {Layer} layer
 * @param {Language} language
 */
export function titleOf(layer, language) {
  return language === 'fr' && layer.french ? layer.french.title : layer.title;
}

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
