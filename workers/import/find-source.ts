import { closeSync, openSync, readdirSync, readSync, renameSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { unpackZip } from './unpack-zip.ts';

/**
 * The path that GDAL opens for a source file: the file itself, a FileGDB folder, or what a zip file holds (unpacked into
 * `folder`). `layer` chooses among several sources in one zip by their base name.
 * @throws Error that says what the file is, when it is no source.
 */
export async function findSource(file: string, folder: string, layer: string | null): Promise<string> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new Error('there is no such file');
  if (stats.isDirectory()) return file;
  if (stats.size === 0) throw new Error('is empty (0 bytes)');
  const start = readStart(file);
  if (start.startsWith('PK')) return chooseSource(await unpacked(file, folder), layer);
  if (extname(file).toLowerCase() === '.zip') throw new Error(`is no zip file: it begins with ${describe(start)}`);
  if (/^\s*</.test(start)) throw new Error(`is a web page or XML, not data: it begins with ${describe(start)}`);
  return file;
}

async function unpacked(file: string, folder: string): Promise<string> {
  try {
    await unpackZip(file, folder);
  } catch (cause) {
    throw new Error(`the zip file cannot be unpacked: ${cause instanceof Error ? cause.message : ''}`, { cause });
  }
  return folder;
}

function chooseSource(folder: string, layer: string | null): string {
  const found = sourcesBelow(folder);
  if (found.length === 0) throw new Error('the zip file holds no GeoPackage, GeoJSON, Shapefile or FileGDB');
  if (found.length === 1) return found[0]!;
  const names = found.map((path) => basename(path, extname(path)));
  const chosen = found.filter((_, i) => names[i] === layer);
  if (chosen.length === 1) return chosen[0]!;
  throw new Error(`the zip file holds several sources; name one in "layer": ${names.join(', ')}`);
}

function sourcesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === 'a00000001.gdbtable')) return [namedAsFileGdb(folder)];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    const extension = extname(entry.name).toLowerCase();
    if (entry.isDirectory()) return extension === '.gdb' ? [path] : sourcesBelow(path);
    return ['.gpkg', '.shp', '.geojson', '.json'].includes(extension) ? [path] : [];
  });
}

/** GDAL knows a FileGDB by its folder's name, which is not always packed with it. */
function namedAsFileGdb(folder: string): string {
  renameSync(folder, `${folder}.gdb`);
  return `${folder}.gdb`;
}

function readStart(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(64);
    return start.subarray(0, readSync(descriptor, start)).toString('latin1');
  } finally {
    closeSync(descriptor);
  }
}

function describe(start: string): string {
  return JSON.stringify(start.slice(0, 24));
}
