/** A question that was refused: why, and the point on the map instead of an address that is not found. */
import { has, readSettings, suggest, type Body, type Failure, type Problem } from '../shared/api.ts';
import { button, byId, el, input } from '../shared/dom.ts';
import { texts } from '../shared/i18n.ts';
import { hideProblem, offerMeant, offerRetry, showProblem } from '../shared/problem.ts';
import { meantBy, type Question } from '../shared/question.ts';
import { addResultStyles } from '../shared/styles.ts';
import type { KnownPlace } from '../map/drawings.ts';
import type { MapPanel } from '../map/map-panel.ts';
import type { Suggestion } from '../../src/messages/lookup.ts';

export type Refusal = { failure: Failure; question: Question };
/** `around`: the last answer to a place, whose features a map has when there is no base map. */
type RefusalOptions = {
  panel: MapPanel;
  lookUp: (address: string) => void;
  retry: (question: Question) => void;
  around: () => Body | null;
};

/** What may pass by itself. */
const RETRIED = new Set(['UNREACHABLE', 'TIMEOUT', 'NO_ANSWER', 'DB_ERROR', 'INTERNAL']);

/** As the service gives. */
const MOST_PLACES = 10;

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
    const { lookUp, retry } = this.#options;
    showProblem(failure, lookUp, question.kind === 'address' ? {} : texts.outside[question.kind]);
    const meant = meantBy(question, failure.problem.hint);
    if (meant !== null) offerMeant(meant, () => retry(meant));
    if (RETRIED.has(failure.problem.code)) offerRetry(() => retry(question));
    if (failure.problem.code === 'ADDRESS_NOT_FOUND' && question.kind === 'address' && has('maps'))
      void this.#offerPoint(refusal, question.address);
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
    byId('choose').hidden = false;
    byId('choose-heading').focus();
    await addResultStyles();
    await panel.put('choose-slot', texts.chooseMap, (kinds) => kinds.drawingToChoose(places, around()));
  }

  /** Adds the offer to the problem that is shown, where there is something to find one's way by. */
  async #offerPoint(refusal: Refusal, address: string) {
    const { baseMap, tileUrl } = readSettings();
    const places = await placesNear(address, refusal.failure.problem, input('key').value.trim());
    if (this.#refusal !== refusal || (places.length === 0 && baseMap === null && tileUrl === null)) return;
    const open = () => this.choose(places);
    byId('problem').append(
      el('p.offer', texts.pointOffer),
      button(texts.choosePoint, open, { id: 'offer-point', className: 'suggestion' }),
    );
  }
}

/** Finds addresses near the one that was refused, to find one's way by: those that the refusal suggests, otherwise those that begin like it. */
async function placesNear(address: string, { suggestions = [] }: Problem, key: string): Promise<readonly KnownPlace[]> {
  const found = await Promise.all(suggestions.map((text) => suggest(text, { key, limit: 1 })));
  const suggested = placesIn(found.flat());
  return suggested.length > 0 ? suggested : placesIn(await suggest(address, { key, limit: MOST_PLACES }));
}

const placesIn = (suggestions: readonly Suggestion[]): KnownPlace[] =>
  suggestions.flatMap(({ text, lat, lon }) => (lat === undefined || lon === undefined ? [] : [{ text, lat, lon }]));
