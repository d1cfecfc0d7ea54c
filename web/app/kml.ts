/** KML and KMZ as GeoJSON, and what other archives hold. It loads when somebody drops such a file. */
import { kml } from '@tmcw/togeojson';
import { markedEncoding } from '../shared/encoding.ts';
import { MOST_BYTES, type Counts } from '../shared/geojson-input.ts';
import type { Kind } from './dropped-files.ts';

/** `kind`: what the file is instead. */
type Read = { text: string; leftOut: Counts } | { kind: Kind; format?: string };

/** How something is drawn, and not what it is. */
const STYLE = /^(?:fill|stroke|icon|label)(?:-|$)|^style|^visibility$/;

/** `links`: addresses of other files. */
type KmlDocument = { features: object[]; pictures: number; links: string[] };

/** Reads KML, or the KML in an archive. */
export async function readKml(file: File): Promise<Read> {
  const magic = new TextDecoder('latin1').decode(await file.slice(0, 4).arrayBuffer());
  if (magic === 'PK\u0003\u0004') return readArchive(file);
  const document = await kmlIn(file);
  return 'kind' in document ? document : together([document], document.links.length);
}

/** Reads the document that a KMZ shows, and those in it that it links to, as GDAL writes a file for each layer. */
async function readArchive(file: File): Promise<Read> {
  const entries = (await entriesOf(file)) ?? [];
  const all = entries.filter(({ name }) => /\.kml$/i.test(name));
  // It shows the first one; Google Earth calls it so.
  const main = all.find(({ name }) => name === 'doc.kml') ?? all[0];
  if (!main) return kindOfArchive(file.name, entries);
  const wanted = [main];
  const documents: KmlDocument[] = [];
  let [bytes, outside] = [0, 0];
  for (const entry of wanted) {
    const unzipped = await unpacked(file, entry, MOST_BYTES - bytes);
    if (unzipped === null) return { kind: 'map', format: 'KMZ' };
    if (unzipped === 'tooLarge') return { kind: 'tooLargeUnpacked' };
    bytes += unzipped.size;
    const document = await kmlIn(unzipped);
    if ('kind' in document) return document;
    documents.push(document);
    for (const link of document.links) {
      const linked = all.find(({ name }) => name === pathOf(link, entry.name));
      if (!linked) outside++;
      else if (!wanted.includes(linked)) wanted.push(linked);
    }
  }
  return together(documents, outside + all.length - wanted.length);
}

/** Where a link of a file leads in the archive; null: out of it. */
function pathOf(link: string, from: string) {
  const root = 'http://kmz.invalid/';
  const url = URL.parse(link, root + from);
  return url?.href.startsWith(root) ? decodeURIComponent(url.pathname.slice(1)) : null;
}

