/** A click on the map marks a point and offers it. Asking for it costs a lookup, so that only a button does it. */
import { button, el } from '../shared/dom.ts';
import { coordinatesOf, fill, metres, texts } from '../shared/i18n.ts';
import { spendingWords } from '../shared/spending.ts';
import { say } from '../shared/status.ts';
import type { PointQuestion } from '../shared/question.ts';
import type * as library from '/vendor/maplibre-gl/maplibre-gl.mjs';
import type { Map } from '/vendor/maplibre-gl/maplibre-gl.mjs';

type MapLibrary = typeof library;

/** Within this time the map takes a second tap for a double tap, which zooms, and browsers a second click. */
const DOUBLE_TAP_MS = 500;

const INK = '#1f2a30';

export class PointOffer {
  #map;
  #pin;
  #ask;
  /** Null while nothing is offered. */
  #box: HTMLElement | null = null;
  #soon: ReturnType<typeof setTimeout> | undefined;

  constructor(map: Map, maplibre: MapLibrary, ask: (point: PointQuestion) => void) {
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

  /** Marks the point at once, and offers it when no second click makes it a double click. */
  mark(point: PointQuestion) {
    this.clear();
    this.#pin.setLngLat([point.lon, point.lat]).addTo(this.#map);
    this.#pin.getElement().setAttribute('aria-hidden', 'true');
    this.#soon = setTimeout(() => this.#offer(point), DOUBLE_TAP_MS);
  }

  clear() {
    clearTimeout(this.#soon);
    this.#pin.remove();
    this.#box?.remove();
    this.#box = null;
  }

  /** Focus stays on the map: whoever goes on with the space bar or Enter must not press the button by it. */
  #offer(point: PointQuestion) {
    const { pointOffered, page } = texts;
    const place = `${coordinatesOf(point)} ±${metres(point.uncertaintyM)}`;
    const ask = () => {
      this.clear();
      this.#ask(point);
    };
    const container = this.#map.getContainer();
    const isLow = this.#map.project([point.lon, point.lat]).y > container.clientHeight / 2;
    this.#box = el(
      'div',
      { className: `point-offer ${isLow ? 'above' : 'below'}`, role: 'group', 'aria-label': pointOffered.label },
      el('p', el('strong', place)),
      el('p', spendingWords()),
      button(pointOffered.ask, ask, { id: 'ask-point', className: 'primary' }),
      button(page.drawCancel, () => this.clear()),
    );
    container.append(this.#box);
    this.#box.scrollIntoView({ block: 'nearest' });
    say(fill(pointOffered.marked, { place }), { quiet: true });
  }
}
