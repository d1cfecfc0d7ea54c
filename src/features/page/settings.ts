import { resolve } from 'node:path';
import type { SettingsReader } from '../../core/settings/settings-reader.ts';

/** What lies beneath the map. */
export interface PageSettings {
  /** File of the base map; null: none. */
  readonly baseMap: string | null;
  /** Template of the base map's tiles with {z}, {x} and {y}; null: no base map of this kind. */
  readonly tileUrl: string | null;
  /** Attribution that the tiles' publisher requires on the map. */
  readonly tileAttribution: string;
}

/** A URL that is no such template is a fault. */
export function pageSettings({ text, attempt }: SettingsReader): PageSettings {
  const file = text('BASEMAP');
  return {
    baseMap: file === undefined ? null : resolve(file),
    tileUrl: attempt(() => tileUrl(text('TILE_URL'))),
    tileAttribution: text('TILE_ATTRIBUTION', ''),
  };
}

function tileUrl(given: string | undefined): string | null {
  if (given === undefined) return null;
  const isTemplate = ['{z}', '{x}', '{y}'].every((place) => given.includes(place));
  if (isTemplate && URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return given;
  throw new Error('TILE_URL must be an http(s) URL with {z}, {x} and {y} in it');
}
