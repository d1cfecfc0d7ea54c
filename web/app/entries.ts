/** What the address bar, the history and files lead to: an answer that costs nothing, or a question that its reader starts. */
import { answerInFile, answerInText, datedAs, type SharedAnswer } from './answer-link.ts';
import { exampleWith } from './asking.ts';
import type { KeyField } from './key-field.ts';
import type { takeParcels } from './parcels.ts';
import type { Refusals } from './refusals.ts';
import { isSharedAnswer } from './shared-shape.ts';
import type { Shown } from './shown.ts';
import { has } from '../shared/api.ts';
import { byId, input } from '../shared/dom.ts';
import { fill, longMoment, texts } from '../shared/i18n.ts';
import { answerHere, idHere } from '../shared/kept-answers.ts';
import { answerIn, batchIn, isLink, questionIn, textOf, urlOf, type Question } from '../shared/question.ts';
import { say } from '../shared/status.ts';
import type { BatchPanel } from '../batch/batch.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';

/** `unreachable`: says that what it takes cannot be had. */
type EntriesParts = {
  shown: Shown;
  refusals: Refusals;
  keyField: KeyField;
  parcels: ReturnType<typeof takeParcels> | null;
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
    const [answer, catalogue] = await Promise.all([answerInFile(file), this.#parts.shown.getReady()]);
    await this.#open(answer, catalogue, { isShared: true, isOpened: true });
  }

  /** What stands after `#` in the address bar is a place that somebody shared. A lookup costs, so the visitor starts it. `words`: what to say then. */
  #follow(words: string) {
    const { parcels, withBatches } = this.#parts;
    const hash = location.hash.slice(1);
    const [shared, batch, question] = [answerIn(hash), batchIn(hash), questionIn(hash)];
    if (shared !== null) void this.#followAnswer(shared);
    if (batch !== null && has('batches')) withBatches((panel) => panel.follow(batch));
    if (question !== null && (question.kind !== 'area' || parcels)) this.#take(question, words);
    else if (shared === null && batch === null && isLink(location.hash)) say(texts.linkUnreadable);
  }

  /** Puts the question of a link into its field. `words`: what to say then. */
  #take(question: Question, words: string) {
    const { parcels, keyField, ask } = this.#parts;
    if (question.kind === 'area') parcels?.fill(question.geometry);
    else input('address').value = textOf(question);
    const example = exampleWith(({ address }) => address === textOf(question));
    if (example) {
      history.replaceState(null, '', urlOf(example));
      ask(example);
    } else if (keyField.valueOrFocus() !== null) {
      say(words);
      byId(question.kind === 'area' ? 'parcel-ask' : 'submit').focus();
    }
  }

  /** Shows the answer that stands in a link. */
  async #followAnswer(text: string) {
    const { hash } = location;
    const [answer, catalogue] = await Promise.all([answerInText(text), this.#parts.shown.getReady()]);
    if (hash === location.hash) await this.#open(answer, catalogue, { isShared: true });
  }

  /** Shows an answer that anybody can have written, which costs nothing. `answer` null: it cannot be read. */
  async #open(
    answer: SharedAnswer | null,
    catalogue: LayersBody | null,
    how: { isShared: true; isOpened?: true },
  ): Promise<void> {
    const { shown, unreachable } = this.#parts;
    if (catalogue === null) {
      unreachable();
      return;
    }
    try {
      if (answer === null || !isSharedAnswer(answer.question, answer.body, catalogue)) throw new Error('no answer');
      const { question, body, givenAt } = answer;
      await shown.open({ question, body, givenAt, catalogue: datedAs(catalogue, answer), ...how });
    } catch {
      shown.clear();
      say(how.isOpened ? texts.openedUnreadable : texts.sharedUnreadable);
    }
  }
}
