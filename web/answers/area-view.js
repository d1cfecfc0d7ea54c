/** The answer to a parcel: how much of it each layer covers, as bars. */
import { has } from '../shared/api.js';
import { areaInWords, shareInWords } from './area-words.js';
import { answeredBy } from './answers.js';
import { byId, el } from '../shared/dom.js';
import { renderFindings } from './findings.js';
import { renderLegend } from './legend.js';
import { coordinatesOf, fill, groundArea, percent, textsIn } from '../shared/i18n.js';
import { renderSources } from './summary.js';
import { setsOfFindings } from './tie.js';

/**
 * @typedef {import('./area-words.js').AreaAnswer} AreaAnswer
 * @typedef {import('./area-words.js').AreaWords} AreaWords
 * @typedef {import('../shared/geojson-input.js').AreaGeometry} AreaGeometry
 * @typedef {import('../shared/session.js').Language} Language
 * @typedef {import('./words.js').Layer} Layer
 * @typedef {import('../../src/messages/wire/layers.ts').LayersBody} Catalogue
 * @typedef {{ areaM2: number, lat: number, lon: number, repaired: boolean, insideOntarioShare: number,
 *   layers: Record<string, AreaAnswer>, geometry?: import('../../src/messages/wire/near-geometry.ts').NearGeometry }} AreaBody geometry: missing in answers that were kept by an older page
 */

const MOST_NAMES = 3;

/**
 * Shows everything but the map.
 * @param {Language} language
 * @param {{ body: AreaBody, catalogue: Catalogue, sources: import('./summary.js').SourcesOptions }} answer
 */
export function renderArea(language, { body, catalogue, sources }) {
  const texts = textsIn(language);
  const { area } = texts;
  byId('resolved').textContent = fill(area.heading, { area: groundArea(language, body.areaM2) });
  byId('certainty').textContent = fill(area.inside, { place: coordinatesOf(language, body) });
  const notes = [
    body.repaired ? (has('maps') ? area.repaired : area.repairedText) : null,
    body.insideOntarioShare < 1 ? fill(area.partly, { share: percent(language, body.insideOntarioShare) }) : null,
  ].filter((note) => note !== null);
  byId('faults').replaceChildren(...notes.map((note) => el('li', {}, note)));
  const answered = answeredBy(catalogue, body);
  renderFindings(
    language,
    answered.layers.map((layer) => itemOf(language, layer, body)),
  );
  renderSources(language, answered, sources);
  byId('result').hidden = false;
}

/**
 * Shows the parcel as it was answered on the map, which is repaired where it had to be, with its legend; ends when it is drawn.
 * @param {Language} language
 * @param {{ body: AreaBody, catalogue: Catalogue, geometry: AreaGeometry }} answer geometry: as it was asked for
 * @param {import('../map/map-panel.js').MapPanel | null} panel null: the map stands somewhere else, and stays there
 */
export async function drawArea(language, { body, catalogue, geometry }, panel) {
  const { layers } = answeredBy(catalogue, body);
  byId('map-heading').textContent = textsIn(language).area.mapHeading;
  const label = fill(textsIn(language).area.map, { area: groundArea(language, body.areaM2) });
  const shown = setsOfFindings();
  const dataSets = layers.flatMap((layer) => layer.dataSets);
  const items = legendItems(language, layers, body);
  renderLegend(byId('legend'), { language, body, dataSets, items, place: null, shown }, (id, visible) =>
    panel?.map?.show(id, visible),
  );
  const answered = /** @type {AreaGeometry} */ (body.geometry?.area ?? geometry);
  await panel?.put('map-slot', {
    language,
    label,
    drawing: (kinds) => kinds.drawingOfArea(answered, body, shown),
  });
}

/**
 * The data sets on the map: those in the parcel first, with their share of it.
 * @param {Language} language
 * @param {readonly Layer[]} layers
 * @param {AreaBody} body
 */
function legendItems(language, layers, body) {
  const drawn = new Set((body.geometry?.features ?? []).map(({ properties }) => properties.dataSet));
  const items = [...drawn].map((id) => {
    const answers = layers
      .filter(({ dataSets }) => dataSets[0]?.id === id)
      .map((layer) => areaInWords(language, layer, body.layers[layer.key] ?? null, body.areaM2));
    const share = Math.max(0, ...answers.map(shareFound));
    return { id, share, note: share > 0 ? shareInWords(language, share) : '' };
  });
  return items.sort((a, b) => b.share - a.share);
}

/** @param {AreaWords} words */
const shareFound = ({ parts }) =>
  parts.filter(({ tone }) => tone === 'found').reduce((sum, { share }) => sum + share, 0);

/**
 * A layer's part of the parcel as an item among the findings.
 * @param {Language} language
 * @param {Layer} layer
 * @param {AreaBody} body
 * @returns {import('./answers.js').Item}
 */
function itemOf(language, layer, { layers, areaM2 }) {
  const answer = layers[layer.key] ?? null;
  const { tone, parts, notes } = areaInWords(language, layer, answer, areaM2);
  const found = parts.filter((part) => part.tone === 'found');
  const bands = answer?.bands;
  const { words } = textsIn(language);
  return {
    ...{ layer, tone, boundary: null, isBare: false, pairs: [] },
    band: !bands || bands.inside ? 'here' : bands.regulated ? 'regulated' : 'near',
    distanceM: answer?.distanceM ?? null,
    main: inFew([...new Set(found.map(({ name }) => name))]),
    value: valueOf(language, { parts, notes, areaM2 }),
    reason: tone !== 'unknown' ? null : layer.dataSets[0]?.state === 'loaded' ? words.noCoverage : words.notLoaded,
  };
}

/** A parcel may lie in many lots: their names are among its answers. @param {readonly string[]} names */
const inFew = (names) => names.slice(0, MOST_NAMES).join(' / ') + (names.length > MOST_NAMES ? ' / …' : '');

/**
 * @param {Language} language
 * @param {Pick<AreaWords, 'parts' | 'notes'> & { areaM2: number }} value
 */
function valueOf(language, { parts, notes, areaM2 }) {
  const bar = el('div', { className: 'bar', 'aria-hidden': 'true' }, ...parts.map(barPart));
  const names = parts.map((part) => {
    const swatch = el('span', { className: `swatch-part ${part.tone} shade-${part.shade % 4}`, 'aria-hidden': 'true' });
    const ground = part.tone === 'found' ? `${groundArea(language, part.share * areaM2)} · ` : '';
    const isMuch = part.tone !== 'none';
    const share = el(
      isMuch ? 'strong' : 'span',
      { className: 'share' },
      `${ground}${shareInWords(language, part.share)}`,
    );
    return el('li', {}, swatch, `${part.name} `, share);
  });
  return el(
    'div',
    { className: 'value' },
    parts.length > 0 ? bar : null,
    parts.length > 0 ? el('ul', { className: 'shares' }, ...names) : null,
    ...notes.map((note) => el('p', { className: 'value-note' }, note)),
  );
}

/** @param {import('./area-words.js').BarPart} part */
function barPart({ share, tone, shade }) {
  const element = el('span', { className: `${tone} shade-${shade % 4}` });
  element.style.setProperty('flex-grow', String(share));
  return element;
}
