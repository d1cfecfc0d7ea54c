/** "Compare with today": asks what became of an answer that was kept, which costs one lookup, and says it of each layer, in words, and why. */
import { nameOfLayer, type Layer } from './words.ts';
import { isPassing, lookUp, type Failure } from '../shared/api.ts';
import { forgetAsked, idempotencyKeyOf, nameOfRequest } from '../shared/asked.ts';
import { byId, el, onClick, shape, write } from '../shared/dom.ts';
import { fill, longDay, metres, number, plural, speech, language } from '../shared/i18n.ts';
import { say } from '../shared/status.ts';
import { lawTexts } from '../texts/law.ts';
import { findingAt, findingIn } from '../../src/features/explain/messages/found.ts';
import type { Comparison, LayerChange } from '../../src/features/compare/wire.ts';
import type { GivenAnswer } from '../shared/kept-answers.ts';
import type { AreaValue } from '../../src/messages/wire/area-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';

const PATH = '/api/compare';

/** `refuse`: says why there is no comparison. */
type CompareOptions = {
  keyField: { valueOrFocus: () => string | null; accept: (key: string, left?: number | null) => void };
  refuse: (failure: Failure) => void;
};

export class ComparePanel {
  #options;
  #of: GivenAnswer | null = null;
  #comparison: Comparison | null = null;

  constructor(options: CompareOptions) {
    this.#options = options;
    onClick('compare-now', () => this.#ask());
  }

  /** Offers to compare the answer that is shown, and shows again what was compared of it. `isKept`: it was given before. */
  show(answer: GivenAnswer, isKept: boolean) {
    if (answer !== this.#of) this.#comparison = null;
    this.#of = answer;
    byId('compare').hidden = !isKept || answer.body.snapshot?.dataSets === undefined;
    byId('compared').hidden = this.#comparison === null;
    if (this.#comparison !== null) renderComparison(this.#comparison, answer);
  }

  async #ask() {
    const [answer, key] = [this.#of, this.#options.keyField.valueOrFocus()];
    const button = byId('compare-now') as HTMLButtonElement;
    if (answer === null || key === null || button.disabled) return;
    button.disabled = true;
    const texts = () => lawTexts[language].compared;
    say(texts().asking);
    const request = { path: PATH, body: JSON.stringify(bodyOf(answer)) };
    const asked = nameOfRequest({ key, ...request });
    const result = await lookUp<Comparison>(request, { key, idempotencyKey: idempotencyKeyOf(asked) });
    button.disabled = false;
    if (this.#of !== answer) return;
    if (!result.ok) {
      say('');
      if (!isPassing(result)) forgetAsked(asked);
      this.#options.refuse(result);
      return;
    }
    this.#options.keyField.accept(key, result.left);
    this.#comparison = result.body;
    renderComparison(result.body, answer);
    forgetAsked(asked);
    say(texts().done, { quiet: true });
    document.querySelector<HTMLElement>('#compared h3')?.focus();
  }
}

/** Without what no comparison reads. An answer does not have the outline that it was asked for. */
function bodyOf({ body, question }: GivenAnswer) {
  const before = { ...body, geometry: undefined, rules: undefined, example: undefined };
  return question.kind === 'area' ? { before, geometry: question.geometry } : { before };
}

/** The layers in the order of the catalogue, and whether the answer is of a parcel. */
type Of = { layers: readonly Layer[]; isArea: boolean };

/** The layers that have changed, each with what became of it and why. */
export function changesIn(comparison: Comparison, { layers, isArea }: Of) {
  return layers
    .filter(({ key }) => comparison.changed.includes(key))
    .map((layer) => ({ layer, text: changeInWords(layer, comparison.layers[layer.key]!, isArea) }));
}

function changeInWords(layer: Layer, { change, cause, ...one }: LayerChange, isArea: boolean) {
  const { changes, causes, other } = lawTexts[language].compared;
  if (change === 'none') return '';
  const said = (value: unknown, distanceM: number | undefined) =>
    isArea ? ofArea(layer, value) : ofPlace(layer, { value: value as LayerValue, distanceM });
  const before = said(one.before, one.distanceBeforeM);
  const now = said(one.now, one.distanceNowM);
  const isOther = change === 'value' && before === now;
  const sentence = isOther ? `${now}. ${other}` : fill(changes[change], { name: nameOfLayer(layer), before, now });
  return cause ? `${sentence} ${causes[cause]}` : sentence;
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
function renderComparison(comparison: Comparison, { catalogue, question }: GivenAnswer) {
  const texts = lawTexts[language].compared;
  const { changed, movedM, layers } = comparison;
  const [before, now] = [comparison.before, comparison.now].map(({ at }) => longDay(at.slice(0, 10)));
  const changes = changesIn(comparison, { layers: catalogue.layers, isArea: question.kind === 'area' });
  const n = number(Object.keys(layers).length);
  write(
    'compared',
    el('h3', { tabIndex: -1 }, fill(texts.heading, { before: before!, now: now! })),
    movedM > 0 && el('p', fill(texts.moved, { distance: metres(movedM) })),
    el('p.advice.next', changed.length === 0 ? fill(texts.nothing, { n }) : plural(changed.length, texts.changed)),
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
