/** The map: the place, how uncertain it is, and what was found and lies near by. A click offers a point. */
import { baseOf } from './base-map.js';
import { el } from '../shared/dom.js';
import { MOST_ZOOM, PADDING_PX } from './first-picture.js';
import { hatchImage, labelImage } from './map-labels.js';
import { fullOpacity, HATCH } from './map-style.js';
import { sketchData } from './parcel-style.js';
import { PointOffer } from './point-offer.js';
import { MOST_UNCERTAINTY_M } from '../shared/question.js';
import { addStyles } from '../shared/styles.js';

export { drawingOfPoints } from './batch-map.js';
export { drawingOfAnswer, drawingOfArea, drawingToChoose } from './drawings.js';
export { drawFirst } from './first-picture.js';

/**
 * @typedef {import('../shared/api.js').PageSettings} PageSettings
 * @typedef {import('./drawings.js').Drawing} Drawing
 * @typedef {import('../shared/geojson-input.js').Position} Position
 * @typedef {import('../shared/question.js').PointQuestion} PointQuestion
 * @typedef {import('../shared/session.js').Language} Language
 * @typedef {{
 *   draw: (drawing: Drawing, how: { label: string, language: Language }) => Promise<void>,
 *   sketch: (corners: readonly Position[]) => void,
 *   show: (dataSet: string, visible: boolean) => void,
 *   highlight: (dataSets: readonly string[] | null) => void,
 *   onClick: (take: ((point: PointQuestion) => void) | null) => void,
 *   centre: () => PointQuestion,
 *   pixelsBetween: (a: Position, b: Position) => number,
 *   picture: () => string,
 * }} LandMap draw ends when it is drawn. sketch: a parcel that is being drawn. highlight: shows these data sets, also those that are switched off, and lets the others fade; null: as
 *   before. onClick: who gets the points that are clicked; null: they are offered. centre: the point in the middle.
 */

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

/**
 * Makes the map, empty. Its library is the largest file of the page by far, so it is made when it is first shown.
 * @param {HTMLElement} container
 * @param {PageSettings} settings
 * @param {(point: PointQuestion) => void} onPoint
 * @returns {Promise<LandMap>}
 */
