/** The question that is being asked, and what comes of it. */
import type { KeyField } from './key-field.ts';
import type { Refusal, Refusals } from './refusals.ts';
import type { Shown } from './shown.ts';
import {
  isAnswer,
  isPassing,
  NO_ANSWER,
  lookUp,
  presentSnapshot,
  readExample,
  readSettings,
  requestOf,
  UNREACHABLE,
  type AnswerBody,
  type PageSettings,
  type Result,
} from '../shared/api.ts';
import { forgetAsked, idempotencyKeyOf, nameOfRequest } from '../shared/asked.ts';
import { byId, input, raise } from '../shared/dom.ts';
import { fill, texts } from '../shared/i18n.ts';
import { enterAgain, enterAnswer, keptId, type GivenAnswer } from '../shared/kept-answers.ts';
import { exampleIn, isHalfAPoint, questionOf, textOf, urlOf, type Question } from '../shared/question.ts';
import { say } from '../shared/status.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';

/** Most answers are there before somebody could press a button. */
const CANCEL_AFTER_MS = 1500;

/** `showEntry`: shows the answer of the present entry of the history. */
type AskingParts = { shown: Shown; refusals: Refusals; keyField: KeyField; showEntry: () => Promise<void> };
/** `asked`: name of the request; null for a stored answer. */
type Asked = { question: Question; key: string; asked: string | null };

export class Asking {
  #parts;
  /** Only the newest question may show its answer. */
  #newest = 0;
  #cancelling = new AbortController();
  /** As JSON: the same one again would cost again. Empty while nothing is asked. */
  #question = '';
  #showCancel: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** Asks what stands in the field, or what was suggested for it. */
  search(text: string) {
    input('address').value = text;
    if (text.trim() === '') {
      this.#parts.refusals.clear();
      input('address').focus();
    } else if (isHalfAPoint(text)) {
      const failure = { ...UNREACHABLE, problem: { code: 'HALF_A_POINT' } };
      this.#parts.refusals.show({ failure, question: questionOf(text) });
    } else void this.ask(questionOf(text));
  }

  cancel() {
    this.#cancelling.abort();
  }

  /** Asks no more: another entry of the history is shown. */
  leave() {
    this.cancel();
    this.#newest++;
    this.#rest();
  }

