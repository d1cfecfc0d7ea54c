/** What the address bar, the history and files lead to: an answer that costs nothing, or a question that its reader starts. */
import { exampleWith } from './asking.ts';
import type { KeyField } from './key-field.ts';
import type { Refusals } from './refusals.ts';
import type { Shown, Views } from './shown.ts';
import { has } from '../shared/api.ts';
import { byId, input } from '../shared/dom.ts';
import { fill, longMoment, texts } from '../shared/i18n.ts';
import { answerHere, idHere } from '../shared/kept-answers.ts';
import { answerIn, batchIn, isLink, questionIn, textOf, urlOf, type Question } from '../shared/question.ts';
import { say } from '../shared/status.ts';
import type { SharedAnswer } from '../answers/answer-link.ts';
import type { BatchPanel } from '../batch/batch.ts';

/** `unreachable`: says that what it takes cannot be had. */
type EntriesParts = {
  shown: Shown;
  refusals: Refusals;
  keyField: KeyField;
  ask: (question: Question) => void;
  unreachable: () => void;
  withBatches: (work: (batch: BatchPanel) => Promise<void>) => void;
};

export class Entries {
  #parts;

  constructor(parts: EntriesParts) {
    this.#parts = parts;
  }

  /**
   * Shows what the present entry of the history has: its answer, which costs nothing again, or the question of a link. `typed`: what somebody typed
   * before the program was there, and wants to ask for.
   */
  async show(typed: string = '') {
    const { shown, refusals } = this.#parts;
    byId('anew').hidden = true;
    const answer = answerHere();
    if (answer === null || answer === 'lost') {
      shown.clear();
      if (typed === '') this.#follow(answer === 'lost' ? texts.notKept : texts.linked);
      return;
    }
    if (typed === '') input('address').value = textOf(answer.question);
    const id = idHere();
    await shown.loadViews();
    if (id !== idHere()) return;
    refusals.clear();
    const drawn = shown.show(answer, { isKept: true });
    say(fill(texts.shownAgain, { time: longMoment(answer.givenAt) }));
    if (typed === '') byId('resolved').focus({ preventScroll: true });
    await drawn;
  }

  /** Shows an answer that was saved. */
  async openFile(file: File) {
    await this.#open(({ answerInFile }) => answerInFile(file), { isShared: true, isOpened: true });
  }

  /** What stands after `#` in the address bar is a place that somebody shared. A lookup costs, so the visitor starts it. `words`: what to say then. */
  #follow(words: string) {
    const hash = location.hash.slice(1);
    const [shared, question] = [answerIn(hash), questionIn(hash)];
    const batch = has('batches') ? batchIn(hash) : null;
    if (shared !== null) void this.#open(({ answerInText }) => answerInText(shared), { isShared: true });
    if (batch !== null) this.#parts.withBatches((panel) => panel.follow(batch));
    if (question !== null && (question.kind !== 'area' || has('areas'))) this.#take(question, words);
    else if (shared === null && batch === null && isLink(location.hash)) say(texts.linkUnreadable);
  }

  /** Puts the question of a link into its field. `words`: what to say then. */
  #take(question: Question, words: string) {
    const { keyField, ask } = this.#parts;
    if (question.kind === 'area') {
      byId('parcel').hidden = false;
      (byId('parcel-text') as HTMLTextAreaElement).value = JSON.stringify(question.geometry);
    } else input('address').value = textOf(question);
    const example = exampleWith(({ address }) => address === textOf(question));
    if (example) {
      history.replaceState(null, '', urlOf(example));
      ask(example);
    } else if (keyField.valueOrFocus() !== null) {
      say(words);
      byId(question.kind === 'area' ? 'parcel-ask' : 'submit').focus();
    }
  }

  /** Shows an answer that anybody can have written, in a link or a file, which costs nothing. */
  async #open(read: (views: Views) => Promise<SharedAnswer | null>, how: { isShared: true; isOpened?: true }) {
    const { shown, unreachable } = this.#parts;
    const { hash } = location;
    const catalogue = await shown.getReady();
    if (catalogue === null) {
      unreachable();
      return;
    }
    const views = await shown.loadViews();
    const answer = await read(views);
    if (hash !== location.hash) return;
    try {
      if (answer === null || !views.isSharedAnswer(answer.question, answer.body, catalogue))
        throw new Error('no answer');
      const { question, body, givenAt } = answer;
      await shown.open({ question, body, givenAt, catalogue: views.datedAs(catalogue, answer), ...how });
    } catch {
      shown.clear();
      say(how.isOpened ? texts.openedUnreadable : texts.sharedUnreadable);
    }
  }
}
