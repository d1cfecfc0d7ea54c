/** The one map of the page. It is made when it is first shown, and stands beside an answer or where somebody chooses a point. A browser that cannot draw it shows its first picture. */
import { byId, el } from '../shared/dom.js';
import { textsIn } from '../shared/i18n.js';

/**
 * @typedef {import('./drawings.js').Drawing} Drawing
 * @typedef {import('./map.js').LandMap} LandMap
 * @typedef {import('../shared/session.js').Language} Language
 */

export class MapPanel {
  /** Null while there is none. @type {LandMap | null} */
  map = null;
  /** Null where the page has no map: then nothing is drawn. */
  #frame = document.getElementById('map-frame');
  #settings;
  #onPoint;
  #label = '';
  #picture = /** @type {HTMLCanvasElement} */ (document.getElementById('first-picture'));
  /** Only the newest drawing is shown. */
  #turn = 0;
  /** Null where the browser cannot draw one. @type {Promise<LandMap | null> | null} */
  #making = null;

  /**
   * @param {import('../shared/api.js').PageSettings} settings
   * @param {(point: import('../shared/question.js').PointQuestion) => void} onPoint
   */
  constructor(settings, onPoint) {
    this.#settings = settings;
    this.#onPoint = onPoint;
    if (!this.#frame) return;
    byId('ask-centre').addEventListener('click', () => {
      if (this.map) onPoint(this.map.centre());
    });
    // Whoever moves the map sees the map.
    for (const type of ['pointerdown', 'wheel', 'keydown'])
      byId('map').addEventListener(type, () => (this.#picture.hidden = this.map !== null), { passive: true });
  }

  /**
   * Puts the map into a place of the page, and draws: at once a picture, then the map itself. Ends when that is drawn.
   * @param {string} slot id of an element
   * @param {{ language: Language, label: string, drawing: (kinds: typeof import('./map.js')) => Drawing }} what label: what the map shows
   */
  async put(slot, { language, label, drawing }) {
    if (!this.#frame) return;
    if (!this.isIn(slot)) {
      byId(slot).append(this.#frame);
      // The picture of the map for print goes where the map goes.
      byId(slot).after(byId('map-print'));
    }
    this.#label = label;
    const turn = ++this.#turn;
    const program = await import('./map.js').catch(() => null);
    if (turn !== this.#turn) return;
    const drawn = program && drawing(program);
    if (drawn) {
      this.#picture.setAttribute('aria-label', label);
      program.drawFirst(this.#picture, drawn);
      this.#making ??= program.makeMap(byId('map'), this.#settings, this.#onPoint).catch(() => null);
    }
    this.map = await this.#making;
    byId('map-note').hidden = this.map === null;
    if (this.map && drawn) {
      await this.map.draw(drawn, { label, language });
      if (turn === this.#turn) this.#picture.hidden = true;
    } else {
      byId('map').replaceChildren(el('p', { className: 'no-map' }, textsIn(language).noMap));
    }
  }

  /**
   * Says whether the map stands in a place of the page.
   * @param {string} slot
   */
  isIn(slot) {
    return this.#frame?.parentElement?.id === slot;
  }

  /**
   * A canvas prints blank or blurred, so the report carries a picture of it.
   * @returns {Promise<void>}
   */
  async preparePrint() {
    if (!this.#frame) return;
    const image = /** @type {HTMLImageElement} */ (byId('map-print'));
    image.hidden = this.#turn === 0;
    if (image.hidden) return;
    image.src = this.map?.picture() ?? this.#picture.toDataURL();
    image.alt = this.#label;
    await image.decode();
  }
}
