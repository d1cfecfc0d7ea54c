/** The map: the place, how uncertain it is, and what was found and lies near by. A click offers a point. Beneath lies the operator's own map, if any. */
import { el, button } from '../shared/dom.ts';
import { language, coordinatesOf, fill, metres, texts } from '../shared/i18n.ts';
import { MOST_ZOOM, PADDING_PX } from './first-picture.ts';
import { hatchCanvas, imageOf, labelCanvas } from './map-labels.ts';
import { HATCH, sketchData, type Base } from './map-style.ts';
import { DARK, groundNow, LIGHT, type Ground } from './palette.ts';
import { MOST_UNCERTAINTY_M, type PointQuestion } from '../shared/question.ts';
import { addStyles } from '../shared/styles.ts';
import { spendingWords } from '../shared/spending.ts';
import { say } from '../shared/status.ts';
import type { GeoJSONSource, LngLat, Map, Marker, StyleSpecification } from '/vendor/maplibre-gl/maplibre-gl.mjs';
import type { PageSettings } from '../shared/api.ts';
import type { Bounds, Drawing } from './drawings.ts';
import type { Position } from '../shared/area.ts';
import type * as library from '/vendor/maplibre-gl/maplibre-gl.mjs';

export { drawParcels } from './draw-parcel.ts';
export { drawingOfAnswer, drawingOfArea, drawingOfPoints, drawingToChoose } from './drawings.ts';
export { drawFirst } from './first-picture.ts';
export { groundNow, LIGHT } from './palette.ts';

/**
 * Draw ends when it is drawn; `refresh` draws the same again, for another ground or with other data sets switched on. `look`: at other bounds. `sketch`: a
 * parcel that is being drawn. `highlight`: shows these data sets, also those that are switched off, and lets the others fade; null: as before. `onClick`: who
 * gets the points that are clicked; null: they are offered. `centre`: the point in the middle. `picture`: with the map beneath, on light ground; null where
 * there is no such picture. The container hears `over`, with the data sets under the pointer, and `moved` when somebody moved the map.
 */
export type LandMap = Awaited<ReturnType<typeof makeMap>>;

/** Pixels that a finger or a pointer may be off. */
const REACH_PX = 6;

const gestures = {
  en: {
    'CooperativeGesturesHandler.WindowsHelpText': 'Hold Ctrl and scroll to zoom the map',
    'CooperativeGesturesHandler.MacHelpText': 'Hold ⌘ and scroll to zoom the map',
    'CooperativeGesturesHandler.MobileHelpText': 'Move the map with two fingers',
  },
  fr: {
    'CooperativeGesturesHandler.WindowsHelpText': 'Tenez Ctrl et faites défiler pour agrandir la carte',
    'CooperativeGesturesHandler.MacHelpText': 'Tenez ⌘ et faites défiler pour agrandir la carte',
    'CooperativeGesturesHandler.MobileHelpText': 'Déplacez la carte avec deux doigts',
  },
};

