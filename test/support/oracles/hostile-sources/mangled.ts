/** Sources as others make them: the areas of `areas.ts`, with something wrong in most. */
import { gdal } from '../../../../workers/geopackage/gdal.ts';
import Database from 'better-sqlite3';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Ring } from '../../material/sources.ts';
import { pick, type Area, type Random } from './areas.ts';

/** Files to import, and their entry in `sources.json`; or Esri features as a server sends them. */
export type Mangled = MangledFiles | { readonly esri: readonly object[] };

interface MangledFiles {
  readonly files: Readonly<Record<string, Buffer>>;
  readonly entry?: object;
}

export interface Mangling {
  readonly areas: readonly Area[];
  readonly random: Random;
  /** Name for files, different for each source. */
  readonly id: string;
  /** For files on their way. */
  readonly folder: string;
}

type Mangle = (mangling: Mangling) => Mangled;
type Json = Readonly<Record<string, unknown>>;

const featureOf = ({ name, polygons }: Area, properties: Json = { NAME: name }): Json => ({
  type: 'Feature',
  properties,
  geometry: { type: 'MultiPolygon', coordinates: polygons },
});

const collection = (areas: readonly Area[], members: Json = {}, after: Json = {}): string =>
  JSON.stringify({ type: 'FeatureCollection', ...members, features: areas.map((area) => featureOf(area)), ...after });

const json = ({ id }: Mangling, text: string | Buffer, entry: object = {}): Mangled => ({
  files: { [`${id}.geojson`]: Buffer.from(text as string) },
  entry,
});

const first = (areas: readonly Area[]): readonly Area[] => areas.slice(0, -1);

/** Only the first features, and a member that says so, before or behind them. */
function cutOff(members: (count: number) => Json): Mangle {
  return (given) => {
    const told = members(given.areas.length);
    return json(
      given,
      given.random() < 0.5 ? collection(first(given.areas), told) : collection(first(given.areas), {}, told),
    );
  };
}

const turned = (ring: Ring): Ring => ring.toReversed();

/** Rings of an area as Esri has them: shells clockwise. */
const esriRings = ({ polygons }: Area): Ring[] =>
  polygons.flatMap((rings) => rings.map((ring, i) => (i === 0 ? turned(ring) : ring)));

const clockwise = (ring: Ring): Ring => (area(ring) < 0 ? ring : turned(ring));
const area = (ring: Ring): number =>
  ring.slice(1).reduce((sum, [x, y], i) => sum + (x - ring[i]![0]) * (y + ring[i]![1]), 0) * -1;

/** Esri features of which the rings are changed. */
function esri(change: (rings: Ring[], random: Random) => readonly unknown[]): Mangle {
  return ({ areas, random }) => ({
    esri: areas.map((one, i) => ({
      attributes: { OBJECTID: i + 1, NAME: one.name },
      geometry: { rings: change(esriRings(one), random) },
    })),
  });
}

const shuffled = <T>(list: readonly T[], random: Random): T[] =>
  list.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at).map(({ one }) => one); // prettier-ignore

/** One vertex of one ring is no place. */
function broken(rings: readonly Ring[], random: Random): unknown[] {
  const which = Math.floor(random() * rings.length);
  const value = pick(random, ['NaN', null, 'Infinity']);
  return rings.map((ring, i) => (i === which ? ring.map(([x, y], k) => (k === 2 ? [value, y] : [x, y])) : ring));
}

function esriFile(change: (rings: Ring[]) => readonly unknown[], members: Json = {}): Mangle {
  return ({ areas, id }) => {
    const fields = [{ name: 'NAME', type: 'esriFieldTypeString', alias: 'NAME', length: 80 }];
    const features = areas.map((one) => ({
      attributes: { NAME: one.name },
      geometry: { rings: change(esriRings(one)) },
    }));
    const head = { geometryType: 'esriGeometryPolygon', spatialReference: { wkid: 4269 }, fields };
    return { files: { [`${id}.json`]: Buffer.from(JSON.stringify({ ...head, ...members, features })) } };
  };
}

/** The areas in another format, written by GDAL. */
function translated(
  { areas, id, folder }: Mangling,
  format: string,
  extension: string,
  options: readonly string[] = [],
): Record<string, Buffer> {
  const from = join(folder, `${id}-clean.geojson`);
  writeFileSync(from, collection(areas));
  const source = gdal.open(from);
  gdal.vectorTranslate(join(folder, `${id}.${extension}`), source, ['-f', format, '-nln', id, ...options]).close();
  source.close();
  rmSync(from);
  const made = readdirSync(folder).filter((name) => basename(name).startsWith(`${id}.`));
  return Object.fromEntries(made.map((name) => [name, readFileSync(join(folder, name))]));
}

function geoPackage(change: (db: Database.Database, given: Mangling) => void, entry: object = {}): Mangle {
  return (given) => {
    translated(given, 'GPKG', 'gpkg');
    const file = join(given.folder, `${given.id}.gpkg`);
    const db = new Database(file);
    change(db, given);
    db.close();
    return { files: { [`${given.id}.gpkg`]: readFileSync(file) }, entry };
  };
}

function shapefile(
  encoding: string,
  change: (files: Record<string, Buffer>, id: string) => void,
  entry: object = {},
): Mangle {
  return (given) => {
    const files = translated(given, 'ESRI Shapefile', 'shp', ['-lco', `ENCODING=${encoding}`]);
    const { id } = given;
    Reflect.deleteProperty(files, `${id}.cpg`);
    files[`${id}.dbf`]!.writeUInt8(0, 29);
    change(files, id);
    // The first file is the one that is named.
    return { files: { [`${id}.shp`]: files[`${id}.shp`]!, ...files }, entry };
  };
}

