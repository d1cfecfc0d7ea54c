/** Numbers in files that are absurd, files that end early, and texts nested without end. */
import { copyFileSync, cpSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goodJson, jsonWith, type HostileCase, type Place } from './case.ts';

const unreadable = /is not a readable GeoPackage, GeoJSON, Shapefile or FileGDB, or is truncated \(\d+ bytes\)$/;
const lost =
  /none of 1 features was kept|is damaged or truncated|is damaged: shape 1 |is truncated|is not a readable|no features|a coordinate that is no number|outside Ontario when/;

function shapefile(what: string, change: (files: Record<'shp' | 'shx' | 'dbf', Buffer>) => void): HostileCase {
  return {
    ...{ what, ending: '.shp', says: lost },
    write: (path, { good }) => {
      const stem = path.slice(0, -'.shp'.length);
      const read = (extension: string): Buffer => readFileSync(join(good, `good.${extension}`));
      const files = { shp: read('shp'), shx: read('shx'), dbf: read('dbf') };
      change(files);
      for (const [extension, bytes] of Object.entries(files)) writeFileSync(`${stem}.${extension}`, bytes);
      copyFileSync(join(good, 'good.prj'), `${stem}.prj`);
    },
  };
}

/** Offsets of the ESRI Shapefile Technical Description, July 1998: the file's header has 100 bytes, a record's 8. */
const PARTS_AT = 100 + 8 + 36;
const POINTS_AT = PARTS_AT + 4;
const FIRST_PART_AT = POINTS_AT + 4;

const shapefiles: readonly HostileCase[] = [
  shapefile('a polygon of four billion parts', ({ shp }) => void shp.writeUInt32LE(0xffffffff, PARTS_AT)),
  shapefile('a polygon of two billion parts', ({ shp }) => void shp.writeUInt32LE(0x7fffffff, PARTS_AT)),
  shapefile('a polygon of two billion points', ({ shp }) => void shp.writeUInt32LE(0x7fffffff, POINTS_AT)),
  shapefile('a part that begins after the last point', ({ shp }) => void shp.writeInt32LE(1_000_000, FIRST_PART_AT)),
  shapefile('a part that begins before the first point', ({ shp }) => void shp.writeInt32LE(-5, FIRST_PART_AT)),
  shapefile('parts that go round in a circle', ({ shp }) => {
    // Two parts, of which the second begins where the first does; the first point becomes the second index.
    shp.writeUInt32LE(2, PARTS_AT);
    shp.writeInt32LE(3, FIRST_PART_AT);
    shp.writeInt32LE(0, FIRST_PART_AT + 4);
  }),
  shapefile('a record of four gigabytes', ({ shx }) => void shx.writeInt32BE(0x7fffffff, 104)),
  shapefile('a record before the file begins', ({ shx }) => void shx.writeInt32BE(-100, 100)),
  shapefile('coordinates that are no numbers', ({ shp }) => {
    for (let at = FIRST_PART_AT + 4; at + 8 <= shp.length; at += 8) shp.writeDoubleLE(NaN, at);
  }),
  shapefile('a file that ends in the middle of a record', (files) => void (files.shp = files.shp.subarray(0, 150))),
  shapefile('an index that ends early', (files) => void (files.shx = files.shx.subarray(0, 50))),
];

function fileGdb(what: string, change: (folder: string, table: string) => void): HostileCase {
  return {
    ...{ what, ending: '.gdb', says: lost },
    write: (path, { good }: Place) => {
      cpSync(join(good, 'good.gdb'), path, { recursive: true });
      // The last table is the layer's; those before it describe the geodatabase.
      change(
        path,
        readdirSync(path)
          .filter((name) => name.endsWith('.gdbtable'))
          .sort()
          .at(-1)!,
      );
    },
  };
}

const fileGdbs: readonly HostileCase[] = [
  fileGdb('a FileGDB whose table ends early', (folder, table) => {
    truncateSync(join(folder, table), 60);
  }),
  fileGdb('a FileGDB whose description is elsewhere', (folder, table) => {
    const bytes = readFileSync(join(folder, table));
    bytes.writeUInt32LE(0x7ffffff0, 32);
    writeFileSync(join(folder, table), bytes);
  }),
  fileGdb('a FileGDB whose index ends early', (folder, table) => {
    truncateSync(join(folder, table.replace('table', 'tablx')), 20);
  }),
  fileGdb('a FileGDB without its first table', (folder) => {
    truncateSync(join(folder, 'a00000001.gdbtable'), 0);
  }),
];

function json(what: string, text: string, says: RegExp = unreadable): HostileCase {
  return {
    what,
    ending: '.geojson',
    says,
    write: (path) => {
      writeFileSync(path, text);
    },
  };
}

const at = goodJson.indexOf('[[[');
const coordinates = (text: string): string => goodJson.replace(/\[\[\[.*\]\]\]/, text);

const texts: readonly HostileCase[] = [
  json('brackets a hundred thousand deep', '['.repeat(100_000), unreadable),
  json(
    'an object nested a hundred thousand deep',
    '{"a":'.repeat(100_000),
    /is nested more than 64 levels deep at byte \d+/,
  ),
  json(
    'coordinates nested a thousand deep',
    coordinates(`${'['.repeat(1000)}${']'.repeat(1000)}`),
    /is nested more than 64 levels deep/,
  ),
  json('a collection of collections of collections', collections(40), /is nested more than 64 levels deep/),
  json(
    'coordinates that are NaN',
    coordinates('[[[NaN,43],[-79,NaN],[-79.5,43.5],[NaN,43]]]'),
    /is not JSON: "N" at byte \d+/,
  ),
  json('coordinates of 1e400', coordinates('[[[1e400,43],[-79,-1e400],[-79.5,43.5],[1e400,43]]]'), lost),
  json('coordinates of 1e300', coordinates('[[[1e300,43],[-79,-1e300],[-79.5,43.5],[1e300,43]]]'), lost),
  json(
    'text as coordinates',
    coordinates('[[["a","b"],["c","d"],["e","f"],["a","b"]]]'),
    /a coordinate that is no number at byte/,
  ),
  json('a file that ends in a geometry', goodJson.slice(0, at + 20)),
  json(
    'a file that ends in its crs',
    jsonWith({ crs: { type: 'name', properties: { name: 'EPSG:4326' } } }).slice(0, 60),
  ),
  json(
    'a crs of a megabyte',
    jsonWith({ crs: { type: 'name', properties: { name: 'x'.repeat(1_000_000) } } }),
    /has a "crs" of more than 65536 bytes/,
  ),
  json('no features and no end of spaces', `{${' '.repeat(3_000_000)}`),
];

function collections(depth: number): string {
  const [open, close] = ['{"type":"GeometryCollection","geometries":[', ']}'];
  return goodJson.replace(/"geometry":\{.*?\}/, `"geometry":${open.repeat(depth)}${close.repeat(depth)}`);
}

export const counts: readonly HostileCase[] = [...shapefiles, ...fileGdbs, ...texts];
