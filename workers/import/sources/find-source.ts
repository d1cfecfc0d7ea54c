import { readdirSync, renameSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { type LayerChoice, namesOf } from './open-source.ts';
import { readStart } from './read-start.ts';
import { checkSource } from './source-format.ts';
import { unpackZip, withZip, unpackedMember } from './unpack-zip.ts';
import { messageOf } from '../../../src/words.ts';
import type { Entry, ZipFile } from 'yauzl';

/** Of files in a zip file that are sources. */
const sourceExtensions = ['.gpkg', '.shp', '.geojson', '.json', '.geojsonl', '.geojsons', '.ndjson'];

/** The zip file is damaged, perhaps by its download. */
export class DamagedZip extends Error {}

interface SourcePlace {
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

/**
 * Returns the path at which GDAL reads the only FileGDB of a zip file in place. Null when the zip file contains
 * something else or more, or when reading in place would take too long; it must then be unpacked.
 *
 * When it seeks, GDAL inflates a member from one of 100 restart points. It reads rows in the order of the file as fast
 * as from an unpacked file, and rows in any other order about a hundred times slower (docs/decisions/0040).
 * @param isChecked true when every member's checksum was already compared: GDAL itself does not report a damaged
 * member.
 * @throws Error when it is not a zip file, or is truncated or damaged.
 */
function zippedFileGdb(file: string, isChecked: boolean): Promise<string | null> {
  return withZip(file, async (zip, members) => {
    const folder = onlyFileGdb(members);
    if (folder === null) return null;
    if (!isChecked) for (const member of members) await check(zip, member);
    return (await isInOrder(zip, members)) ? `/vsizip/{${file}}/${folder}` : null;
  });
}

const otherSources = ['.gpkg', '.shp', '.geojson', '.json', '.geojsonl', '.geojsons', '.ndjson'];

function onlyFileGdb(members: readonly Entry[]): string | null {
  // Unpacked, the last of two members of one name is left, as in other programs; GDAL reads the first.
  if (new Set(members.map(({ fileName }) => fileName)).size < members.length) return null;
  const folders = new Set<string>();
  for (const { fileName } of members) {
    const folder = /^(?:.*?\/)?[^/]+\.gdb(?=\/)/i.exec(fileName)?.[0];
    if (folder !== undefined) folders.add(folder);
    else if (otherSources.includes(extname(fileName).toLowerCase())) return null;
  }
  const [folder, ...more] = folders;
  return folder !== undefined && more.length === 0 ? folder : null;
}

async function check(zip: ZipFile, member: Entry): Promise<void> {
  const chunks = unpackedMember(zip, member);
  while ((await chunks.next()).done !== true);
}

/** Most inflated bytes for reading a table, as a multiple of its size. */
const MOST_INFLATED = 3;

/** Restart points that GDAL keeps per member (`VSIGZipHandle`). */
const RESTING_POINTS = 100;

/** Size of a table that takes only milliseconds to inflate. */
const SMALL_TABLE_BYTES = 256 * 1024;

/** Largest row index of a table, enough for 100 million rows. */
const MOST_INDEX_BYTES = 512 * 1024 ** 2;

/** Says whether the rows of every table are nearly in the order of their ids. */
async function isInOrder(zip: ZipFile, members: readonly Entry[]): Promise<boolean> {
  const sizes = new Map(members.map(({ fileName, uncompressedSize }) => [fileName, uncompressedSize]));
  for (const member of members.filter(({ fileName }) => /\.gdbtablx$/i.test(fileName))) {
    const tableBytes = sizes.get(member.fileName.slice(0, -1) + 'e') ?? 0;
    if (member.uncompressedSize > MOST_INDEX_BYTES) return false;
    const pieces: Buffer[] = [];
    for await (const piece of unpackedMember(zip, member)) pieces.push(piece);
    if (backwardSeeks(Buffer.concat(pieces)) > MOST_INFLATED * RESTING_POINTS && tableBytes > SMALL_TABLE_BYTES)
      return false;
  }
  return true;
}

const HEADER_BYTES = 16;
/** The only version that GDAL 3.6 writes, and ArcGIS for tables below 2 billion rows. */
const VERSION = 3;

/**
 * Counts the rows that lie before the row of the next lower id, from the table's index of rows: a header with the
 * number of bytes per offset, then the offset of each id's row, 0 where there is none (the FileGDB format as GDAL's
 * authors describe it).
 */
function backwardSeeks(index: Buffer): number {
  if (index.length < HEADER_BYTES || index.readUInt32LE(0) !== VERSION) return Infinity;
  const offsetBytes = index.readUInt32LE(12);
  if (offsetBytes < 4 || offsetBytes > 6) return Infinity;
  const end = HEADER_BYTES + index.readUInt32LE(4) * 1024 * offsetBytes;
  let [seeks, last] = [0, 0];
  for (let at = HEADER_BYTES; at < Math.min(end, index.length - offsetBytes + 1); at += offsetBytes) {
    const offset = index.readUIntLE(at, offsetBytes);
    if (offset === 0) continue;
    if (offset < last) seeks++;
    last = offset;
  }
  return seeks;
}
