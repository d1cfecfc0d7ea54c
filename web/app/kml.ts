/** KML as GeoJSON. It loads when somebody drops such a file. */
import { kml } from '@tmcw/togeojson';
import { markedEncoding } from '../shared/encoding.ts';

/** How something is drawn, and not what it is. */
const STYLE = /^(?:fill|stroke|icon|label)(?:-|$)|^style|^visibility$/;

/** Returns the features of a KML file as GeoJSON; null: it is none. Pictures that are laid on the ground are no outlines. */
export async function geojsonOfKml(file: Blob): Promise<string | null> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parsed = new DOMParser().parseFromString(textOf(bytes), 'text/xml');
  if (parsed.querySelector('parsererror') || parsed.documentElement.localName !== 'kml') return null;
  const { features } = kml(parsed, { skipNullGeometry: true });
  const own = features
    .filter(({ properties }) => properties?.['@geometry-type'] !== 'groundoverlay')
    .map((feature) => ({
      ...feature,
      properties: Object.fromEntries(
        Object.entries((feature.properties ?? {}) as object).filter(([name]) => !STYLE.test(name)),
      ) as object,
    }));
  return JSON.stringify({ type: 'FeatureCollection', features: own });
}

/** By its mark, else in the encoding that the first line of XML names. */
function textOf(bytes: Uint8Array<ArrayBuffer>) {
  const begin = new TextDecoder('latin1').decode(bytes.subarray(0, 200));
  const named = /^\s*<\?xml[^>]*encoding=["']([\w-]+)/.exec(begin)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(markedEncoding(bytes) ?? named).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
