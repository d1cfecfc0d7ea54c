/** A click on the map marks a point and offers it. Asking for it costs a lookup, so that only a button does it. */
import { el } from '../shared/dom.js';
import { coordinatesOf, fill, metres, textsIn } from '../shared/i18n.js';
import { spendingWords } from '../shared/spending.js';
import { say } from '../shared/status.js';

/**
 * @typedef {import('../shared/question.js').PointQuestion} PointQuestion
 * @typedef {import('../shared/session.js').Language} Language
 * @typedef {import('/vendor/maplibre-gl/maplibre-gl.mjs').Map} Map
 * @typedef {typeof import('/vendor/maplibre-gl/maplibre-gl.mjs')} MapLibrary
 */

/** Within this time the map takes a second tap for a double tap, which zooms, and browsers a second click. */
const DOUBLE_TAP_MS = 500;

const INK = '#1f2a30';

export class PointOffer {
  #map;
  #pin;
  #ask;
  /** Null while nothing is offered. @type {HTMLElement | null} */
  #box = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #soon;

  /**
   * @param {Map} map
   * @param {MapLibrary} maplibre
   * @param {(point: PointQuestion) => void} ask
   */
  constructor(map, maplibre, ask) {
    this.#map = map;
    this.#ask = ask;
    this.#pin = new maplibre.Marker({ color: INK, className: 'point-pin' });
    map.on('dblclick', () => this.clear());
    // Of a double tap. Whoever zooms later, to see the point, keeps the offer.
    map.on('zoomstart', () => {
      if (this.#box === null) this.clear();
    });
    map.getContainer().addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.clear();
    });
  }

  /**
   * Marks the point at once, and offers it when no second click makes it a double click.
   * @param {Language} language
   * @param {PointQuestion} point
   */
  mark(language, point) {
    this.clear();
    this.#pin.setLngLat([point.lon, point.lat]).addTo(this.#map);
    this.#pin.getElement().setAttribute('aria-hidden', 'true');
    this.#soon = setTimeout(() => this.#offer(language, point), DOUBLE_TAP_MS);
  }

  clear() {
    clearTimeout(this.#soon);
    this.#pin.remove();
    this.#box?.remove();
    this.#box = null;
  }

  /**
   * Focus stays on the map: whoever goes on with the space bar or Enter must not press the button by it.
   * @param {Language} language
   * @param {PointQuestion} point
   */
  #offer(language, point) {
    const { pointOffered, page } = textsIn(language);
    const place = `${coordinatesOf(language, point)} ±${metres(language, point.uncertaintyM)}`;
    const ask = () => {
      this.clear();
      this.#ask(point);
    };
    const container = this.#map.getContainer();
    const isLow = this.#map.project([point.lon, point.lat]).y > container.clientHeight / 2;
    this.#box = el(
      'div',
      { className: `point-offer ${isLow ? 'above' : 'below'}`, role: 'group', 'aria-label': pointOffered.label },
      el('p', {}, el('strong', {}, place)),
      el('p', {}, spendingWords(language)),
      el('button', { type: 'button', id: 'ask-point', className: 'primary', onclick: ask }, pointOffered.ask),
      el('button', { type: 'button', onclick: () => this.clear() }, page.drawCancel),
    );
    container.append(this.#box);
    this.#box.scrollIntoView({ block: 'nearest' });
    say(fill(pointOffered.marked, { place }), { quiet: true });
  }
}
