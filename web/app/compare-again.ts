/** "Compare with today": asks what became of an answer that was kept, which costs one lookup; and reads such an answer from a file. */
import { request, UNREACHABLE, type AnswerBody, type AreaBody, type Body, type Failure } from '../shared/api.ts';
import { forgetAsked, idempotencyKeyOf, nameOfRequest } from '../shared/asked.ts';
import { byId } from '../shared/dom.ts';
import { say } from '../shared/status.ts';
import type { GivenAnswer } from '../shared/kept-answers.ts';
import type { Question } from '../shared/question.ts';
import type { Language } from '../shared/session.ts';
import type { AreaGeometry } from '../shared/geojson-input.ts';
import type { Comparison } from '../../src/features/compare/wire.ts';

const PATH = '/api/compare';

/** `key`: null where there is none, and then its field has the focus. `accept`: says that a key was taken. */
type Options = {
  language: () => Language;
  key: () => string | null;
  accept: (key: string, left: number | null | undefined) => void;
  refuse: (failure: Failure) => void;
};

export class ComparePanel {
  #options;
  #of: GivenAnswer | null = null;
  #comparison: Comparison | null = null;

  constructor(options: Options) {
    this.#options = options;
    byId('compare-now').addEventListener('click', () => void this.#ask());
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
    renderComparison(this.#options.language(), comparison, { layers: catalogue.layers, isArea });
  }

  async #ask() {
    const [answer, key] = [this.#of, this.#options.key()];
    const button = byId('compare-now') as HTMLButtonElement;
    if (answer === null || key === null || button.disabled) return;
    button.disabled = true;
    const { lawTexts } = await import('../texts/law.ts');
    const texts = () => lawTexts[this.#options.language()].compared;
    say(texts().asking);
    const body = JSON.stringify(bodyOf(answer));
    const asked = nameOfRequest({ key, path: PATH, body });
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKeyOf(asked) };
    const result = await request<Comparison>(PATH, key, { method: 'POST', headers, body });
    button.disabled = false;
    if (this.#of !== answer) return;
    if (!result.ok) {
      say('');
      if (result.problem.code !== UNREACHABLE.problem.code) forgetAsked(asked);
      this.#options.refuse(result);
      return;
    }
    this.#options.accept(key, result.left);
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

/** Reads a file with an answer; null where it is none, or lacks the outline of its parcel. Anybody can have written it. */
export async function answerInFile(file: Blob): Promise<Omit<GivenAnswer, 'catalogue'> | null> {
  try {
    const body = JSON.parse(await file.text()) as AnswerBody;
    const question = questionOfAnswer(body);
    const givenAt = Date.parse(body.snapshot?.createdAt ?? '');
    const isSound = [body.layers, body.dataAsOf].every((member) => typeof (member as unknown) === 'object');
    return question && isSound && Number.isFinite(givenAt)
      ? { question, body, givenAt, isShared: true, isOpened: true }
      : null;
  } catch {
    return null;
  }
}

function questionOfAnswer(body: AnswerBody): Question | null {
  if ('areaM2' in body) {
    const geometry = (body as AreaBody).geometry?.area as AreaGeometry | undefined;
    return geometry ? { kind: 'area', geometry } : null;
  }
  const { address, lat, lon, geocode } = body as Body;
  if (geocode.accuracy === 'point') return { kind: 'point', lat, lon, uncertaintyM: geocode.uncertaintyM };
  return address === null ? null : { kind: 'address', address };
}
