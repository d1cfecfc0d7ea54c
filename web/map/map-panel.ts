/**
 * The one map of the page. It is made when it is first shown, and stands beside an answer or where somebody chooses a point. A browser that cannot draw
 * it shows its first picture.
 */
import { button, byId, el, onClick, write } from '../shared/dom.ts';
import { metres, texts } from '../shared/i18n.ts';
import type * as Kinds from './map.ts';
import { has, type PageSettings } from '../shared/api.ts';
import type { Question } from '../shared/question.ts';
import type { Bounds, Drawing, View } from './drawings.ts';
import type { LandMap } from './map.ts';

/** Pixels of the printed map for one of the screen. */
const PAPER_SHARPNESS = 2;

export class MapPanel {
  /** Null while there is none. */
  map: LandMap | null = null;
  /** Null where the page has no map: then nothing is drawn. */
  #frame = document.getElementById('map-frame');
  #settings;
  #ask;
  #label = '';
  #picture = document.getElementById('first-picture') as HTMLCanvasElement;
  #views = el('div', { id: 'map-views', className: 'map-views', role: 'group', hidden: true });
  /** Null until something is drawn. `bounds`: as the reader chose. */
  #drawn: { drawing: Drawing; program: typeof Kinds; bounds: Bounds } | null = null;
  /** Only the newest drawing is shown. */
  #turn = 0;
  /** Null where the browser cannot draw one. */
  #making: Promise<LandMap | null> | null = null;

  constructor(settings: PageSettings, ask: (question: Question) => void) {
    this.#settings = settings;
    this.#ask = ask;
    if (!this.#frame) return;
    onClick('ask-centre', () => this.map && ask(this.map.centre()));
    // Whoever moves the map sees the map.
    for (const type of ['pointerdown', 'wheel', 'keydown'])
      byId('map').addEventListener(type, () => (this.#picture.hidden = this.map !== null), { passive: true });
    byId('map').before(this.#views);
    byId('map').addEventListener('moved', () => this.#press(null));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.refresh());
  }

  /**
   * Puts the map into a place of the page, and draws: at once a picture, then the map itself. Ends when that is drawn. `slot`: id of an element.
   * `label`: what the map shows.
   */
  async put(slot: string, label: string, drawing: (kinds: typeof Kinds) => Drawing) {
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
    const drawn = program && { drawing: drawing(program), program };
    if (drawn) {
      this.#drawn = { ...drawn, bounds: drawn.drawing.bounds };
      this.#picture.setAttribute('aria-label', label);
      this.#offerViews(drawn.drawing.views ?? []);
      this.#drawPicture();
      this.#making ??= this.#make(drawn.program);
    }
    this.map = await this.#making;
    // What it offers is no part of the preview of a parcel.
    byId('map-note').hidden = this.map === null || slot === 'parcel-slot';
    if (this.map && this.#drawn) {
      await this.map.draw(this.#drawn.drawing, { label, bounds: this.#drawn.bounds });
      if (turn === this.#turn) this.#picture.hidden = true;
    } else {
      write('map', el('p.no-map', texts.noMap));
    }
  }

  /** Null where the browser cannot draw one: the library is the largest file of the page, and of no use without WebGL. */
  async #make({ makeMap, drawParcels }: typeof Kinds): Promise<LandMap | null> {
    if (el('canvas').getContext('webgl2') === null) return null;
    const map = await makeMap(byId('map'), this.#settings, this.#ask).catch(() => null);
    if (map && has('areas')) drawParcels(map, (geometry) => this.#ask({ kind: 'area', geometry }));
    return map;
  }

  /** Says whether the map stands in a place of the page. */
  isIn(slot: string) {
    return this.#frame?.parentElement?.id === slot;
  }

  /** Draws the same again: what is switched on, or the ground, has changed. */
  refresh() {
    if (this.map) void this.map.refresh();
    if (!this.#picture.hidden) this.#drawPicture();
  }

  /** Lets some data sets stand out, by their ids; null: none. */
  highlight(dataSets: readonly string[] | null) {
    this.map?.highlight(dataSets);
    if (!this.#picture.hidden) this.#drawPicture(dataSets);
  }

  /** A canvas prints blank or blurred, so the report carries a picture of it, on light ground. */
  async preparePrint(): Promise<void> {
    if (!this.#frame) return;
    const image = byId('map-print') as HTMLImageElement;
    image.hidden = this.#drawn === null;
    if (image.hidden) return;
    image.src = this.map?.picture() ?? this.#pictureForPaper();
    image.alt = this.#label;
    await image.decode();
  }

  #drawPicture(lit: readonly string[] | null = null) {
    const picture = this.#picture;
    picture.hidden = false;
    if (!this.#drawn) return;
    const { program, drawing, bounds } = this.#drawn;
    const size = { width: picture.clientWidth, height: picture.clientHeight, sharpness: devicePixelRatio };
    program.drawFirst(picture, drawing, { bounds, ground: program.groundNow(), lit, ...size });
  }

  /** What the screen shows. */
  #pictureForPaper() {
    const paper = el('canvas');
    const { clientWidth: width, clientHeight: height } = byId('map');
    if (!this.#drawn) return '';
    const { program, drawing, bounds } = this.#drawn;
    const shown = this.map ? { bounds: this.map.bounds(), padding: 0 } : { bounds };
    program.drawFirst(paper, drawing, { ...shown, ground: program.LIGHT, width, height, sharpness: PAPER_SHARPNESS });
    return paper.toDataURL();
  }

  /** A button for each view, where there is a choice. */
  #offerViews(views: readonly View[]) {
    this.#views.hidden = views.length < 2;
    this.#views.setAttribute('aria-label', texts.mapViews);
    const buttons = views.map((view) => {
      const own = button(metres(view.aroundM), () => {
        if (this.#drawn) this.#drawn.bounds = view.bounds;
        this.map?.look(view.bounds);
        if (!this.#picture.hidden) this.#drawPicture();
        this.#press(own);
      });
      return own;
    });
    this.#views.replaceChildren(...buttons);
    this.#press(buttons[0] ?? null);
  }

  /** `pressed`: the button of the view that the map has; null when somebody moved it. */
  #press(pressed: Element | null) {
    for (const button of this.#views.children) button.setAttribute('aria-pressed', String(button === pressed));
  }
}
