/** The answer that is shown, and what an answer needs besides itself. */
import type { Refusals } from './refusals.ts';
import { has, readLayers, readSettings, type AreaBody, type Body } from '../shared/api.ts';
import { byId, el, input, write } from '../shared/dom.ts';
import { fill, longMoment, texts } from '../shared/i18n.ts';
import { textOf } from '../shared/question.ts';
import { say } from '../shared/status.ts';
import { addResultStyles } from '../shared/styles.ts';
import type { MapPanel } from '../map/map-panel.ts';
import type { GivenAnswer } from '../shared/kept-answers.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';
import type * as views from '../answers/views.ts';

export type Views = typeof views;
type Comparisons = views.ComparePanel;

export class Shown {
  /** Null while there is none. */
  answer: GivenAnswer | null = null;
  /** The last address or point that was answered: its features lie around a parcel that is drawn there. */
  lastPlace: Body | null = null;
  #parts;
  /** The answer was given before. */
  #isKept = false;
  /** What shows answers; null until it is loaded. */
  #views: Views | null = null;
  #comparisons: Comparisons | null = null;

  constructor(parts: {
    panel: MapPanel;
    refusals: Refusals;
    comparing: ConstructorParameters<Views['ComparePanel']>[0];
  }) {
    this.#parts = parts;
  }

  /** Fetches what every answer needs besides itself. Null: it cannot be had. `snapshotId`: of the answer. */
  async getReady(snapshotId?: string): Promise<LayersBody | null> {
    try {
      const [catalogue] = await Promise.all([readLayers(snapshotId), this.loadViews()]);
      return catalogue;
    } catch {
      return null;
    }
  }

  async loadViews(): Promise<Views> {
    const [views] = await Promise.all([import('../answers/views.ts'), addResultStyles()]);
    if (!this.#views) this.#begin(views);
    this.#views = views;
    return views;
  }

  /** Makes work what belongs to answers. */
  #begin({ takeActions, tieRowsToMap, ComparePanel }: Views) {
    const { panel, comparing } = this.#parts;
    takeActions(
      () => this.answer,
      () => panel.preparePrint(),
    );
    if (has('maps')) tieRowsToMap(panel);
    if (has('compare')) this.#comparisons = new ComparePanel(comparing);
  }

  /** Shows an answer, once what shows answers is loaded. `isKept`: it was given before. */
  async show(answer: GivenAnswer, { isKept }: { isKept: boolean }) {
    this.#isKept = isKept;
    await this.#draw(answer, this.#parts.panel);
  }

  /** Shows the same in the language of the page. `withMap`: takes the map of the page. */
  async showAgain({ withMap }: { withMap: boolean }) {
    if (this.answer) await this.#draw(this.answer, withMap ? this.#parts.panel : null);
  }

  /** Shows an answer that cost nothing, also its question. */
  async open(answer: GivenAnswer) {
    input('address').value = textOf(answer.question);
    await this.show(answer, { isKept: true });
    byId('resolved').focus({ preventScroll: true });
  }

  /** Takes away what is shown. */
  clear() {
    this.answer = null;
    byId('anew').hidden = true;
    byId('result').hidden = true;
    document.title = texts.page.title;
    this.#parts.refusals.clear();
    say('');
  }

  async #draw(answer: GivenAnswer, map: MapPanel | null) {
    if (!this.#views) return;
    this.answer = answer;
    byId('result').classList.remove('old');
    noteOn(answer);
    this.#comparisons?.show(answer, this.#isKept);
    const { question, body, catalogue, givenAt, lookupId = null } = answer;
    const { baseMap, tileAttribution } = readSettings();
    const snapshotId = body.snapshot?.id ?? catalogue.snapshot.id;
    const baseMapCredit = baseMap?.attribution ?? tileAttribution;
    const sources = { snapshotId, givenAt, lookupId, baseMapCredit, question };
    const given = { body: body as AreaBody & Body, catalogue };
    if (question.kind === 'area') this.#views.renderArea({ ...given, sources });
    else this.#views.renderLookup({ ...given, sources });
    nameEntry(answer);
    if (question.kind !== 'area') this.lastPlace = given.body;
    if (!has('maps')) return;
    if (question.kind === 'area') await this.#views.drawArea({ ...given, geometry: question.geometry }, map);
    else await this.#views.drawLookup(given, map);
  }
}

/** Says of an answer that nobody asked for here what it is: an example below its place, a shared or opened one above it, as a warning. */
function noteOn({ body, givenAt, isShared = false, isOpened = false }: GivenAnswer) {
  const note = byId('answer-note');
  note.hidden = !isShared && !body.example;
  for (const id of ['answer-note', 'result']) byId(id).classList.toggle('shared', isShared);
  byId(isShared ? 'resolved' : 'faults').before(note);
  const words = isOpened ? texts.opened : isShared ? texts.shared : texts.example;
  write('answer-note', isShared && el('strong', texts.notFromHere), fill(words, { time: longMoment(givenAt) }));
}

/** The history and the tab name what is shown. */
function nameEntry({ isShared }: GivenAnswer) {
  const title = `${byId('resolved').textContent} · ${texts.page.title}`;
  document.title = isShared ? `${texts.notFromHere} · ${title}` : title;
}
