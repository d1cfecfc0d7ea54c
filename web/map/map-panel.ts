/**
 * The one map of the page. It is made when it is first shown, and stands beside an answer or where somebody chooses a point. A browser that cannot draw
 * it shows its first picture.
 */
import { byId, el } from '../shared/dom.ts';
import { textsIn } from '../shared/i18n.ts';
import type * as Kinds from './map.ts';
import type { PageSettings } from '../shared/api.ts';
import type { PointQuestion } from '../shared/question.ts';
import type { Drawing } from './drawings.ts';
import type { LandMap } from './map.ts';
import type { Language } from '../shared/session.ts';

export class MapPanel {
  /** Null while there is none. */
  map: LandMap | null = null;
  /** Null where the page has no map: then nothing is drawn. */
  #frame = document.getElementById('map-frame');
  #settings;
  #onPoint;
  #label = '';
  #picture = document.getElementById('first-picture') as HTMLCanvasElement;
  /** Only the newest drawing is shown. */
  #turn = 0;
  /** Null where the browser cannot draw one. */
  #making: Promise<LandMap | null> | null = null;

  constructor(settings: PageSettings, onPoint: (point: PointQuestion) => void) {
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
   * Puts the map into a place of the page, and draws: at once a picture, then the map itself. Ends when that is drawn. `slot`: id of an element.
   * `label`: what the map shows.
   */
  async put(
    slot: string,
    { language, label, drawing }: { language: Language; label: string; drawing: (kinds: typeof Kinds) => Drawing },
  ) {
    if (!this.#frame) return;
    if (!this.isIn(slot)) {
      byId(slot).append(this.#frame);
      // The picture of the map for print goes where the map goes.
      byId(slot).after(byId('map-print'));
    }
    this.#label = label;
    const turn = ++this.#turn;
    const program = await import('./map.ts').catch(() => null);
    if (turn !== this.#turn) return;
    const drawn = program && drawing(program);
    if (drawn) {
      this.#picture.setAttribute('aria-label', label);
      program.drawFirst(this.#picture, drawn);
      this.#making ??= program.makeMap(byId('map'), this.#settings, this.#onPoint).catch(() => null);
    }
    this.map = await this.#making;
    // What it offers is no part of the preview of a parcel.
    byId('map-note').hidden = this.map === null || slot === 'parcel-slot';
    if (this.map && drawn) {
      await this.map.draw(drawn, { label, language });
      if (turn === this.#turn) this.#picture.hidden = true;
    } else {
      byId('map').replaceChildren(el('p', { className: 'no-map' }, textsIn(language).noMap));
    }
  }

  /** Says whether the map stands in a place of the page. */
  isIn(slot: string) {
    return this.#frame?.parentElement?.id === slot;
  }

  /** A canvas prints blank or blurred, so the report carries a picture of it. */
  async preparePrint(): Promise<void> {
    if (!this.#frame) return;
    const image = byId('map-print') as HTMLImageElement;
    image.hidden = this.#turn === 0;
    if (image.hidden) return;
    image.src = this.map?.picture() ?? this.#picture.toDataURL();
    image.alt = this.#label;
    await image.decode();
  }
}
