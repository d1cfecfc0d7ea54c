/** The answer to a parcel: how much of it each layer covers, as bars. */
import { has, type AreaAnswer, type AreaBody } from '../shared/api.ts';
import { areaInWords, shareInWords, type BarPart, type AreaWords } from './area-words.ts';
import { answeredBy, type Item } from './answers.ts';
import { byId, el } from '../shared/dom.ts';
import { renderFindings } from './findings.ts';
import { renderLegend } from './legend.ts';
import { findingIn } from '../../src/messages/findings/in-area.ts';
import { coordinatesOf, fill, groundArea, percent, speechOf, textsIn } from '../shared/i18n.ts';
import { renderRules } from './rules.ts';
import { renderSources, type SourcesOptions } from './summary.ts';
import { marksOfRows, shownAtFirst } from './tie.ts';
import type { MapPanel } from '../map/map-panel.ts';
import type { AreaGeometry } from '../shared/geojson-input.ts';
import type { Language } from '../shared/session.ts';
import { nameOfLayer, type Layer } from './words.ts';
import type { LayersBody as Catalogue } from '../../src/messages/wire/layers.ts';

const MOST_NAMES = 3;

/** Shows everything but the map. */
export function renderArea(
  language: Language,
  { body, catalogue, sources }: { body: AreaBody; catalogue: Catalogue; sources: SourcesOptions },
) {
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
  renderFindings(language, itemsOfArea(language, answered.layers, body), sources);
  void renderRules(language, catalogue.layers, body);
  renderSources(language, answered, sources);
  byId('result').hidden = false;
}

/**
 * Shows the parcel as it was answered on the map, which is repaired where it had to be, with its legend; ends when it is drawn. `geometry`: as it was
 * asked for. `panel` null: the map stands somewhere else, and stays there.
 */
export async function drawArea(
  language: Language,
  { body, catalogue, geometry }: { body: AreaBody; catalogue: Catalogue; geometry: AreaGeometry },
  panel: MapPanel | null,
) {
  const { layers } = answeredBy(catalogue, body);
  byId('map-heading').textContent = textsIn(language).area.mapHeading;
  const label = fill(textsIn(language).area.map, { area: groundArea(language, body.areaM2) });
  const [shown, marks] = [shownAtFirst(), marksOfRows()];
  const dataSets = layers.flatMap((layer) => layer.dataSets);
  const items = legendItems(language, layers, body);
  renderLegend(byId('legend'), { language, body, dataSets, items, place: null, shown, marks }, (on) =>
    panel?.highlight(on === null ? null : [on]),
  );
  const answered = (body.geometry?.area ?? geometry) as AreaGeometry;
  await panel?.put('map-slot', {
    language,
    label,
    drawing: (kinds) => kinds.drawingOfArea(answered, body, shown),
  });
}

/** The data sets on the map: those in the parcel first, with their share of it. */
function legendItems(language: Language, layers: readonly Layer[], body: AreaBody) {
  const drawn = new Set((body.geometry?.features ?? []).map(({ properties }) => properties.dataSet));
  const items = [...drawn].map((id) => {
    const answers = layers
      .filter(({ dataSets }) => dataSets[0]?.id === id)
      .map((layer) => areaInWords(language, body.layers[layer.key] ?? null, body.areaM2));
    const share = Math.max(0, ...answers.map(shareFound));
    return { id, share, note: share > 0 ? shareInWords(language, share) : '' };
  });
  return items.sort((a, b) => b.share - a.share);
}

const shareFound = ({ parts }: AreaWords) =>
  parts.filter(({ tone }) => tone === 'found').reduce((sum, { share }) => sum + share, 0);

/** Every layer of the parcel, in the order of the catalogue. */
export const itemsOfArea = (language: Language, layers: readonly Layer[], body: AreaBody) =>
  layers.filter(({ key }) => key in body.layers).map((layer) => itemOf(language, layer, body));

/** A layer's part of the parcel as an item among the findings. */
function itemOf(language: Language, layer: Layer, { layers, areaM2 }: AreaBody): Item {
  const answer = layers[layer.key] ?? null;
  const words = areaInWords(language, answer, areaM2);
  const { tone, parts, notes } = words;
  const found = parts.filter((part) => part.tone === 'found');
  const finding = tone === 'found' ? findingIn(layer, answer, speechOf(language)) : null;
  return {
    ...{ layer, tone, boundary: null, pairs: [], band: bandOf(answer) },
    distanceM: answer?.distanceM ?? null,
    heading: finding ?? nameOfLayer(layer, language),
    main: inFew([...new Set(found.map(({ name }) => name))]),
    note: noteOf(language, layer, { ...words, finding }),
    value: () => valueOf(language, { parts, notes, areaM2 }),
    reason: tone === 'unknown' ? whyUnknown(language, layer) : null,
  };
}

function bandOf(answer: AreaAnswer): Item['band'] {
  const bands = answer?.bands;
  if (!bands || bands.inside) return 'here';
  return bands.regulated ? 'regulated' : 'near';
}

function whyUnknown(language: Language, layer: Layer) {
  const { noCoverage, notLoaded } = textsIn(language).findings;
  return layer.dataSets[0]?.state === 'loaded' ? noCoverage : notLoaded;
}

/** All that is known, as text: shares alone do not say how far and how many. */
function noteOf(
  language: Language,
  { kind }: Layer,
  { parts, notes, finding }: AreaWords & { finding: string | null },
) {
  const told = finding !== null && (kind === 'proximity' || kind === 'count') ? [finding] : [];
  const shares = parts.map(({ name, share }) => `${name} ${shareInWords(language, share)}`);
  return [...told, ...shares, ...notes].join('; ') || null;
}

/** A parcel may lie in many lots: their names are among its answers. */
const inFew = (names: readonly string[]) =>
  names.slice(0, MOST_NAMES).join(' / ') + (names.length > MOST_NAMES ? ' / …' : '');

function valueOf(
  language: Language,
  { parts, notes, areaM2 }: Pick<AreaWords, 'parts' | 'notes'> & { areaM2: number },
) {
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

function barPart({ share, tone, shade }: BarPart) {
  const element = el('span', { className: `${tone} shade-${shade % 4}` });
  element.style.setProperty('flex-grow', String(share));
  return element;
}
