/** The answer to an address, a point or a parcel: its place, map, answers and sources. It comes after the form is ready. */
import { answeredBy, itemsOf, type Item } from './answers.ts';
import { itemsOfArea, legendOfArea, renderAreaSummary } from './area-view.ts';
import { renderFindings } from './findings.ts';
import { itemsAround, placeInLegend, renderLegend, renderMarks, type LegendItem } from './legend.ts';
import { renderRules } from './rules.ts';
import { nameOf, renderSources, renderSummary, type SourcesOptions } from './summary.ts';
import { marksOfRows, shownAtFirst } from './tie.ts';
import { byId } from '../shared/dom.ts';
import { fill, groundArea, texts } from '../shared/i18n.ts';
import { has, type AreaBody, type Body } from '../shared/api.ts';
import type { AreaGeometry } from '../shared/area.ts';
import type { MapPanel } from '../map/map-panel.ts';
import type * as Kinds from '../map/map.ts';
import type { Drawing } from '../map/drawings.ts';
import type { Shown } from '../map/map-style.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';

export { takeActions } from './answer-actions.ts';
export { answerInFile, answerInText, datedAs } from './answer-link.ts';
export { ComparePanel } from './compared.ts';
export { isSharedAnswer } from './shared-shape.ts';
export { tieRowsToMap } from './tie.ts';

type Answer<Of> = { body: Of; catalogue: LayersBody };
type WithSources = { sources: SourcesOptions };

/** Shows everything but the map. */
export function renderLookup(answer: Answer<Body> & WithSources) {
  renderSummary(answer.body);
  render(itemsOf(answer.catalogue.layers, answer.body), answer);
}

/** Shows everything but the map. */
export function renderArea(answer: Answer<AreaBody> & WithSources) {
  renderAreaSummary(answer.body);
  render(itemsOfArea(answer.catalogue.layers, answer.body), answer);
}

function render(items: readonly Item[], { body, catalogue, sources }: Answer<Body | AreaBody> & WithSources) {
  renderFindings(items, sources);
  if (!has('maps')) renderMarks(marksOfRows());
  void renderRules(catalogue.layers, body);
  renderSources(answeredBy(catalogue, body), sources);
  byId('result').hidden = false;
}

/** Shows the map and its legend, and ends when the map is drawn. `panel` null: the map stands somewhere else, and stays there. */
export function drawLookup({ body, catalogue }: Answer<Body>, panel: MapPanel | null) {
  const label = fill(texts.mapAlt, { address: nameOf(body) });
  const drawn = { heading: texts.page.mapHeading, label, items: itemsAround(body), place: placeInLegend(body) };
  return draw({ body, catalogue, ...drawn }, panel, (kinds, shown) => kinds.drawingOfAnswer(body, shown));
}

/** Does the same of a parcel, as it was answered: it is repaired where it had to be. `geometry`: as it was asked for. */
export function drawArea(
  { body, catalogue, geometry }: Answer<AreaBody> & { geometry: AreaGeometry },
  panel: MapPanel | null,
) {
  const answered = (body.geometry?.area ?? geometry) as AreaGeometry;
  const label = fill(texts.area.map, { area: groundArea(body.areaM2) });
  const items = legendOfArea(answeredBy(catalogue, body).layers, body);
  const drawn = { heading: texts.area.mapHeading, label, items, place: null };
  return draw({ body, catalogue, ...drawn }, panel, (kinds, shown) => kinds.drawingOfArea(answered, body, shown));
}

async function draw(
  {
    body,
    catalogue,
    heading,
    label,
    ...legend
  }: Answer<Body | AreaBody> & { heading: string; label: string; items: readonly LegendItem[]; place: Node | null },
  panel: MapPanel | null,
  drawing: (kinds: typeof Kinds, shown: Shown) => Drawing,
) {
  byId('map-heading').textContent = heading;
  const dataSets = answeredBy(catalogue, body).layers.flatMap((layer) => layer.dataSets);
  const [shown, marks] = [shownAtFirst(), marksOfRows()];
  renderLegend({ body, dataSets, shown, marks, ...legend }, (on) => panel?.highlight(on === null ? null : [on]));
  await panel?.put('map-slot', label, (kinds) => drawing(kinds, shown));
}
