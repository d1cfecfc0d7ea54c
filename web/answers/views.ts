/**
 * The answer to an address, a point or a parcel: its place, map, answers and sources, how findings and map point at each other, and what can be done with
 * it. It comes after the form is ready.
 */
import { answeredBy, itemsOf, type Item } from './answers.ts';
import { itemsOfArea, legendOfArea, renderAreaSummary } from './area-view.ts';
import { renderFindings } from './findings.ts';
import { itemsAround, placeInLegend, renderLegend, renderMarks, type LegendItem } from './legend.ts';
import { renderRules } from './rules.ts';
import { nameOf, renderSources, renderSummary, type SourcesOptions } from './summary.ts';
import { byId, onClick } from '../shared/dom.ts';
import { fill, groundArea, texts, longMoment } from '../shared/i18n.ts';
import { has, type AreaBody, type Body } from '../shared/api.ts';
import { answerText } from './answer-link.ts';
import { linkOfAnswer, urlOf } from '../shared/question.ts';
import { copy, say } from '../shared/status.ts';
import type { AreaGeometry } from '../shared/area.ts';
import type { MapPanel } from '../map/map-panel.ts';
import type { Drawing } from '../map/drawings.ts';
import type { Shown } from '../map/map-style.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';
import type { GivenAnswer } from '../shared/kept-answers.ts';
import type * as Kinds from '../map/map.ts';

export { answerInFile, answerInText, datedAs } from './answer-link.ts';
export { ComparePanel } from './compared.ts';
export { isSharedAnswer } from './shared-shape.ts';

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

export function takeActions(shown: () => GivenAnswer | null, preparePrint: () => Promise<void>) {
  onClick('copy-json', () =>
    copy(JSON.stringify(shown()?.body, null, 2), { done: texts.copiedJson, failed: texts.notCopied }),
  );
  onClick('copy-link', () => {
    const answer = shown();
    // What stands in the address bar then is the answer.
    const link = answer?.isShared ? new URL(urlOf(answer.question), location.href) : location;
    if (link.hash === '') say(texts.area.tooLongForLink);
    else void copy(link.href, { done: texts.copiedLink, failed: texts.notCopied });
  });
  onClick('share', () => {
    const answer = shown();
    if (answer) void shareAnswer(answer);
  });
  onClick('print', () => preparePrint().then(() => window.print()));
  const running = new CSSStyleSheet();
  document.adoptedStyleSheets.push(running);
  addEventListener('beforeprint', () => {
    void preparePrint();
    running.replaceSync(`@page { @top-left { content: ${quoted(byId('resolved').textContent)} } }`);
    for (const fold of foldsOf(':not([open])')) {
      fold.open = true;
      fold.dataset['printed'] = '';
    }
  });
  addEventListener('afterprint', () => {
    for (const fold of foldsOf('[data-printed]')) {
      fold.open = false;
      delete fold.dataset['printed'];
    }
  });
}

/** A text as a string of CSS. */
const quoted = (text: string) => `"${text.replace(/["\\\s]+/g, ' ')}"`;

async function shareAnswer(answer: GivenAnswer) {
  const text = await answerText(answer);
  if (text === null) {
    say(texts.tooLongToShare);
    return;
  }
  const link = new URL(`#${linkOfAnswer(text)}`, location.href).href;
  const done = fill(texts.copiedAnswer, { time: longMoment(answer.givenAt) });
  await copy(link, { done, failed: texts.notCopied });
}

/** Folded on the screen, whole on paper. */
const foldsOf = (which: string): NodeListOf<HTMLDetailsElement> => document.querySelectorAll(`.fold${which}`);

export function tieRowsToMap(panel: MapPanel) {
  const result = byId('result');
  for (const type of ['mouseover', 'focusin']) {
    result.addEventListener(type, ({ target }) => {
      const row = target instanceof Element ? target.closest('[data-sets]') : null;
      panel.highlight(row instanceof HTMLElement ? setsOf(row) : null);
    });
  }
  result.addEventListener('mouseleave', () => {
    panel.highlight(null);
  });
  byId('map').addEventListener('over', (event) => {
    const over = (event as CustomEvent<readonly string[]>).detail;
    for (const row of result.querySelectorAll<HTMLElement>('[data-sets]'))
      row.classList.toggle(
        'lit',
        setsOf(row).some((set) => over.includes(set)),
      );
  });
}

/** What the map shows at first: the data sets of the findings, each as its card has it. */
export function shownAtFirst(): Shown {
  const found = [...byId('findings').querySelectorAll<HTMLElement>('.row.found')].reverse();
  const kinds = found.flatMap((row) => {
    const { classList } = row;
    const kind = classList.contains('hazard') ? 'hazard' : classList.contains('close') ? 'close' : 'other';
    return setsOf(row).map((set) => [set, kind] as const);
  });
  return { on: new Set(kinds.map(([set]) => set)), kinds: new Map(kinds) };
}

/** The classes of the first row of each data set, which make its mark. */
export function marksOfRows(): ReadonlyMap<string, string> {
  const rows = [...byId('result').querySelectorAll<HTMLElement>('.row[data-sets]')].reverse();
  const marks = ['found', 'none', 'unknown', 'hazard', 'restriction', 'close'];
  return new Map(
    rows.flatMap((row) =>
      setsOf(row).map((set) => [set, marks.filter((name) => row.classList.contains(name)).join(' ')] as const),
    ),
  );
}

const setsOf = (row: HTMLElement) => (row.dataset['sets'] ?? '').split(' ');