const setCount =
  (count: (areas: number) => number) =>
  (db: Database.Database, { areas }: Mangling) =>
    void db.prepare('UPDATE gpkg_ogr_contents SET feature_count = ?').run(count(areas.length));

const lines = (areas: readonly Area[], before = ''): string =>
  areas.map((one) => `${before}${JSON.stringify(featureOf(one))}\n`).join('');

/** Every way in which a source is made; the name says what is wrong. */
export const manglings: Readonly<Record<string, Mangle>> = {
  'as it should be': (given) => json(given, collection(given.areas)),
  exceededTransferLimit: cutOff(() => ({ exceededTransferLimit: true })),
  'exceededTransferLimit in properties': cutOff(() => ({ properties: { exceededTransferLimit: true } })),
  numberMatched: cutOff((count) => ({ numberMatched: count, numberReturned: count - 1 })),
  totalFeatures: cutOff((count) => ({ totalFeatures: count })),
  'next link': cutOff(() => ({ links: [{ rel: 'next', href: 'https://example.org/2' }] })),
  'cut in the middle': (given) => {
    const text = collection(given.areas);
    return json(given, text.slice(0, Math.floor(text.length * (0.2 + 0.7 * given.random()))));
  },
  'two collections': (given) => json(given, `${collection(first(given.areas))}\n${collection(given.areas.slice(-1))}`),
  'features twice': (given) =>
    json(
      given,
      collection(first(given.areas)).replace('{', `{"features":${JSON.stringify([featureOf(given.areas.at(-1)!)])},`),
    ),
  'one feature a line': (given) => ({ files: { [`${given.id}.geojsonl`]: Buffer.from(lines(given.areas)) } }),
  'separated features': (given) => ({ files: { [`${given.id}.geojsons`]: Buffer.from(lines(given.areas, '\u001e')) } }),
  'a line cut': (given) => ({ files: { [`${given.id}.ndjson`]: Buffer.from(lines(given.areas).slice(0, -30)) } }),
  'no number in a ring': (given) => {
    const features = given.areas.map((one) => {
      const { polygons } = one;
      return featureOf({ ...one, polygons: polygons.map((rings) => broken(rings, given.random)) as Area['polygons'] });
    });
    return json(given, JSON.stringify({ type: 'FeatureCollection', features }));
  },
  'names in two cases': (given) => {
    const features = given.areas.map((one) =>
      featureOf(one, given.random() < 0.5 ? { name: 'x', NAME: one.name } : { NAME: one.name, name: 'x' }),
    );
    return json(given, JSON.stringify({ type: 'FeatureCollection', features }));
  },
  'a name in another case': (given) => json(given, collection(given.areas).replaceAll('"NAME"', '"name"')),
  'unclear names': (given) => {
    const features = given.areas.map((one) => featureOf(one, { name: 'x', Name: one.name }));
    return json(given, JSON.stringify({ type: 'FeatureCollection', features }));
  },
  'text in Latin-1': (given) => json(given, Buffer.from(collection(given.areas).replaceAll('’', "'"), 'latin1')),
  'Esri file, all clockwise': esriFile((rings) => rings.map(clockwise)),
  'Esri file, turned': esriFile((rings) => rings.map(turned)),
  'Esri file that is cut off': (given) =>
    esriFile((rings) => rings, { exceededTransferLimit: true })({ ...given, areas: first(given.areas) }),
  'server, as it should be': esri((rings) => rings),
  'server, all clockwise': esri((rings) => rings.map(clockwise)),
  'server, all turned': esri((rings) => rings.map(turned)),
  'server, any direction': esri((rings, random) =>
    shuffled(rings, random).map((ring) => (random() < 0.5 ? turned(ring) : ring)),
  ),
  'server, rings not closed': esri((rings) => rings.map((ring) => ring.slice(0, -1))),
  'server, no number': esri((rings, random) => broken(rings, random)),
  'server, no number as height': esri((rings) => rings.map((ring) => ring.map(([x, y]) => [x, y, 'NaN']))),
  'count too small': geoPackage(setCount(() => 1)),
  'count too large': geoPackage(setCount((count) => count + 20)),
  'count negative': geoPackage(setCount(() => -7)),
  'a condition on no field': geoPackage(() => undefined, { where: `"STATE" <> 'x'` }),
  'CP1252 untold': shapefile('CP1252', () => undefined),
  'CP1252 said to be UTF-8': shapefile('CP1252', (files, id) => (files[`${id}.cpg`] = Buffer.from('UTF-8'))),
  'UTF-8 said to be CP1252': shapefile('UTF-8', (files, id) => (files[`${id}.cpg`] = Buffer.from('1252'))),
  'CP1252 as told': shapefile('CP1252', () => undefined, { encoding: 'CP1252' }),
  'UTF-8 untold': shapefile('UTF-8', () => undefined),
  'shapes cut': shapefile('UTF-8', (files, id) => (files[`${id}.shp`] = files[`${id}.shp`]!.subarray(0, -60))),
  'table cut': shapefile('UTF-8', (files, id) => (files[`${id}.dbf`] = files[`${id}.dbf`]!.subarray(0, -90))),
  'index missing': shapefile('UTF-8', (files, id) => void Reflect.deleteProperty(files, `${id}.shx`)),
};
