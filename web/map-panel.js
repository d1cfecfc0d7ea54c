/** The one map of the page. It is made when it is first shown, and stands beside an answer or where somebody chooses a point. */
import { byId, el } from './dom.js';
import { textsIn } from './i18n.js';

/**
 * @typedef {import('./map.js').LandMap} LandMap
 * @typedef {import('./session.js').Language} Language
 */

export class MapPanel {
  /** Null while there is none. @type {LandMap | null} */
  map = null;
  #settings;
  #onPoint;
  #label = '';
  /** Null where the browser cannot draw one. @type {Promise<LandMap | null> | null} */
  #making = null;

  /**
   * @param {import('./api.js').PageSettings} settings
   * @param {(point: import('./question.js').PointQuestion) => void} onPoint
   */
  constructor(settings, onPoint) {
    this.#settings = settings;
    this.#onPoint = onPoint;
    byId('ask-centre').addEventListener('click', () => {
      if (this.map) onPoint(this.map.centre());
    });
  }

  /**
   * Puts the map into a place of the page, and draws.
   * @param {string} slot id of an element
   * @param {{ language: Language, label: string, draw: (map: LandMap) => Promise<void> }} what label: what the map shows, for its picture in print
   */
  async put(slot, { language, label, draw }) {
    const frame = byId('map-frame');
    if (frame.parentElement?.id !== slot) {
      byId(slot).append(frame);
      // The picture of the map for print goes where the map goes.
      byId(slot).after(byId('map-print'));
    }
    this.#label = label;
    this.#making ??= import('./map.js')
      .then(({ makeMap }) => makeMap(byId('map'), this.#settings, this.#onPoint))
      .catch(() => null);
    this.map = await this.#making;
    byId('map-note').hidden = this.map === null;
    if (this.map) await draw(this.map);
    else byId('map').replaceChildren(el('p', { className: 'no-map' }, textsIn(language).noMap));
  }

  /**
   * A canvas prints blank or blurred, so the report carries a picture of it.
   * @returns {Promise<void>}
   */
  async preparePrint() {
    const image = /** @type {HTMLImageElement} */ (byId('map-print'));
    image.hidden = this.map === null;
    if (!this.map) return;
    image.src = this.map.picture();
    image.alt = this.#label;
    await image.decode();
  }
}
