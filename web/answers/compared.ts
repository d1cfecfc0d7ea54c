/** An answer that was kept, compared with that of now: what became of each layer, in words, and why. */
import { nameOfLayer, type Layer } from './words.ts';
import { byId, el, shape, write } from '../shared/dom.ts';
import { fill, longDay, metres, number, plural, speech, language } from '../shared/i18n.ts';
import { lawTexts } from '../texts/law.ts';
import { findingAt, findingIn } from '../../src/messages/findings/found.ts';
import type { Comparison, LayerChange } from '../../src/features/compare/wire.ts';
import type { AreaValue } from '../../src/messages/wire/area-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';

/** Whether an answer is of a parcel, and the layers in the order of the catalogue. */
type Of = { layers: readonly Layer[]; isArea: boolean };

/** The layers that have changed, each with what became of it and why. */
export function changesIn(comparison: Comparison, { layers, isArea }: Of) {
  return layers.flatMap((layer) => {
    const change = comparison.layers[layer.key];
    if (!change || !comparison.changed.includes(layer.key)) return [];
    return [{ layer, text: changeInWords(layer, { change, isArea }) }];
  });
}

function changeInWords(layer: Layer, { change, isArea }: { change: LayerChange; isArea: boolean }) {
  const { changes, causes, other } = lawTexts[language].compared;
  if (change.change === 'none') return '';
  const said = (value: unknown, distanceM: number | undefined) =>
    isArea ? ofArea(layer, value) : ofPlace(layer, { value: value as LayerValue, distanceM });
  const before = said(change.before, change.distanceBeforeM);
  const now = said(change.now, change.distanceNowM);
  const sentence =
    change.change === 'value' && before === now
      ? `${now}. ${other}`
      : fill(changes[change.change], { name: nameOfLayer(layer), before, now });
  return change.cause ? `${sentence} ${causes[change.cause]}` : sentence;
}

function ofPlace(layer: Layer, { value, distanceM }: { value: LayerValue; distanceM: number | undefined }) {
  const { none, unknown } = lawTexts[language].compared;
  // Of a thing with a name, null is also what there is where there is none.
  if (value === null) return layer.kind === 'object' || layer.kind === 'value' ? none : unknown;
  const isNone = value === false || value === 'outside' || (layer.kind === 'count' && Object.values(value)[0] === 0);
  return isNone ? none : findingAt(layer, { value, distanceM: distanceM ?? 0 }, speech());
}

function ofArea(layer: Layer, value: unknown) {
  const { none, unknown } = lawTexts[language].compared;
  return value === null ? unknown : (findingIn(layer, value as AreaValue, speech()) ?? none);
}

/** Shows a comparison above the findings. */
export function renderComparison(comparison: Comparison, of: Of) {
  const texts = lawTexts[language].compared;
  const changes = changesIn(comparison, of);
  const [before, now] = [comparison.before.at, comparison.now.at].map((at) => longDay(at.slice(0, 10)));
  const { movedM, layers } = comparison;
  const total = Object.keys(layers).length;
  write(
    'compared',
    el('h3', { tabIndex: -1 }, fill(texts.heading, { before: before ?? '', now: now ?? '' })),
    movedM > 0 && el('p', fill(texts.moved, { distance: metres(movedM) })),
    el(
      'p.advice.next',
      comparison.changed.length === 0
        ? fill(texts.nothing, { n: number(total) })
        : plural(comparison.changed.length, texts.changed),
    ),
    el('ul.rows', changes.map(rowOf)),
    el('p.value-note', texts.days),
  );
  byId('compared').hidden = false;
}

/** As the rows of findings, so that the map shows what is pointed at. */
const rowOf = ({ layer, text }: ReturnType<typeof changesIn>[number]) =>
  el(
    'li',
    { className: 'row found', 'data-changed': layer.key, 'data-sets': layer.dataSets.map(({ id }) => id).join(' ') },
    shape('mark'),
    el('h4', text),
  );
