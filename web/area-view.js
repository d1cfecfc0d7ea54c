/** The answer to a parcel: how much of it each layer covers, as bars. */
import { areaInWords, shareInWords } from './area-words.js';
import { answeredBy, titleOf } from './answers.js';
import { byId, el } from './dom.js';
import { coordinatesOf, fill, groundArea, percent, textsIn } from './i18n.js';
import { renderSources } from './summary.js';

/**
 * @typedef {import('./area-words.js').AreaAnswer} AreaAnswer
 * @typedef {import('./area-words.js').AreaWords} AreaWords
 * @typedef {import('./geojson-input.js').AreaGeometry} AreaGeometry
 * @typedef {import('./session.js').Language} Language
 * @typedef {import('./words.js').Layer} Layer
 * @typedef {import('../src/shared/wire/layers.ts').LayersBody} Catalogue
 * @typedef {{ areaM2: number, lat: number, lon: number, repaired: boolean, insideOntarioShare: number, layers: Record<string, AreaAnswer> }} AreaBody
 * @typedef {{ layer: Layer, words: AreaWords }} AreaRow
 */

/** What is there comes first, and what nobody knows before what is not there. */
const tones = ['found', 'unknown', 'none'];

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
    body.repaired ? area.repaired : null,
    body.insideOntarioShare < 1 ? fill(area.partly, { share: percent(language, body.insideOntarioShare) }) : null,
  ].filter((note) => note !== null);
  byId('faults').replaceChildren(...notes.map((note) => el('li', {}, note)));
  const answered = answeredBy(catalogue, body);
  const rows = answered.layers.map((layer) => ({
    layer,
    words: areaInWords(language, layer, body.layers[layer.key] ?? null),
  }));
  byId('map-heading').textContent = area.mapHeading;
  byId('tally').textContent = '';
  byId('groups').replaceChildren(...groupsOf(language, rows));
  byId('legend').replaceChildren();
  renderSources(language, answered, sources);
  byId('result').hidden = false;
}

/**
 * Shows the parcel on the map, and ends when it is drawn.
 * @param {Language} language
 * @param {{ body: AreaBody, geometry: AreaGeometry, around: import('./answers.js').Body | null }} answer
 * @param {import('./map-panel.js').MapPanel} panel
 */
export async function drawArea(language, { body, geometry, around }, panel) {
  const label = fill(textsIn(language).area.map, { area: groundArea(language, body.areaM2) });
  await panel.put('map-slot', {
    language,
    label,
    draw: (map) => map.drawArea({ geometry, around }, { label, language }),
  });
}

/**
 * @param {Language} language
 * @param {AreaRow[]} rows
 */
function groupsOf(language, rows) {
  const { groups } = textsIn(language);
  return Object.entries(groups).flatMap(([group, title]) => {
    const members = rows
      .filter(({ layer }) => layer.group === group)
      .sort((a, b) => tones.indexOf(a.words.tone) - tones.indexOf(b.words.tone));
    if (members.length === 0) return [];
    return el(
      'section',
      { className: 'group', 'aria-labelledby': `group-${group}` },
      el('h3', { id: `group-${group}` }, title),
      el('ul', { className: 'rows' }, ...members.map((row) => rowOf(language, row))),
    );
  });
}

/**
 * @param {Language} language
 * @param {AreaRow} row
 */
function rowOf(language, { layer, words: { tone, parts, notes } }) {
  const bar = el('div', { className: 'bar', 'aria-hidden': 'true' }, ...parts.map(barPart));
  const names = parts.map((part) => {
    const swatch = el('span', { className: `swatch-part ${part.tone} shade-${part.shade % 4}`, 'aria-hidden': 'true' });
    return el('li', {}, swatch, `${part.name} `, el('strong', {}, shareInWords(language, part.share)));
  });
  return el(
    'li',
    { className: `row area ${tone}`, 'data-key': layer.key },
    el('span', { className: 'mark', 'aria-hidden': 'true' }),
    el('h4', {}, titleOf(layer, language)),
    el(
      'div',
      { className: 'value' },
      parts.length > 0 ? bar : null,
      parts.length > 0 ? el('ul', { className: 'shares' }, ...names) : null,
      ...notes.map((note) => el('p', { className: 'value-note' }, note)),
    ),
  );
}

/** @param {import('./area-words.js').BarPart} part */
function barPart({ share, tone, shade }) {
  const element = el('span', { className: `${tone} shade-${shade % 4}` });
  element.style.setProperty('flex-grow', String(share));
  return element;
}
