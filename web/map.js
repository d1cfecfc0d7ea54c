/** The map: the place, how uncertain it is, and what was found and lies near by. */
import { colourOf, isShownFirst } from './palette.js';
import { circle, edgesOf } from './near-features.js';
import { addStyles } from './styles.js';

/**
 * @typedef {import('./answers.js').Body} Body
 * @typedef {import('./api.js').PageSettings} PageSettings
 * @typedef {Pick<Body, 'lat' | 'lon' | 'geometry'> & { geocode: Body['geocode'] | null }} Drawn
 * @typedef {{ draw: (body: Body, label: string) => Promise<void>, show: (dataSet: string, visible: boolean) => void, picture: () => string }} LandMap
 */

const PAPER = '#f2efe7';
const DISC = '#fffdf8';
const INK = '#1f2a30';

const paper = { id: 'paper', type: /** @type {const} */ ('background'), paint: { 'background-color': PAPER } };

/**
 * Makes the map, empty. Its library is the largest file of the page by far, so it is made with the first answer.
 * @param {HTMLElement} container
 * @param {PageSettings} settings
 * @returns {Promise<LandMap>}
 */
export async function makeMap(container, settings) {
  const [maplibre] = await Promise.all([library(settings), addStyles(`${settings.mapLibraryUrl}/maplibre-gl.css`)]);
  const map = new maplibre.Map({
    container,
    maxZoom: 19,
    attributionControl: false,
    canvasContextAttributes: { preserveDrawingBuffer: true },
    fadeDuration: 0,
  });
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right');
  map.addControl(new maplibre.ScaleControl({ maxWidth: 120 }), 'bottom-left');
  if (settings.tileUrl) map.addControl(new maplibre.AttributionControl({ compact: true }));
  /** @param {Drawn} body */
  const draw = async (body) => {
    const ring = circle(body, body.geometry?.radiusM ?? 1000);
    map.setStyle(styleOf(body, settings, ring), { diff: false });
    map.fitBounds(boundsOf(ring), { padding: 12, duration: 0 });
    await new Promise((resolve) => map.once('idle', resolve));
  };
  return {
    draw: async (body, label) => {
      delete container.dataset['ready'];
      map.getCanvas().setAttribute('aria-label', label);
      map.resize();
      await draw(body);
      container.dataset['ready'] = 'true';
    },
    show: (dataSet, visible) => {
      for (const { id } of map.getStyle().layers) {
        if (id.startsWith(`${dataSet}:`)) map.setLayoutProperty(id, 'visibility', visible ? 'visible' : 'none');
      }
    },
    picture: () => map.getCanvas().toDataURL('image/png'),
  };
}

/**
 * @param {PageSettings} settings
 * @returns {Promise<typeof import('/vendor/maplibre-gl/maplibre-gl.mjs')>}
 */
const library = ({ mapLibraryUrl }) => import(`${mapLibraryUrl}/maplibre-gl.mjs`);

/**
 * @param {Drawn} body
 * @param {PageSettings} settings
 * @param {[number, number][]} ring
 * @returns {any}
 */
function styleOf(body, settings, ring) {
  const features = body.geometry?.features ?? [];
  const reach = body.geometry?.radiusM ?? 1000;
  const dataSets = [...new Set(features.map(({ properties }) => properties.dataSet))];
  const uncertaintyM = body.geocode?.uncertaintyM ?? 0;
  const edges = features.flatMap((feature) =>
    edgesOf(feature, body, reach).map((coordinates) => ({
      type: 'Feature',
      properties: { dataSet: feature.properties.dataSet },
      geometry: { type: 'LineString', coordinates },
    })),
  );
  return {
    version: 8,
    sources: {
      ...(settings.tileUrl
        ? { base: { type: 'raster', tiles: [settings.tileUrl], tileSize: 256, attribution: settings.tileAttribution } }
        : {}),
      near: geojson(features),
      edges: geojson(edges),
      ring: geojson([polygon(ring)]),
      uncertainty: geojson([polygon(circle(body, Math.max(uncertaintyM, 1)))]),
      place: geojson([
        { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [body.lon, body.lat] } },
      ]),
    },
    layers: [
      paper,
      ...(settings.tileUrl
        ? [{ id: 'base', type: 'raster', source: 'base', paint: { 'raster-saturation': -0.6 } }]
        : []),
      {
        id: 'disc',
        type: 'fill',
        source: 'ring',
        paint: { 'fill-color': DISC, 'fill-opacity': settings.tileUrl ? 0.35 : 1 },
      },
      ...dataSets.flatMap(fills),
      ...dataSets.flatMap(strokes),
      { id: 'ring', type: 'line', source: 'ring', paint: { 'line-color': '#b9b2a2', 'line-dasharray': [3, 3] } },
      {
        id: 'uncertainty',
        type: 'fill',
        source: 'uncertainty',
        paint: { 'fill-color': '#d64933', 'fill-opacity': 0.18 },
      },
      {
        id: 'uncertainty-edge',
        type: 'line',
        source: 'uncertainty',
        paint: { 'line-color': '#d64933', 'line-width': 1.5 },
      },
      {
        id: 'place',
        type: 'circle',
        source: 'place',
        paint: {
          'circle-radius': 5.5,
          'circle-color': '#d64933',
          'circle-stroke-color': '#fff',
          'circle-stroke-width': 2,
        },
      },
    ],
  };
}

/** @param {string} dataSet */
function fills(dataSet) {
  const filter = ['all', ['==', ['get', 'dataSet'], dataSet], ['==', ['geometry-type'], 'Polygon']];
  const opacity = dataSet === 'ohn_waterbody' ? 0.6 : 0.22;
  return [
    {
      id: `${dataSet}:fill`,
      type: 'fill',
      source: 'near',
      filter,
      layout: { visibility: isShownFirst(dataSet) ? 'visible' : 'none' },
      paint: { 'fill-color': colourOf(dataSet), 'fill-opacity': opacity, 'fill-antialias': false },
    },
  ];
}

/** @param {string} dataSet */
function strokes(dataSet) {
  const ofSet = ['==', ['get', 'dataSet'], dataSet];
  const layout = { visibility: isShownFirst(dataSet) ? 'visible' : 'none' };
  const colour = colourOf(dataSet);
  return [
    {
      id: `${dataSet}:line`,
      type: 'line',
      source: 'edges',
      filter: ofSet,
      layout: { ...layout, 'line-join': 'round', 'line-cap': 'round' },
      paint: {
        'line-color': colour,
        'line-width': ['ohn_watercourse', 'orwn_track', 'utility_line'].includes(dataSet) ? 2.5 : 1.5,
        ...(dataSet === 'utility_line' || dataSet === 'orwn_track' ? { 'line-dasharray': [2, 1.5] } : {}),
      },
    },
    {
      id: `${dataSet}:point`,
      type: 'circle',
      source: 'near',
      filter: ['all', ofSet, ['==', ['geometry-type'], 'Point']],
      layout,
      paint: { 'circle-radius': 4.5, 'circle-color': colour, 'circle-stroke-color': INK, 'circle-stroke-width': 0.5 },
    },
  ];
}

/** @param {readonly unknown[]} features */
const geojson = (features) => ({ type: 'geojson', data: { type: 'FeatureCollection', features } });

/** @param {[number, number][]} ring */
const polygon = (ring) => ({ type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } });

/**
 * @param {[number, number][]} ring
 * @returns {[number, number, number, number]}
 */
function boundsOf(ring) {
  const lons = ring.map(([lon]) => lon);
  const lats = ring.map(([, lat]) => lat);
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)];
}