  /**
   * Asks the service, or for a stored answer, and shows what it says. An answer that this tab has already, of the snapshot in service, is shown again for
   * nothing. `isAnew`: asks also where there is such an answer.
   */
  async ask(question: Question, { isAnew = false }: { isAnew?: boolean } = {}) {
    input('address').value = textOf(question);
    const key = exampleIn(question) === null ? this.#parts.keyField.valueOrFocus() : '';
    if (key === null || this.#question === JSON.stringify(question)) return;
    const asked = key === '' ? null : nameOfRequest({ key, ...requestOf(question) });
    const ticket = this.#begin(question);
    if (asked !== null && !isAnew && (await this.#showKept({ asked, question }, ticket))) return;
    if (ticket !== this.#newest) return;
    const answering = this.#answerTo({ question, key, asked });
    const [result] = await Promise.all([answering, this.#parts.shown.getReady()]);
    const catalogue = await this.#catalogueOf(result);
    if (ticket !== this.#newest) return;
    this.#rest();
    await this.#showResult(result, catalogue, { question, key, asked });
  }

  async #catalogueOf(result: Result<AnswerBody>) {
    return result.ok ? this.#parts.shown.getReady((result.body as AnswerBody | null)?.snapshot?.id) : null;
  }

  /** Shows an answer at an entry of its own. */
  async enter(answer: GivenAnswer) {
    enterAnswer(answer, urlOfAnswer(answer));
    raise('result', 'batch');
    const drawn = this.#parts.shown.show(answer, { isKept: false });
    if (answer.asked) forgetAsked(answer.asked);
    say(fill(texts.ready, { address: byId('resolved').textContent }), { quiet: true });
    byId('resolved').focus({ preventScroll: true });
    // On a phone the answer begins below the form, and that of a row above the row.
    const { top } = byId('resolved').getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) byId('result').scrollIntoView();
    await drawn;
  }

  #begin(question: Question) {
    this.#question = JSON.stringify(question);
    this.#parts.refusals.clear();
    byId('anew').hidden = true;
    this.#cancelling = new AbortController();
    clearTimeout(this.#showCancel);
    this.#showCancel = setTimeout(() => (byId('cancel').hidden = false), CANCEL_AFTER_MS);
    byId('result').classList.add('old');
    say(texts.working);
    byId('search').setAttribute('aria-busy', 'true');
    return ++this.#newest;
  }

  /** Nothing is asked any more. */
  #rest() {
    this.#question = '';
    clearTimeout(this.#showCancel);
    byId('cancel').hidden = true;
    byId('search').removeAttribute('aria-busy');
  }

  #answerTo({ question, key, asked }: Asked) {
    const cancel = this.#cancelling.signal;
    if (asked !== null) return lookUp(requestOf(question), { key, idempotencyKey: idempotencyKeyOf(asked), cancel });
    return readExample(textOf(question), exampleIn(question) ?? '', cancel);
  }

  /** Shows the answer that this tab has already of the snapshot in service, with an offer to ask all the same. False: there is none. */
  async #showKept(lookup: { asked: string; question: Question }, ticket: number) {
    if (keptId(lookup) === null) return false;
    const snapshotId = await presentSnapshot(this.#cancelling.signal);
    if (ticket !== this.#newest || !enterAgain(lookup, { snapshotId, urlOf: urlOfAnswer })) return false;
    this.#rest();
    hide('choose', 'parcel');
    await this.#parts.showEntry();
    this.offerAnew(lookup.question);
    return true;
  }

  /** Offers to ask for what is shown, where asking may give more or something newer. */
  offerAnew(question: Question) {
    byId('anew').hidden = false;
    byId('ask-anew').onclick = () => void this.ask(question, { isAnew: true });
  }

  async #showResult(result: Result<AnswerBody>, catalogue: LayersBody | null, { question, key, asked }: Asked) {
    if (this.#cancelling.signal.aborted) {
      byId('result').classList.remove('old');
      say(texts.cancelled);
      return;
    }
    hide('choose');
    if (!result.ok || !catalogue || !isAnswer(result.body)) {
      this.#fail({ failure: !result.ok ? result : catalogue ? NO_ANSWER : UNREACHABLE, question, asked });
      return;
    }
    if (key !== '') this.#parts.keyField.accept(key, result.left);
    hide('parcel');
    const { body, lookupId = null } = result;
    // Examples were answered before.
    const givenAt = body.example ? Date.parse(body.example.madeAt) : Date.now();
    await this.enter({ question, body, givenAt, catalogue, asked, lookupId });
  }

  #fail({ asked, ...refusal }: Refusal & { asked: string | null }) {
    const { shown, refusals, keyField } = this.#parts;
    const canPass = isPassing(refusal.failure);
    if (asked !== null && !canPass) forgetAsked(asked);
    // What says nothing of the place leaves the answer that was shown.
    if (shown.answer && canPass) {
      say(fill(texts.stillShown, { address: byId('resolved').textContent }));
      refusals.show(refusal);
      return;
    }
    // The way back leads to the answer that was shown.
    if (shown.answer) history.pushState(null, '', urlOf(refusal.question));
    shown.clear();
    refusals.show(refusal);
    if (refusal.failure.problem.code === 'UNAUTHORIZED') keyField.open();
  }
}

/** The question whose stored answer anybody may see. */
export function exampleWith(isIt: (example: PageSettings['examples'][number]) => boolean): Question | null {
  const example = readSettings().examples.find(isIt);
  return example ? { kind: 'address', address: example.address, example: example.outcome } : null;
}

/** `ids`: of elements that the page may lack. */
function hide(...ids: readonly string[]) {
  for (const id of ids) document.getElementById(id)?.setAttribute('hidden', '');
}

function urlOfAnswer({ question, body }: Pick<GivenAnswer, 'question' | 'body'>) {
  if (question.kind !== 'address' || exampleIn(question) !== null) return urlOf(question);
  const found = 'address' in body ? body.address : null;
  return urlOf({ ...question, address: found ?? question.address });
}
