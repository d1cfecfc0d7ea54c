/** KML and KMZ as GeoJSON, and what other archives hold. It loads when somebody drops such a file. */
import { kml } from '@tmcw/togeojson';
import { markedEncoding } from '../shared/encoding.ts';
import { MOST_BYTES, type Counts } from '../shared/geojson-input.ts';
import { entriesOf, unpacked, type ZipEntry } from './zip.ts';
import type { Kind } from './dropped-files.ts';

/** `kind`: what the file is instead. */
type Read = { text: string; leftOut: Counts } | { kind: Kind; format?: string };

/** How something is drawn, and not what it is. */
const STYLE = /^(?:fill|stroke|icon|label)(?:-|$)|^style|^visibility$/;

/** Reads KML, or the KML in an archive. */
export async function readKml(file: File): Promise<Read> {
  const magic = new TextDecoder('latin1').decode(await file.slice(0, 4).arrayBuffer());
  if (magic !== 'PK\u0003\u0004') return kmlIn(file);
  const entries = (await entriesOf(file)) ?? [];
  const documents = entries.filter(({ name }) => /\.kml$/i.test(name));
  // A KMZ shows the first one; Google Earth calls it so.
  const main = documents.find(({ name }) => name === 'doc.kml') ?? documents[0];
  if (!main) return kindOfArchive(file.name, entries);
  const unzipped = await unpacked(file, main, MOST_BYTES);
  if (unzipped === null) return { kind: 'map', format: 'KMZ' };
  if (unzipped === 'tooLarge') return { kind: 'tooLargeUnpacked' };
  const read = await kmlIn(unzipped);
  return 'kind' in read ? read : { ...read, leftOut: withMore(read.leftOut, 'links', documents.length - 1) };
}

const archives: readonly (readonly [RegExp, Kind, string?])[] = [
  [/^(xl|Index)\//, 'spreadsheet'],
  [/^(word|ppt)\//, 'other'],
  [/\.shp$/i, 'map', 'Shapefile (.zip)'],
  [/\.gdb\//i, 'map', 'File Geodatabase (.zip)'],
  [/\.(tab|mif)$/i, 'map', 'MapInfo (.zip)'],
];

function kindOfArchive(name: string, entries: readonly ZipEntry[]): Read {
  const [, kind, format] = archives.find(([pattern]) => entries.some((one) => pattern.test(one.name))) ?? [];
  if (kind) return { kind, ...(format ? { format } : {}) };
  if (!entries.some((one) => one.name === 'content.xml')) return { kind: 'archive' };
  return { kind: /\.od[tpg]$/i.test(name) ? 'other' : 'spreadsheet' };
}

const withMore = (leftOut: Counts, kind: keyof Counts, more: number): Counts =>
  more > 0 ? { ...leftOut, [kind]: (leftOut[kind] ?? 0) + more } : leftOut;

async function kmlIn(file: Blob): Promise<Read> {
  const text = textOf(new Uint8Array(await file.arrayBuffer()));
  const root = /<(\w+):kml\b/.exec(text)?.[1];
  // The library knows no prefixes.
  const plain = root ? text.replaceAll(new RegExp(`<(/?)${root}:`, 'g'), '<$1') : text;
  const document = new DOMParser().parseFromString(plain, 'text/xml');
  if (document.querySelector('parsererror') || document.documentElement.localName !== 'kml') return { kind: 'notXml' };
  if (!prepare(document)) return { kind: 'brokenKml' };
  const { features } = kml(document);
  const isKind = (kind: string) => features.filter(({ properties }) => properties?.['@geometry-type'] === kind).length;
  const own = features
    .filter(({ properties }) => !properties?.['@geometry-type'])
    .map(({ type, geometry, properties }) => ({ type, geometry, properties: ownOf(properties ?? {}) }));
  const photos = document.getElementsByTagName('PhotoOverlay').length;
  return {
    text: JSON.stringify({ type: 'FeatureCollection', features: own }),
    leftOut: withMore(withMore({}, 'pictures', isKind('groundoverlay') + photos), 'links', isKind('networklink')),
  };
}

/** What the library makes of a description in CDATA. */
const isHtml = (value: unknown): value is { value: unknown } =>
  (Object(value) as { '@type'?: unknown })['@type'] === 'html';

const ownOf = (properties: Record<string, unknown>): object =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !STYLE.test(name))
      .map(([name, value]) => [name, isHtml(value) ? value.value : value]),
  );

/**
 * Writes a document as the library reads it right: blanks behind commas part no positions, the outer ring of a polygon stands first, and values keep
 * their digits. Returns false where a position or a ring is not complete: the library would leave it out.
 */
function prepare(document: Document): boolean {
  for (const field of document.getElementsByTagName('SimpleField')) field.setAttribute('type', 'string');
  for (const element of document.getElementsByTagName('coordinates')) {
    element.textContent = element.textContent.replaceAll(/\s*,\s*/g, ',').trim();
    if (!positionsIn(element).every((position) => POSITION.test(position))) return false;
  }
  for (const polygon of document.getElementsByTagName('Polygon')) {
    const outer = polygon.getElementsByTagName('outerBoundaryIs')[0];
    if (outer) polygon.prepend(outer);
    const rings = [...polygon.getElementsByTagName('LinearRing')].map(cornersOf);
    if (rings.some((corners) => corners > 0) && rings.some((corners) => corners < 3)) return false;
  }
  return true;
}

const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const POSITION = new RegExp(`^${NUMBER},${NUMBER}(?:,(?:${NUMBER})?)?$`, 'i');

const positionsIn = (element: Element | undefined) => (element?.textContent ?? '').split(/\s+/).filter(Boolean);

/** The last position may repeat the first one. */
function cornersOf(ring: Element) {
  const positions = positionsIn(ring.getElementsByTagName('coordinates')[0]).map((one) => one.split(',').map(Number));
  const isClosed = String(positions[0]) === String(positions.at(-1));
  return positions.length - (isClosed && positions.length > 0 ? 1 : 0);
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