/** Makes the map, empty. Its library is the largest file of the page by far, so it is made when it is first shown. */
export async function makeMap(container: HTMLElement, settings: PageSettings, onPoint: (point: PointQuestion) => void) {
  const [maplibre] = await Promise.all([loadLibrary(settings), addStyles(`${settings.mapLibraryUrl}/maplibre-gl.css`)]);
  const map = new maplibre.Map({
    container,
    maxZoom: MOST_ZOOM,
    attributionControl: false,
    canvasContextAttributes: { preserveDrawingBuffer: true },
    fadeDuration: 0,
    // A page that is scrolled goes on over the map: zooming takes Ctrl and the wheel, moving two fingers.
    cooperativeGestures: true,
    locale: gestures[language],
  });
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right');
  map.addControl(new maplibre.ScaleControl({ maxWidth: 120 }), 'bottom-left');
  if (settings.baseMap || settings.tileUrl) map.addControl(new maplibre.AttributionControl({ compact: true }));
  let labels: Marker[] = [];
  /** What is drawn, on which ground and map beneath, with which parcel above it. */
  let drawn: Drawing | null = null;
  let ground: Ground = groundNow();
  let base: Base = { sources: {}, layers: [] };
  let corners: readonly Position[] = [];
  const offer = new PointOffer(map, maplibre, onPoint);
  const offerIt = (point: PointQuestion) => offer.mark(point);
  let take = offerIt;
  map.setMissingStyleImageResolver((id) => {
    const canvas = id === HATCH ? hatchCanvas() : labelCanvas(id, ground);
    const made = canvas && imageOf(canvas);
    if (made && !map.hasImage(id)) map.addImage(id, made.image, made.options);
    return Promise.resolve();
  });
  const tell = (name: string, detail?: unknown) => container.dispatchEvent(new CustomEvent(name, { detail }));
  map.on('mousemove', ({ point }) => {
    const found = map.queryRenderedFeatures(point).map(({ properties }) => properties['dataSet'] as string);
    tell('over', found);
  });
  map.on('mouseout', () => tell('over', []));
  map.on('click', ({ lngLat, point }) => take(pointAt(map, lngLat, point)));
  map.on('movestart', ({ originalEvent }) => {
    if (originalEvent) tell('moved');
  });

  const sketch = (drawing: readonly Position[]) => {
    corners = drawing;
    const source = map.getSource<GeoJSONSource>('sketch');
    void source?.setData(sketchData(corners) as Parameters<GeoJSONSource['setData']>[0]);
  };
  const paint = async (drawing: Drawing) => {
    delete container.dataset['ready'];
    base = await baseOf(settings, maplibre, groundNow() === DARK);
    ground = groundNow();
    map.setStyle(drawing.styleOf({ base, ground, lit: null }) as StyleSpecification, { diff: false });
    await new Promise((resolve) => map.once('idle', resolve));
    if (corners.length > 0) sketch(corners);
    container.dataset['ready'] = 'true';
  };
  return {
    draw: async (drawing: Drawing, { label, bounds }: { label: string; bounds: Bounds }) => {
      drawn = drawing;
      offer.clear();
      for (const marker of labels.splice(0)) marker.remove();
      map.getCanvas().setAttribute('aria-label', label);
      map.resize();
      map.fitBounds([...bounds], { padding: PADDING_PX, duration: 0 });
      labels = (drawing.places ?? []).map(({ text, lat, lon }) => {
        // The number is enough to find one's way along a street.
        const element = el('span.map-label', { 'aria-hidden': 'true' }, text.split(' ')[0]);
        return new maplibre.Marker({ element, anchor: 'bottom', offset: [0, -7] }).setLngLat([lon, lat]).addTo(map);
      });
      await paint(drawing);
    },
    refresh: async () => {
      if (drawn) await paint(drawn);
    },
    look: (bounds: Bounds) => {
      offer.clear();
      map.fitBounds([...bounds], { padding: PADDING_PX });
    },
    bounds: () => map.getBounds().toArray().flat() as unknown as Bounds,
    sketch,
    highlight: (lit: readonly string[] | null) => {
      for (const { id, layout, paint = {} } of drawn?.styleOf({ base, ground, lit }).layers ?? []) {
        if (layout?.['visibility'] === undefined || !map.getLayer(id)) continue;
        map.setLayoutProperty(id, 'visibility', layout['visibility'] as 'visible' | 'none');
        for (const name of Object.keys(paint).filter((one) => one.endsWith('-opacity')))
          map.setPaintProperty(id, name as 'fill-opacity', paint[name] as number);
      }
    },
    onClick: (taker: ((point: PointQuestion) => void) | null) => {
      offer.clear();
      take = taker ?? offerIt;
      // Two clicks beside each other are two corners.
      map.doubleClickZoom[taker ? 'disable' : 'enable']();
      map.getCanvas().style.cursor = taker ? 'crosshair' : '';
    },
    centre: () => pointAt(map, map.getCenter(), map.project(map.getCenter())),
    pixelsBetween: (a: Position, b: Position) => map.project(a).dist(map.project(b)),
    picture: () => (base.layers.length > 0 && ground === LIGHT ? map.getCanvas().toDataURL('image/png') : null),
  };
}

const loadLibrary = ({ mapLibraryUrl }: PageSettings) =>
  import(`${mapLibraryUrl}/maplibre-gl.mjs`) as Promise<typeof library>;

/** The point under a pixel. How far a click may be off depends on the scale. */
function pointAt(map: Map, lngLat: LngLat, { x, y }: { x: number; y: number }): PointQuestion {
  const offM = lngLat.distanceTo(map.unproject([x + REACH_PX, y]));
  return {
    kind: 'point',
    lat: Number(lngLat.lat.toFixed(5)),
    lon: Number(lngLat.lng.toFixed(5)),
    uncertaintyM: Math.min(Math.ceil(offM), MOST_UNCERTAINTY_M),
  };
}

type MapLibrary = typeof library;

const NOTHING: Base = { sources: {}, layers: [] };

/** Returns the base map that the operator has set up. One that cannot be had is left out: the answers are complete without it. */
export async function baseOf(
  { baseMap, tileUrl, tileAttribution }: PageSettings,
  maplibre: MapLibrary,
  isDark: boolean,
): Promise<Base> {
  if (baseMap) return ownTiles(baseMap, maplibre, isDark).catch(() => NOTHING);
  if (tileUrl === null) return NOTHING;
  return {
    sources: { base: { type: 'raster', tiles: [tileUrl], tileSize: 256, attribution: tileAttribution } },
    layers: [{ id: 'base', type: 'raster', source: 'base', paint: isDark ? DIMMED : { 'raster-saturation': -0.6 } }],
  };
}

/** Pictures of a light map, for dark ground. */
const DIMMED = { 'raster-saturation': -0.8, 'raster-brightness-max': 0.45 };

type TileReader = Parameters<MapLibrary['addProtocol']>[1];

let reader: Promise<void> | null = null;

async function ownTiles(
  { tilesUrl, layersUrls, readerUrl, attribution }: NonNullable<PageSettings['baseMap']>,
  maplibre: MapLibrary,
  isDark: boolean,
): Promise<Base> {
  reader ??= addScript(readerUrl).then(() => {
    const { pmtiles } = globalThis as unknown as { pmtiles: { Protocol: new () => { tile: TileReader } } };
    maplibre.addProtocol('pmtiles', new pmtiles.Protocol().tile);
  });
  const [layers] = await Promise.all([layersFrom(layersUrls[`${language}-${isDark ? 'dark' : 'light'}`]), reader]);
  const url = `pmtiles://${new URL(tilesUrl, location.href)}`;
  return { sources: { basemap: { type: 'vector', url, attribution } }, layers };
}

async function layersFrom(url: string): Promise<Base['layers']> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return (await response.json()) as Base['layers'];
}

/** A program that is no module. */
function addScript(src: string): Promise<void> {
  const script = el('script', { src });
  const loading = new Promise<void>((resolve, reject) => {
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${src} cannot be had`)));
  });
  document.head.append(script);
  return loading;
}

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
