import { readdirSync, renameSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { namesOf, type LayerChoice } from './open-source.ts';
import { readStart } from './read-start.ts';
import { checkSource } from './source-format.ts';
import { unpackZip } from './unpack-zip.ts';
import { zippedFileGdb } from './zipped-file-gdb.ts';
import { messageOf } from '../../../src/words.ts';

/** Of files in a zip file that are sources. */
const sourceExtensions = ['.gpkg', '.shp', '.geojson', '.json', '.geojsonl', '.geojsons', '.ndjson'];

/** The zip file is damaged, perhaps by its download. */
export class DamagedZip extends Error {}

export interface SourcePlace {
  readonly file: string;
  /** Folder that a zip file is unpacked into. */
  readonly unpacked: string;
  /** Free disk that unpacking leaves. */
  readonly minFreeBytes: number;
  /** Chooses among several sources in one zip file by their base name. */
  readonly layer: LayerChoice;
  /** True when the checksums of a zip file's members were already compared. */
  readonly isChecked?: boolean;
}

/**
 * Returns the path that GDAL opens for a source file: the file itself, a FileGDB folder, or the content of a zip file.
 * A zipped FileGDB is read in place if that is fast; all other zip files are unpacked.
 * @throws Error that says what the file is, when it is not a source, or would make GDAL read something else.
 */
export async function findSource(place: SourcePlace): Promise<string> {
  const path = await pathOf(place);
  checkSource(path);
  return path;
}

async function pathOf({ file, unpacked, minFreeBytes, layer, isChecked }: SourcePlace): Promise<string> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new Error('there is no such file');
  if (stats.isDirectory()) return file;
  if (!stats.isFile()) throw new Error('is neither a file nor a folder');
  if (stats.size === 0) throw new Error('is empty (0 bytes)');
  const start = readStart(file).toString('latin1');
  if (start.startsWith('PK')) {
    const inPlace = await readingZip(() => zippedFileGdb(file, isChecked === true));
    if (inPlace !== null) return inPlace;
    await readingZip(() => unpackZip(file, { folder: unpacked, minFreeBytes }));
    return chooseSource(unpacked, layer);
  }
  if (extname(file).toLowerCase() === '.zip') throw new Error(`is not a zip file: it begins with ${describe(start)}`);
  if (/^\s*</.test(start)) throw new Error(`is a web page or XML instead of data: it begins with ${describe(start)}`);
  return file;
}

async function readingZip<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new DamagedZip(`the zip file cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function chooseSource(folder: string, layer: LayerChoice): string {
  const found = sourcesBelow(folder);
  if (found.length === 0) throw new Error('the zip file contains no GeoPackage, GeoJSON, Shapefile or FileGDB');
  if (found.length === 1) return found[0]!;
  const names = found.map((path) => basename(path, extname(path)));
  const chosen = found.filter((_, i) => namesOf(layer).includes(names[i]!));
  if (chosen.length === 1) return chosen[0]!;
  throw new Error(`the zip file contains several sources; name one in "layer": ${names.join(', ')}`);
}

function sourcesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === 'a00000001.gdbtable')) return [namedAsFileGdb(folder)];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    const extension = extname(entry.name).toLowerCase();
    if (entry.isDirectory()) return extension === '.gdb' ? [path] : sourcesBelow(path);
    return sourceExtensions.includes(extension) ? [path] : [];
  });
}

/**
 * Renames a folder to `.gdb`: GDAL recognises a FileGDB by its folder's name, which zip files do not always contain.
 */
function namedAsFileGdb(folder: string): string {
  renameSync(folder, `${folder}.gdb`);
  return `${folder}.gdb`;
}

function describe(start: string): string {
  return JSON.stringify(start.slice(0, 24));
}
