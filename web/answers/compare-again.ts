/** "Compare with today": asks what became of an answer that was kept, which costs one lookup. */
import { isPassing, lookUp, type Failure } from '../shared/api.ts';
import { forgetAsked, idempotencyKeyOf, nameOfRequest } from '../shared/asked.ts';
import { byId, onClick } from '../shared/dom.ts';
import { language } from '../shared/i18n.ts';
import { say } from '../shared/status.ts';
import { lawTexts } from '../texts/law.ts';
import type { GivenAnswer } from '../shared/kept-answers.ts';
import type { Comparison } from '../../src/features/compare/wire.ts';

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
  async show(answer: GivenAnswer, isKept: boolean) {
    if (answer !== this.#of) this.#comparison = null;
    this.#of = answer;
    byId('compare').hidden = !isKept || answer.body.snapshot?.dataSets === undefined;
    byId('compared').hidden = this.#comparison === null;
    if (this.#comparison !== null) await this.#render(this.#comparison, answer);
  }

  async #render(comparison: Comparison, { catalogue, question }: GivenAnswer) {
    const { renderComparison } = await import('../answers/compared.ts');
    const isArea = question.kind === 'area';
    renderComparison(comparison, { layers: catalogue.layers, isArea });
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
    await this.#render(result.body, answer);
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