export async function makeMap(container, settings, onPoint) {
  const [maplibre] = await Promise.all([library(settings), addStyles(`${settings.mapLibraryUrl}/maplibre-gl.css`)]);
  const map = new maplibre.Map({
    container,
    maxZoom: MOST_ZOOM,
    attributionControl: false,
    canvasContextAttributes: { preserveDrawingBuffer: true },
    fadeDuration: 0,
    // A page that is scrolled goes on over the map: zooming takes Ctrl and the wheel, moving two fingers.
    cooperativeGestures: true,
    locale: gestures[document.documentElement.lang === 'fr' ? 'fr' : 'en'],
  });
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right');
  map.addControl(new maplibre.ScaleControl({ maxWidth: 120 }), 'bottom-left');
  if (settings.baseMap || settings.tileUrl) map.addControl(new maplibre.AttributionControl({ compact: true }));
  /** @type {import('/vendor/maplibre-gl/maplibre-gl.mjs').Marker[]} */
  let labels = [];
  /** The language of what is drawn. @type {Language} */
  let spoken = 'en';
  const offer = new PointOffer(map, maplibre, onPoint);
  const offerIt = (/** @type {PointQuestion} */ point) => offer.mark(spoken, point);
  let take = offerIt;
  map.setMissingStyleImageResolver((id) => {
    const made = id === HATCH ? hatchImage() : labelImage(id);
    if (made && !map.hasImage(id)) map.addImage(id, made.image, made.options);
    return Promise.resolve();
  });
  map.on('mousemove', ({ point }) => {
    const found = map.queryRenderedFeatures(point).map(({ properties }) => properties['dataSet']);
    container.dispatchEvent(new CustomEvent('over', { detail: found }));
  });
  map.on('mouseout', () => container.dispatchEvent(new CustomEvent('over', { detail: [] })));
  map.on('click', ({ lngLat, point }) => take(pointAt(map, lngLat, point)));

  /** Data sets that are switched off. @type {Set<string>} */
  let off = new Set();
  const emphasize = (/** @type {readonly string[] | null} */ lit) => {
    for (const id of map.getLayersOrder()) {
      const layer = map.getLayer(id);
      const [dataSet = '', part] = id.split(':');
      if (!layer || !part || dataSet === 'quiet') continue;
      const isLit = lit?.includes(dataSet) ?? false;
      map.setLayoutProperty(id, 'visibility', isLit || !off.has(dataSet) ? 'visible' : 'none');
      const opacity = /** @type {'fill-opacity'} */ (`${layer.type}-opacity`);
      map.setPaintProperty(id, opacity, fullOpacity(dataSet, part) * (lit === null || isLit ? 1 : 0.15));
    }
  };
  return {
    draw: async ({ styleOf, bounds, off: switchedOff = new Set(), places = [] }, { label, language }) => {
      delete container.dataset['ready'];
      off = new Set(switchedOff);
      const base = await baseOf(settings, maplibre, language);
      spoken = language;
      offer.clear();
      for (const marker of labels.splice(0)) marker.remove();
      map.getCanvas().setAttribute('aria-label', label);
      map.resize();
      map.setStyle(styleOf(base), { diff: false });
      map.fitBounds([...bounds], { padding: PADDING_PX, duration: 0 });
      labels = places.map(({ text, lat, lon }) => {
        // The number is enough to find one's way along a street.
        const element = el('span', { className: 'map-label', 'aria-hidden': 'true' }, text.split(' ')[0]);
        return new maplibre.Marker({ element, anchor: 'bottom', offset: [0, -7] }).setLngLat([lon, lat]).addTo(map);
      });
      await new Promise((resolve) => map.once('idle', resolve));
      container.dataset['ready'] = 'true';
    },
    sketch: (corners) => {
      const source = /** @type {import('/vendor/maplibre-gl/maplibre-gl.mjs').GeoJSONSource | undefined} */ (
        map.getSource('sketch')
      );
      void source?.setData(/** @type {any} */ (sketchData(corners)));
    },
    show: (dataSet, visible) => {
      off[visible ? 'delete' : 'add'](dataSet);
      emphasize(null);
    },
    highlight: emphasize,
    onClick: (taker) => {
      offer.clear();
      take = taker ?? offerIt;
      // Two clicks beside each other are two corners.
      map.doubleClickZoom[taker ? 'disable' : 'enable']();
      map.getCanvas().style.cursor = taker ? 'crosshair' : '';
    },
    centre: () => pointAt(map, map.getCenter(), map.project(map.getCenter())),
    pixelsBetween: (a, b) => map.project(a).dist(map.project(b)),
    picture: () => map.getCanvas().toDataURL('image/png'),
  };
}

/**
 * @param {PageSettings} settings
 * @returns {Promise<typeof import('/vendor/maplibre-gl/maplibre-gl.mjs')>}
 */
const library = ({ mapLibraryUrl }) => import(`${mapLibraryUrl}/maplibre-gl.mjs`);

/**
 * The point under a pixel. How far a click may be off depends on the scale.
 * @param {import('/vendor/maplibre-gl/maplibre-gl.mjs').Map} map
 * @param {import('/vendor/maplibre-gl/maplibre-gl.mjs').LngLat} lngLat
 * @param {{ x: number, y: number }} pixel
 * @returns {PointQuestion}
 */
function pointAt(map, lngLat, { x, y }) {
  const offM = lngLat.distanceTo(map.unproject([x + REACH_PX, y]));
  return {
    kind: 'point',
    lat: Number(lngLat.lat.toFixed(5)),
    lon: Number(lngLat.lng.toFixed(5)),
    uncertaintyM: Math.min(Math.ceil(offM), MOST_UNCERTAINTY_M),
  };
}
