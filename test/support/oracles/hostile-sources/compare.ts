/** Imports hostile sources, and holds every place against what GDAL and SpatiaLite read from the same areas as they are meant. */
import Database from 'better-sqlite3';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../../../src/catalogue/read/read-definitions.ts';
import { ChunkStore, type ChunkPlan } from '../../../../src/features/download/chunk-store.ts';
import { fromEsri } from '../../../../src/features/download/esri-geometry.ts';
import { seededRandom } from '../../../../workers/verify/seeded-random.ts';
import type { DataSetOutcome, DownloadedDataSet, DownloadedFeature } from '../../../../src/messages/import.ts';
import { startBuilding } from '../../../../src/core/snapshots/building.ts';
import { currentSnapshot } from '../../../../src/core/snapshots/current.ts';
import { importDataSets } from '../../../../workers/import/import-data-sets.ts';
import { dataDirOf, importWritten } from '../../drivers/import-run.ts';
import { definitionOf, writeDefinitions } from '../../material/layer-definitions.ts';
import { ogr2ogr } from '../../material/ogr2ogr.ts';
import { writeSources } from '../../material/sources.ts';
import { drawAreas, drawPlaces, type Area, type Place, type Random } from './areas.ts';
import { manglings, type Mangled } from './mangled.ts';

/** A place at which a source is answered otherwise than it is meant, and nothing was said. */
export interface WrongAnswer {
  readonly seed: number;
  readonly source: string;
  readonly what: string;
  readonly place: Place;
  readonly got: string;
  readonly right: string;
}

export interface Compared {
  readonly wrong: readonly WrongAnswer[];
  /** How many sources were imported. */
  readonly imported: number;
  /** What was wrong with those that were refused, and why they were. */
  readonly refused: readonly { readonly what: string; readonly why: string }[];
}

interface Source {
  readonly id: string;
  readonly what: string;
  readonly areas: readonly Area[];
  readonly places: readonly Place[];
  readonly mangled: Mangled;
}

/** Draws `count` sources by a seed, imports them into a folder, and compares. */
export async function compareHostileSources(folder: string, seed: number, count: number): Promise<Compared> {
  const sources = drawSources(join(folder, 'made'), { seed, count });
  const outcomes = [
    ...(await importFiles(join(folder, 'files'), sources)),
    ...(await importEsri(join(folder, 'esri'), sources)),
  ];
  const right = meant(folder, sources);
  const refused = new Map(outcomes.flatMap((one) => saidOf(one).map((why) => [one.id, why] as const)));
  const wrong = sources.flatMap((source, s) => {
    if (refused.has(source.id)) return [];
    const dataDir =
      'esri' in source.mangled ? join(folder, 'esri', 'data') : dataDirOf({ folder: join(folder, 'files') });
    const got = answered(dataDir, source);
    return source.places.flatMap((place, i): WrongAnswer[] =>
      got[i] === right[s]![i]
        ? []
        : [{ seed, source: source.id, what: source.what, place, got: got[i]!, right: right[s]![i]! }],
    );
  });
  const why = sources.flatMap(({ id, what }) => (refused.has(id) ? [{ what, why: refused.get(id)! }] : []));
  return { wrong, imported: sources.length - refused.size, refused: why };
}

/** Why a source failed, or what of it was left out; empty when nothing was said. */
function saidOf(outcome: DataSetOutcome): readonly string[] {
  if (outcome.status === 'failed') return [outcome.error];
  const dropped = Object.entries(outcome.record.dropped).map(([reason, count]) => `${count} ${reason}`);
  return dropped.length === 0 ? [] : [dropped.join(', ')];
}

function drawSources(
  folder: string,
  { seed, count }: { readonly seed: number; readonly count: number },
): readonly Source[] {
  mkdirSync(folder, { recursive: true });
  const random: Random = seededRandom(seed);
  const kinds = Object.entries(manglings);
  return Array.from({ length: count }, (_, i) => {
    const [what, mangle] = kinds[(i + seed * count) % kinds.length]!;
    const areas = drawAreas(random);
    const id = `s${i}`;
    return { id, what, areas, places: drawPlaces(areas, random), mangled: mangle({ areas, random, id, folder }) };
  });
}

const fields = { NAME: { type: 'string', required: true } } as const;
const definition = definitionOf({ geometry: 'polygon', fields });
const definitions = (sources: readonly Source[]): Record<string, object> =>
  Object.fromEntries(sources.map(({ id }) => [id, definition]));

