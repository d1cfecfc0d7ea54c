/** A question that was refused: why, and the point on the map instead of an address that is not found. */
import { has, type PageSettings, type Failure } from '../shared/api.ts';
import { offerPoint, placesNear } from './choose-point.ts';
import { byId, input } from '../shared/dom.ts';
import { textsIn } from '../shared/i18n.ts';
import { hideProblem, offerMeant, offerRetry, showProblem } from '../shared/problem.ts';
import { addResultStyles } from '../shared/styles.ts';
import type { Body } from '../shared/api.ts';
import type { KnownPlace } from '../map/drawings.ts';
import type { Language } from '../shared/session.ts';
import { meantBy, type Question } from '../shared/question.ts';
import type { MapPanel } from '../map/map-panel.ts';

export type Refusal = { failure: Failure; question: Question };
/** `around`: the last answer to a place, whose features a map has when there is no base map. */
type RefusalOptions = {
  language: () => Language;
  settings: PageSettings;
  panel: MapPanel;
  lookUp: (address: string) => void;
  retry: (question: Question) => void;
  around: () => Body | null;
};

/** What may pass by itself. */
const RETRIED = new Set(['UNREACHABLE', 'TIMEOUT', 'DB_ERROR', 'INTERNAL']);

export class Refusals {
  #options;
  /** The one that is shown. */
  #refusal: Refusal | null = null;

  constructor(options: RefusalOptions) {
    this.#options = options;
  }

  show(refusal: Refusal) {
    this.#refusal = refusal;
    const { failure, question } = refusal;
    const { language, lookUp, retry } = this.#options;
    const words = question.kind === 'address' ? {} : textsIn(language()).outside[question.kind];
    showProblem(language(), failure, lookUp, words);
    const meant = meantBy(question, failure.problem.hint);
    if (meant !== null)
      offerMeant(language(), meant, () => {
        retry(meant);
      });
    if (RETRIED.has(failure.problem.code))
      offerRetry(language(), () => {
        retry(question);
      });
    if (failure.problem.code === 'ADDRESS_NOT_FOUND' && question.kind === 'address' && has('maps'))
      void this.#offer(refusal, question.address);
  }

  clear() {
    this.#refusal = null;
    hideProblem();
  }

  translate() {
    if (this.#refusal) this.show(this.#refusal);
  }

  /** Shows a map to choose a point on, with addresses that are known there. */
  async choose(places: readonly KnownPlace[]) {
    const { panel, around } = this.#options;
    const language = this.#options.language();
    const label = textsIn(language).chooseMap;
    byId('choose').hidden = false;
    byId('choose-heading').focus();
    await addResultStyles();
    await panel.put('choose-slot', {
      language,
      label,
      drawing: (kinds) => kinds.drawingToChoose(places, around()),
    });
  }

  /** Offers the point on the map where there is something to find one's way by. */
  async #offer(refusal: Refusal, address: string) {
    const { settings, language } = this.#options;
    const places = await placesNear(address, refusal.failure.problem, input('key').value.trim());
    const hasBase = settings.baseMap !== null || settings.tileUrl !== null;
    if (this.#refusal !== refusal || (places.length === 0 && !hasBase)) return;
    offerPoint(language(), () => void this.choose(places));
  }
}
