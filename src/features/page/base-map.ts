import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { layers, namedFlavor } from '@protomaps/basemaps';
import { hashOf } from '../../core/http/content.ts';
import { messageOf } from '../../words.ts';

/** A PMTiles file of vector tiles in the schema of Protomaps, for the map of the page. */
export interface BaseMap {
  readonly file: string;
  /** Changes when the file does. */
  readonly version: string;
  /** What its publisher wants beside the map, as HTML with links; from the file itself. */
  readonly attribution: string;
}

/** Languages of the page, in which the base map can name places, each on light and on dark ground. */
export const baseMapStyles = ['en-light', 'en-dark', 'fr-light', 'fr-dark'] as const;
export type BaseMapStyle = (typeof baseMapStyles)[number];

/** The quiet colours of Protomaps. */
const flavors: Readonly<Record<string, string>> = { light: 'grayscale', dark: 'dark' };

/** Name of the source in the style. */
const SOURCE = 'basemap';

/** Bytes of the header, which the specification fixes (PMTiles version 3, section 3). */
const HEADER_BYTES = 127;

/** Positions in the header, and the codes that stand there. */
const METADATA_OFFSET = 24;
const METADATA_LENGTH = 32;
const INTERNAL_COMPRESSION = 97;
const TILE_TYPE = 99;
const VECTOR_TILES = 1;

/** Longest metadata that is read; those of a planet have some 10 kB. */
const MOST_METADATA_BYTES = 1024 * 1024;

/** Readers of what the file has besides tiles, by its code; 1 is uncompressed. Files with Zstandard (4) have no reader here. */
const decompressors: Readonly<Record<number, (bytes: Buffer) => Buffer>> = {
  1: (bytes) => bytes,
  2: (bytes) => gunzipSync(bytes, { maxOutputLength: MOST_METADATA_BYTES }),
  3: (bytes) => brotliDecompressSync(bytes, { maxOutputLength: MOST_METADATA_BYTES }),
};

/** Reads what the page must know of a base map. @throws Error that names the setting when the file is no such map. */
export function readBaseMap(file: string): BaseMap {
  const { header, metadata, stats } = partsOf(file);
  if (header.toString('latin1', 0, 7) !== 'PMTiles' || header[7] !== 3) {
    throw new Error(`BASEMAP must be a PMTiles file of version 3: ${file} is none`);
  }
  if (header[TILE_TYPE] !== VECTOR_TILES) {
    throw new Error(`BASEMAP must have vector tiles (MVT) in the schema of Protomaps: ${file} has other tiles`);
  }
  return { file, version: versionOf(stats), attribution: attributionIn(metadata) };
}

/** Identifies the content of a file without reading it: nobody rewrites gigabytes within a millisecond and to the same length. */
export function versionOf({ size, mtimeMs }: Pick<Stats, 'size' | 'mtimeMs'>): string {
  return hashOf(`${size} ${mtimeMs}`).slice(0, 12);
}

/**
 * Returns the layers of the map's style, quiet and without points of interest: the answers stand out on it. Fonts and icons would be
 * further files to host, so the browser draws the names with its own fonts, and there are no icons.
 */
export function baseMapLayers(style: BaseMapStyle): readonly unknown[] {
  const [lang = '', ground = ''] = style.split('-');
  return layers(SOURCE, namedFlavor(flavors[ground] ?? ''), { lang })
    .filter(({ id }) => id !== 'pois' && id !== 'background' && !id.includes('shield') && !id.includes('oneway'))
    .map((layer) => {
      if (layer.type !== 'symbol') return layer;
      return { ...layer, layout: { ...layer.layout, 'icon-image': undefined } };
    });
}

function partsOf(file: string): { readonly header: Buffer; readonly metadata: unknown; readonly stats: Stats } {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const header = bytesOf(descriptor, 0, HEADER_BYTES);
    return { header, metadata: metadataOf(descriptor, header), stats: fstatSync(descriptor) };
  } catch (cause) {
    throw new Error(`BASEMAP cannot be read: ${messageOf(cause)}`, { cause });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function bytesOf(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
}

/** Null when it cannot be read, or is no JSON: the tiles can be shown without it. */
function metadataOf(descriptor: number, header: Buffer): unknown {
  try {
    const [offset, length] = [METADATA_OFFSET, METADATA_LENGTH].map((at) => Number(header.readBigUInt64LE(at)));
    if (length! > MOST_METADATA_BYTES) return null;
    const decompress = decompressors[header[INTERNAL_COMPRESSION]!];
    return JSON.parse(decompress!(bytesOf(descriptor, offset!, length!)).toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

/** The statement of OpenStreetMap, from which such files are made, unless the file has its own. */
function attributionIn(metadata: unknown): string {
  const own = (metadata as { readonly attribution?: unknown } | null)?.attribution;
  if (typeof own === 'string' && own !== '') return own;
  return '© <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a>';
}

/** Where the parts of a base map are. They are named by its version, so that browsers may keep them. */
export function baseMapUrls({ version }: Pick<BaseMap, 'version'>) {
  return {
    tiles: `/basemap/${version}.pmtiles`,
    style: (style: BaseMapStyle) => `/basemap/${version}/layers-${style}.json`,
  };
}
