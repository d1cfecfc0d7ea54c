/** The answer to an address or a point: its place, map, answers and sources. */
import { answeredBy, itemsOf } from './answers.js';
import { byId } from '../shared/dom.js';
import { renderFindings } from './findings.js';
import { fill, textsIn } from '../shared/i18n.js';
import { itemsAround, placeInLegend, renderLegend } from './legend.js';
import { nameOf, renderSources, renderSummary } from './summary.js';
import { setsOfFindings } from './tie.js';

/**
 * @typedef {import('./answers.js').Body} Body
 * @typedef {import('../shared/session.js').Language} Language
 * @typedef {import('../../src/messages/wire/layers.ts').LayersBody} Catalogue
 * @typedef {{ body: Body, catalogue: Catalogue }} Answer
 */

/**
 * Shows everything but the map.
 * @param {Language} language
 * @param {Answer & { sources: import('./summary.js').SourcesOptions }} answer
 */
export function renderLookup(language, { body, catalogue, sources }) {
  renderSummary(language, body);
  renderFindings(language, itemsOf(language, catalogue.layers, body));
  renderSources(language, answeredBy(catalogue, body), sources);
  byId('result').hidden = false;
}

/**
 * Shows the map and its legend, and ends when the map is drawn.
 * @param {Language} language
 * @param {Answer} answer
 * @param {import('../map/map-panel.js').MapPanel | null} panel null: the map stands somewhere else, and stays there
 */
export async function drawLookup(language, { body, catalogue }, panel) {
  const { layers } = answeredBy(catalogue, body);
  byId('map-heading').textContent = textsIn(language).page.mapHeading;
  const dataSets = [...new Map(layers.flatMap((layer) => layer.dataSets.map((one) => [one.id, one]))).values()];
  const shown = setsOfFindings();
  const [items, place] = [itemsAround(language, body), placeInLegend(language, body)];
  renderLegend(byId('legend'), { language, body, dataSets, items, place, shown }, (id, visible) =>
    panel?.map?.show(id, visible),
  );
  const label = fill(textsIn(language).mapAlt, { address: nameOf(language, body) });
  await panel?.put('map-slot', { language, label, drawing: (kinds) => kinds.drawingOfAnswer(body, shown) });
}
