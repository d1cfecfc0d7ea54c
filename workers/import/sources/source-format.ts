import { existsSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { checkGeoPackage } from './check-geopackage.ts';
import { checkJson } from './check-json.ts';
import { readStart, isLfsPointer, lfsPointer, unreadable } from './read-start.ts';
import { checkShapefile } from './check-shapefile.ts';

/** Formats that are read. GDAL has 200 drivers; some of them open other files, servers and databases that a file names. */
export type SourceFormat = 'GPKG' | 'JSON' | 'ESRI Shapefile' | 'OpenFileGDB';

const titles: Readonly<Record<SourceFormat, string>> = {
  GPKG: 'GeoPackage',
  JSON: 'JSON',
  'ESRI Shapefile': 'Shapefile',
  OpenFileGDB: 'FileGDB',
};

const extensions: Readonly<Record<string, SourceFormat>> = {
  '.gpkg': 'GPKG',
  '.geojson': 'JSON',
  '.json': 'JSON',
  '.geojsonl': 'JSON',
  '.geojsons': 'JSON',
  '.ndjson': 'JSON',
  '.shp': 'ESRI Shapefile',
};

/**
 * Returns the format of a source, which its content says. A known extension must agree.
 * @throws Error when it is none of the formats, or not the one of its name.
 */
export function sourceFormat(path: string): SourceFormat {
  if (path.startsWith('/vsizip/')) return 'OpenFileGDB';
  const stats = statSync(path);
  if (stats.isDirectory()) {
    if (existsSync(join(path, 'a00000001.gdbtable'))) return 'OpenFileGDB';
    throw new Error('is a folder, but no FileGDB');
  }
  const start = readStart(path);
  if (isLfsPointer(start)) throw new Error(lfsPointer);
  const found = formatOf(start);
  if (start.toString('latin1').startsWith(GZIP)) throw new Error('is compressed with gzip: unpack it first');
  if (found === null && /^(?:\xff\xfe|\xfe\xff)/.test(start.toString('latin1')))
    throw new Error('is text in UTF-16: save it as UTF-8');
  if (found === null) throw new Error(unreadable(stats.size));
  const named = extensions[extname(path).toLowerCase()];
  if (named !== undefined && named !== found)
    throw new Error(`is named as ${titles[named]}, but is of the format ${titles[found]}: give it its right extension`);
  return found;
}

function formatOf(start: Buffer): SourceFormat | null {
  if (start.toString('latin1').startsWith('SQLite format 3\0')) return 'GPKG';
  if (start.length >= 4 && start.readUInt32BE(0) === SHAPEFILE_CODE) return 'ESRI Shapefile';
  // Texts of a sequence have a separator before each (RFC 7464).
  return /^\ufeff?\s*\{/.test(start.toString('utf8').replaceAll('\u001e', '')) ? 'JSON' : null;
}

/** First bytes of what gzip has compressed (RFC 1952). */
const GZIP = '\x1f\x8b';

/** First number of a Shapefile (ESRI Shapefile Technical Description, July 1998). */
const SHAPEFILE_CODE = 9994;

/**
 * Checks what a source would make GDAL do, before GDAL opens it.
 * @throws Error that says what it refers to, or why it cannot be read.
 */
export function checkSource(path: string): void {
  const format = sourceFormat(path);
  if (format === 'GPKG') checkGeoPackage(path);
  if (format === 'JSON') checkJson(path);
  if (format === 'ESRI Shapefile') checkShapefile(path);
}