async function importFiles(folder: string, all: readonly Source[]): Promise<readonly DataSetOutcome[]> {
  const sources = all.filter(({ mangled }) => 'files' in mangled);
  const files: Record<string, Buffer> = {};
  const manifest: Record<string, object> = {};
  for (const { id, mangled } of sources) {
    if (!('files' in mangled)) continue;
    Object.assign(files, mangled.files);
    manifest[id] = { file: Object.keys(mangled.files)[0], ...mangled.entry };
  }
  writeDefinitions(join(folder, 'layers'), definitions(sources));
  writeSources(join(folder, 'from'), manifest, files);
  return (await importWritten({ folder, partial: true })).outcomes;
}

/** As a download leaves them on the disk. */
async function importEsri(folder: string, all: readonly Source[]): Promise<readonly DataSetOutcome[]> {
  const sources = all.filter(({ mangled }) => 'esri' in mangled);
  const dataSets = await Promise.all(sources.map((source) => downloaded(join(folder, 'chunks', source.id), source)));
  using building = startBuilding(join(folder, 'data'));
  const catalogue = readCatalogue(writeDefinitions(join(folder, 'layers'), definitions(sources)));
  const input = { kind: 'downloads', dataSets, failures: [] } as const;
  const result = await importDataSets(
    { kind: 'import', building, catalogue, input, partial: true, force: false },
    () => undefined,
  );
  if (result.manifest) building.publish(result.manifest);
  return result.outcomes;
}

async function downloaded(folder: string, { id, mangled }: Source): Promise<DownloadedDataSet> {
  const raw = ('esri' in mangled ? mangled.esri : []) as readonly {
    attributes: Record<string, unknown>;
    geometry: unknown;
  }[];
  const features = raw.map(({ attributes, geometry }): DownloadedFeature => ({
    attributes,
    geometry: fromEsri(geometry),
  }));
  const store = new ChunkStore(folder);
  store.begin({} as ChunkPlan);
  await store.write(0, features);
  const source = { kind: 'chunks', name: id, folder, chunkCount: 1, featureCount: features.length, crs: 'EPSG:4269', fields: ['NAME'], rename: {}, constants: {} } as const; // prettier-ignore
  return {
    ...{ id, sources: [source], coverage: null, attribution: '', remarks: [], origin: null, notUsed: [], refused: [] },
    ...{ editedOn: null, filedOn: null, downloadedOn: '2026-01-01' },
  };
}

function openDatabase(attached: string): Database.Database {
  const db = new Database(':memory:');
  db.loadExtension('mod_spatialite');
  db.exec('SELECT InitSpatialMetaDataFull(1)');
  db.prepare('ATTACH ? AS other').run(attached);
  return db;
}

/** Names at each place, by what was imported. */
function answered(dataDir: string, { id, places }: Source): string[] {
  const db = openDatabase(join(currentSnapshot(dataDir)!.dir, 'land.gpkg'));
  const at = db.prepare<[number, number], string | null>(
    `SELECT group_concat(NAME, '|') FROM (SELECT NAME FROM other."${id}"
     WHERE ST_Intersects(GeomFromGPB(geom), ST_Transform(MakePoint(?, ?, 4269), 3161)) ORDER BY fid)`,
  );
  const found = places.map(({ lon, lat }) => at.pluck().get(lon, lat) ?? 'none');
  db.close();
  return found;
}

/** Names at each place of each source, by GDAL's and SpatiaLite's reading of the areas as they are meant. */
function meant(folder: string, sources: readonly Source[]): string[][] {
  const file = join(folder, 'meant.geojson');
  const features = sources.flatMap(({ id, areas }) =>
    areas.map(({ name, polygons }) => ({
      ...{ type: 'Feature', properties: { source: id, name } },
      geometry: { type: 'MultiPolygon', coordinates: polygons },
    })),
  );
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', features }));
  const database = join(folder, 'meant.sqlite');
  ogr2ogr('-f', 'SQLite', '-dsco', 'SPATIALITE=YES', database, file, '-nln', 'meant', '-nlt', 'MULTIPOLYGON');
  const db = openDatabase(database);
  const at = db.prepare<[string, number, number], string | null>(
    `SELECT group_concat(name, '|') FROM (SELECT name FROM other.meant
     WHERE source = ? AND ST_Intersects(geometry, MakePoint(?, ?, 4326)) ORDER BY ogc_fid)`,
  );
  const found = sources.map(({ id, places }) => places.map(({ lon, lat }) => at.pluck().get(id, lon, lat) ?? 'none'));
  db.close();
  return found;
}
