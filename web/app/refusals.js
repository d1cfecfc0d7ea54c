/** A question that was refused: why, and the point on the map instead of an address that is not found. */
import { has } from '../shared/api.js';
import { offerPoint, placesNear } from './choose-point.js';
import { byId, input } from '../shared/dom.js';
import { textsIn } from '../shared/i18n.js';
import { hideProblem, offerRetry, showProblem } from '../shared/problem.js';
import { addResultStyles } from '../shared/styles.js';

/**
 * @typedef {import('../answers/answers.js').Body} Body
 * @typedef {import('../shared/api.js').PageSettings} PageSettings
 * @typedef {import('../map/drawings.js').KnownPlace} KnownPlace
 * @typedef {import('../shared/session.js').Language} Language
 * @typedef {{ failure: import('../shared/api.js').Failure, question: import('../shared/question.js').Question }} Refusal
 * @typedef {{
 *   language: () => Language, settings: PageSettings, panel: import('../map/map-panel.js').MapPanel,
 *   lookUp: (address: string) => void, retry: (question: import('../shared/question.js').Question) => void, around: () => Body | null,
 * }} RefusalOptions around: the last answer to a place, whose features a map has when there is no base map
 */

/** What may pass by itself. */
const RETRIED = new Set(['UNREACHABLE', 'TIMEOUT', 'DB_ERROR', 'INTERNAL']);

export class Refusals {
  #options;
  /** The one that is shown. @type {Refusal | null} */
  #refusal = null;

  /** @param {RefusalOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** @param {Refusal} refusal */
  show(refusal) {
    this.#refusal = refusal;
    const { failure, question } = refusal;
    const { language, lookUp, retry } = this.#options;
    showProblem(language(), failure, lookUp);
    if (RETRIED.has(failure.problem.code)) offerRetry(language(), () => retry(question));
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

  /**
   * Shows a map to choose a point on, with addresses that are known there.
   * @param {readonly KnownPlace[]} places
   */
  async choose(places) {
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

  /**
   * Offers the point on the map where there is something to find one's way by.
   * @param {Refusal} refusal
   * @param {string} address
   */
  async #offer(refusal, address) {
    const { settings, language } = this.#options;
    const places = await placesNear(address, refusal.failure.problem, input('key').value.trim());
    const hasBase = settings.baseMap !== null || settings.tileUrl !== null;
    if (this.#refusal !== refusal || (places.length === 0 && !hasBase)) return;
    offerPoint(language(), () => void this.choose(places));
  }
}
