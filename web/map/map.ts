/** The map: the place, how uncertain it is, and what was found and lies near by. A click offers a point. */
import { baseOf } from './base-map.ts';
import { el } from '../shared/dom.ts';
import { MOST_ZOOM, PADDING_PX } from './first-picture.ts';
import { hatchImage, labelImage } from './map-labels.ts';
import { fullOpacity, HATCH } from './map-style.ts';
import { sketchData } from './parcel-style.ts';
import { PointOffer } from './point-offer.ts';
import { MOST_UNCERTAINTY_M, type PointQuestion } from '../shared/question.ts';
import { addStyles } from '../shared/styles.ts';
import type * as library from '/vendor/maplibre-gl/maplibre-gl.mjs';
import type { GeoJSONSource, LngLat, Map, Marker, StyleSpecification } from '/vendor/maplibre-gl/maplibre-gl.mjs';
import type { PageSettings } from '../shared/api.ts';
import type { Drawing } from './drawings.ts';
import type { Position } from '../shared/geojson-input.ts';
import type { Language } from '../shared/session.ts';

export { drawingOfPoints } from './batch-map.ts';
export { drawingOfAnswer, drawingOfArea, drawingToChoose } from './drawings.ts';
export { drawFirst } from './first-picture.ts';

/**
 * Draw ends when it is drawn. `sketch`: a parcel that is being drawn. `highlight`: shows these data sets, also those that are switched off, and lets
 * the others fade; null: as before. `onClick`: who gets the points that are clicked; null: they are offered. `centre`: the point in the middle.
 */
export type LandMap = {
  draw: (drawing: Drawing, how: { label: string; language: Language }) => Promise<void>;
  sketch: (corners: readonly Position[]) => void;
  show: (dataSet: string, visible: boolean) => void;
  highlight: (dataSets: readonly string[] | null) => void;
  onClick: (take: ((point: PointQuestion) => void) | null) => void;
  centre: () => PointQuestion;
  pixelsBetween: (a: Position, b: Position) => number;
  picture: () => string;
};

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
export async function makeMap(
  container: HTMLElement,
  settings: PageSettings,
  onPoint: (point: PointQuestion) => void,
): Promise<LandMap> {
  const [maplibre] = await Promise.all([loadLibrary(settings), addStyles(`${settings.mapLibraryUrl}/maplibre-gl.css`)]);
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
  let labels: Marker[] = [];
  /** The language of what is drawn. */
  let spoken: Language = 'en';
  const offer = new PointOffer(map, maplibre, onPoint);
  const offerIt = (point: PointQuestion) => {
    offer.mark(spoken, point);
  };
  let take = offerIt;
  map.setMissingStyleImageResolver((id) => {
    const made = id === HATCH ? hatchImage() : labelImage(id);
    if (made && !map.hasImage(id)) map.addImage(id, made.image, made.options);
    return Promise.resolve();
  });
  map.on('mousemove', ({ point }) => {
    const found = map.queryRenderedFeatures(point).map(({ properties }) => properties['dataSet'] as string);
    container.dispatchEvent(new CustomEvent('over', { detail: found }));
  });
  map.on('mouseout', () => container.dispatchEvent(new CustomEvent('over', { detail: [] })));
  map.on('click', ({ lngLat, point }) => {
    take(pointAt(map, lngLat, point));
  });

  /** Data sets that are switched off. */
  let off = new Set<string>();
  const emphasize = (lit: readonly string[] | null) => {
    for (const id of map.getLayersOrder()) {
      const layer = map.getLayer(id);
      const [dataSet = '', part] = id.split(':');
      if (!layer || !part || dataSet === 'quiet') continue;
      const isLit = lit?.includes(dataSet) ?? false;
      map.setLayoutProperty(id, 'visibility', isLit || !off.has(dataSet) ? 'visible' : 'none');
      const opacity = `${layer.type}-opacity` as 'fill-opacity';
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
      map.setStyle(styleOf(base) as StyleSpecification, { diff: false });
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
      const source = map.getSource<GeoJSONSource>('sketch');
      void source?.setData(sketchData(corners) as Parameters<GeoJSONSource['setData']>[0]);
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
