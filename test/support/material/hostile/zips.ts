/** Zip files that lead out of their folder, or unpack to more than there is. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeZip } from '../zip.ts';
import { goodJson, type HostileCase, type Place } from './case.ts';

type Members = Readonly<Record<string, Buffer>>;

function zip(
  what: string,
  members: (place: Place) => Members,
  rest: Pick<HostileCase, 'says' | 'before'> & { readonly then?: (zip: Buffer) => void },
): HostileCase {
  const { then, ...expected } = rest;
  return {
    ...{ what, ending: '.zip', ...expected },
    write: (path, place) => {
      writeZip(path, members(place));
      const bytes = readFileSync(path);
      then?.(bytes);
      writeFileSync(path, bytes);
    },
  };
}

const unreadable = /the zip file cannot be read: /;
const json = Buffer.from(goodJson);
const inDirectory = (bytes: Buffer): number => bytes.indexOf('PK\x01\x02');

/** Members of one byte each. */
function many(count: number): Members {
  const content = Buffer.from('x');
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.txt`, content]));
}

export const zips: readonly HostileCase[] = [
  zip('a member with ..', () => ({ '../../slip.geojson': json }), {
    says: /cannot be read: .*\.\.\/\.\.\/slip\.geojson/,
  }),
  zip('a member with an absolute name', ({ outside }) => ({ [join(outside, 'slip.geojson')]: json }), {
    says: unreadable,
  }),
  zip('a member with ..\\', () => ({ '..\\..\\slip.geojson': json }), { says: unreadable }),
  zip('a FileGDB member with ..', () => ({ 'a.gdb/../../slip.gdb/a00000001.gdbtable': json }), { says: unreadable }),
  zip(
    'a member that is a link to a file outside',
    ({ outside }) => ({ 'a.geojson': Buffer.from(join(outside, 'canary.geojson')) }),
    {
      says: /is not a readable GeoPackage/,
      then: (bytes) => {
        // Made on Unix, and a symbolic link (PKWARE APPNOTE, 4.4.2 and 4.4.15).
        bytes.writeUInt8(3, inDirectory(bytes) + 5);
        bytes.writeUInt32LE((0o120777 << 16) >>> 0, inDirectory(bytes) + 38);
      },
    },
  ),
  zip('twenty thousand members', () => many(20_000), { says: /has 20000 members, more than 10000/ }),
  zip('a bomb that tells its size', () => ({ 'a.geojson': Buffer.alloc(2_000_000) }), {
    says: /would unpack from \d+ to 3000000000 bytes: that is not data but a zip bomb/,
    then: (bytes) => void bytes.writeUInt32LE(3_000_000_000, inDirectory(bytes) + 24),
  }),
  zip('a bomb of overlapping members', () => many(100), {
    says: /would unpack from \d+ to 400000000000 bytes: that is not data but a zip bomb/,
    then: (bytes) => {
      // Each entry of the directory names the first member, and a size of four billion.
      for (let at = inDirectory(bytes); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 1)) {
        bytes.writeUInt32LE(4_000_000_000, at + 24);
        bytes.writeUInt32LE(0, at + 42);
      }
    },
  }),
  zip('a bomb that lies about its size', () => ({ 'a.geojson': Buffer.alloc(5_000_000) }), {
    says: unreadable,
    then: (bytes) => void bytes.writeUInt32LE(100, inDirectory(bytes) + 24),
  }),
  zip('a zip file in a zip file', () => ({ 'a.zip': json, 'b.zip': json }), {
    says: /contains no GeoPackage, GeoJSON, Shapefile or FileGDB/,
  }),
  zip(
    'a hostile file inside',
    ({ address }) => ({
      'a.geojson': Buffer.from(
        goodJson.replace('{', `{"crs":{"type":"link","properties":{"href":"${address}/zipped"}},`),
      ),
    }),
    {
      ...{ says: /for which an import asks nobody/, before: 'asked' },
    },
  ),
  zip(
    'a Shapefile with a grid outside',
    ({ good, outside }) => ({
      ...Object.fromEntries(
        ['shp', 'shx', 'dbf'].map((extension) => [`a.${extension}`, readFileSync(join(good, `good.${extension}`))]),
      ),
      'a.prj': Buffer.from(
        `GEOGCS["x",DATUM["D",SPHEROID["S",6378137,298],EXTENSION["PROJ4_GRIDS","${outside}/canary.gsb"]],PRIMEM["G",0],UNIT["degree",0.01745]]`,
      ),
    }),
    { says: /its CRS refers to a file or a server/, before: 'read outside' },
  ),
  zip('an encrypted member', () => ({ 'a.geojson': json }), {
    says: unreadable,
    then: (bytes) => {
      bytes.writeUInt16LE(1, 6);
      bytes.writeUInt16LE(1, inDirectory(bytes) + 8);
    },
  }),
  {
    ...{ what: 'a zip file that ends early', ending: '.zip', says: unreadable },
    write: (path) => {
      writeZip(path, { 'a.geojson': json });
      writeFileSync(path, readFileSync(path).subarray(0, 100));
    },
  },
];