/** `links`: to what is not read. */
function together(documents: readonly KmlDocument[], links: number): Read {
  const features = documents.flatMap((one) => one.features);
  const pictures = documents.reduce((sum, one) => sum + one.pictures, 0);
  return {
    text: JSON.stringify({ type: 'FeatureCollection', features }),
    leftOut: { ...(pictures > 0 ? { pictures } : {}), ...(links > 0 ? { links } : {}) },
  };
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

async function kmlIn(file: Blob): Promise<KmlDocument | { kind: Kind }> {
  const text = textOf(new Uint8Array(await file.arrayBuffer()));
  const root = /<(\w+):kml\b/.exec(text)?.[1];
  // The library knows no prefixes.
  const plain = root ? text.replaceAll(new RegExp(`<(/?)${root}:`, 'g'), '<$1') : text;
  const document = new DOMParser().parseFromString(plain, 'text/xml');
  if (document.querySelector('parsererror') || document.documentElement.localName !== 'kml') return { kind: 'notXml' };
  if (!prepare(document)) return { kind: 'brokenKml' };
  const { features } = kml(document);
  const own = features
    .filter(({ properties }) => !properties?.['@geometry-type'])
    .map(({ type, geometry, properties }) => ({ type, geometry, properties: ownOf(properties ?? {}) }));
  const named = (name: string) => [...document.getElementsByTagName(name)];
  return {
    features: own,
    pictures: named('GroundOverlay').length + named('PhotoOverlay').length,
    links: named('NetworkLink').map((link) => link.getElementsByTagName('href')[0]?.textContent.trim() ?? ''),
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
 * their digits. Returns false where a position or a ring is not complete, where a polygon has not one outer ring, or a shape more coordinates than one
 * of its kind: the library would leave something out.
 */
function prepare(document: Document): boolean {
  for (const field of document.getElementsByTagName('SimpleField')) field.setAttribute('type', 'string');
  for (const element of document.getElementsByTagName('coordinates')) {
    element.textContent = element.textContent.replaceAll(/\s*,\s*/g, ',').trim();
    if (!positionsIn(element).every((position) => POSITION.test(position))) return false;
  }
  if (!SHAPES.every((shape) => [...document.getElementsByTagName(shape)].every(isWhole))) return false;
  for (const polygon of document.getElementsByTagName('Polygon')) {
    const rings = [...polygon.getElementsByTagName('LinearRing')];
    const corners = rings.map(cornersOf);
    if (corners.every((count) => count === 0)) continue;
    const outer = rings.filter((ring) => ring.parentElement?.localName === 'outerBoundaryIs');
    // The library takes every ring but the first for a hole.
    if (outer.length !== 1 || corners.some((count) => count < 3)) return false;
    polygon.prepend(outer[0]!.parentElement!);
  }
  return true;
}

const SHAPES = ['Point', 'LineString', 'LinearRing'];

/** Whether the library reads all of a shape: of several coordinates it takes the first, and so of a point of several positions. */
function isWhole(shape: Element) {
  const coordinates = shape.getElementsByTagName('coordinates');
  return coordinates.length <= 1 && (shape.localName !== 'Point' || positionsIn(coordinates[0]).length <= 1);
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

/** A file in a zip archive (PKWARE APPNOTE 6.3), as far as the page needs one. `name`: with its folders. `check`: CRC-32 and unpacked bytes. `offset`: of its local header. */
type ZipEntry = {
  name: string;
  method: number;
  packedBytes: number;
  check: Uint32Array<ArrayBuffer>;
  offset: number;
  isLocked: boolean;
};

/** The end of the directory, with the longest comment. */
const MOST_END_BYTES = 22 + 65_535;
const MOST_DIRECTORY_BYTES = 4_000_000;
const STORED = 0;
const DEFLATED = 8;

/** Returns what an archive holds, folders left out; null: its directory cannot be read, as where the file is cut off. */
async function entriesOf(file: Blob): Promise<ZipEntry[] | null> {
  const end = await viewOf(file.slice(-MOST_END_BYTES));
  let at = end.byteLength - 22;
  while (at >= 0 && end.getUint32(at, true) !== 0x06054b50) at--;
  if (at < 0) return null;
  const [bytes, offset] = [end.getUint32(at + 12, true), end.getUint32(at + 16, true)];
  if (bytes > MOST_DIRECTORY_BYTES || offset + bytes > file.size) return null;
  const directory = await viewOf(file.slice(offset, offset + bytes));
  const entries: ZipEntry[] = [];
  for (let i = 0; i + 46 <= bytes && directory.getUint32(i, true) === 0x02014b50;) {
    const [nameBytes, more, comment] = [28, 30, 32].map((by) => directory.getUint16(i + by, true)) as [
      number,
      number,
      number,
    ];
    const end = Math.min(i + 46 + nameBytes, bytes);
    const name = new TextDecoder().decode(new Uint8Array(directory.buffer, i + 46, end - i - 46));
    const isLocked = (directory.getUint16(i + 8, true) & 1) === 1;
    const [crc, packedBytes, size, offset] = [16, 20, 24, 42].map((by) => directory.getUint32(i + by, true)) as [
      number,
      number,
      number,
      number,
    ];
    const method = directory.getUint16(i + 10, true);
    if (!name.endsWith('/'))
      entries.push({ name, method, packedBytes, check: Uint32Array.of(crc, size), offset, isLocked });
    i += 46 + nameBytes + more + comment;
  }
  return entries;
}

/** Returns a file of the archive, unpacked; 'tooLarge': it has more bytes than `most`; null: it cannot be unpacked here, or is not what was packed. */
async function unpacked(file: Blob, entry: ZipEntry, most: number): Promise<Blob | 'tooLarge' | null> {
  const { method, packedBytes, check, offset, isLocked } = entry;
  if (isLocked || ![STORED, DEFLATED].includes(method) || offset + 30 > file.size) return null;
  const local = await viewOf(file.slice(offset, offset + 30));
  const start = offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  const packed = file.slice(start, start + packedBytes);
  const deflated = method === STORED ? asDeflated(packed) : [packed];
  try {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    // As gzip has it, whose reader compares the sums.
    const zipped = new Blob([GZIP_HEADER, ...deflated, check]);
    const reader = zipped.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return new Blob(parts);
      bytes += value.length;
      // A small archive may hold any number of zeros.
      if (bytes > most) return await reader.cancel().then(() => 'tooLarge' as const);
      parts.push(value);
    }
  } catch {
    return null;
  }
}

const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, DEFLATED, 0, 0, 0, 0, 0, 0, 0);

/** Returns bytes as blocks of deflate that are not compressed (RFC 1951, 3.2.4). */
function asDeflated(bytes: Blob) {
  const blocks: BlobPart[] = [];
  let at = 0;
  do {
    const block = bytes.slice(at, (at += 0xffff));
    blocks.push(Uint8Array.of(at < bytes.size ? 0 : 1), Uint16Array.of(block.size, ~block.size), block);
  } while (at < bytes.size);
  return blocks;
}

const viewOf = async (part: Blob) => new DataView(await part.arrayBuffer());
