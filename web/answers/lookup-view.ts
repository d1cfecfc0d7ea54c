/** The answer to an address or a point: its place, map, answers and sources. */
import { answeredBy, itemsOf } from './answers.ts';
import type { Body } from '../shared/api.ts';
import { byId } from '../shared/dom.ts';
import { renderFindings } from './findings.ts';
import { fill, textsIn } from '../shared/i18n.ts';
import { itemsAround, placeInLegend, renderLegend } from './legend.ts';
import { nameOf, renderSources, renderSummary, type SourcesOptions } from './summary.ts';
import { renderRules } from './rules.ts';
import { marksOfRows, shownAtFirst } from './tie.ts';
import type { MapPanel } from '../map/map-panel.ts';
import type { Language } from '../shared/session.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';

export type Catalogue = LayersBody;
type Answer = { body: Body; catalogue: Catalogue };

/** Shows everything but the map. */
export function renderLookup(language: Language, { body, catalogue, sources }: Answer & { sources: SourcesOptions }) {
  renderSummary(language, body);
  renderFindings(language, itemsOf(language, catalogue.layers, body), sources);
  void renderRules(language, catalogue.layers, body);
  renderSources(language, answeredBy(catalogue, body), sources);
  byId('result').hidden = false;
}

/** Shows the map and its legend, and ends when the map is drawn. `panel` null: the map stands somewhere else, and stays there. */
export async function drawLookup(language: Language, { body, catalogue }: Answer, panel: MapPanel | null) {
  const { layers } = answeredBy(catalogue, body);
  byId('map-heading').textContent = textsIn(language).page.mapHeading;
  const dataSets = [...new Map(layers.flatMap((layer) => layer.dataSets.map((one) => [one.id, one]))).values()];
  const [shown, marks] = [shownAtFirst(), marksOfRows()];
  const [items, place] = [itemsAround(language, body), placeInLegend(language, body)];
  renderLegend(byId('legend'), { language, body, dataSets, items, place, shown, marks }, (on) =>
    panel?.highlight(on === null ? null : [on]),
  );
  const label = fill(textsIn(language).mapAlt, { address: nameOf(language, body) });
  await panel?.put('map-slot', { language, label, drawing: (kinds) => kinds.drawingOfAnswer(body, shown) });
}
