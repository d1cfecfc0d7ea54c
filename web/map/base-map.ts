/** The map beneath the answers, from this machine or from a tile server; where there is none, the map has only what was answered. */
import { el } from '../shared/dom.ts';
import { language } from '../shared/i18n.ts';
import type { PageSettings } from '../shared/api.ts';
import type { Base } from './map-style.ts';
import type * as library from '/vendor/maplibre-gl/maplibre-gl.mjs';

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
