/** The map beneath the answers, from this machine or from a tile server; where there is none, the map has only what was answered. */

/**
 * @typedef {import('../shared/api.js').PageSettings} PageSettings
 * @typedef {import('./map-style.js').Base} Base
 * @typedef {import('../shared/session.js').Language} Language
 * @typedef {typeof import('/vendor/maplibre-gl/maplibre-gl.mjs')} MapLibrary
 */

/** @type {Base} */
const NOTHING = { sources: {}, layers: [] };

/**
 * Returns the base map that the operator has set up. One that cannot be had is left out: the answers are complete without it.
 * @param {PageSettings} settings
 * @param {MapLibrary} maplibre
 * @param {Language} language
 * @returns {Promise<Base>}
 */
export async function baseOf({ baseMap, tileUrl, tileAttribution }, maplibre, language) {
  if (baseMap) return ownTiles(baseMap, maplibre, language).catch(() => NOTHING);
  if (tileUrl === null) return NOTHING;
  return {
    sources: { base: { type: 'raster', tiles: [tileUrl], tileSize: 256, attribution: tileAttribution } },
    layers: [{ id: 'base', type: 'raster', source: 'base', paint: { 'raster-saturation': -0.6 } }],
  };
}

/** @type {Promise<void> | null} */
let reader = null;

/**
 * @param {NonNullable<PageSettings['baseMap']>} baseMap
 * @param {MapLibrary} maplibre
 * @param {Language} language
 * @returns {Promise<Base>}
 */
async function ownTiles({ tilesUrl, layersUrls, readerUrl, attribution }, maplibre, language) {
  reader ??= addScript(readerUrl).then(() => {
    const { pmtiles } = /** @type {any} */ (globalThis);
    maplibre.addProtocol('pmtiles', new pmtiles.Protocol().tile);
  });
  const [layers] = await Promise.all([layersFrom(layersUrls[language]), reader]);
  const url = `pmtiles://${new URL(tilesUrl, location.href)}`;
  return { sources: { basemap: { type: 'vector', url, attribution } }, layers };
}

/**
 * @param {string} url
 * @returns {Promise<any[]>}
 */
async function layersFrom(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

/**
 * A program that is no module.
 * @param {string} src
 * @returns {Promise<void>}
 */
function addScript(src) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${src} cannot be had`)));
    script.src = src;
    document.head.append(script);
  });
}
