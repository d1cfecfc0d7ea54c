import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitionOf, writeDefinitions } from '../layer-definitions.ts';
import { ogr2ogr } from '../ogr2ogr.ts';
import { writeSources } from '../sources.ts';
import { CANARY, goodJson, type HostileCase, type Place } from './case.ts';
import { contents } from './contents.ts';
import { counts } from './counts.ts';
import { databases } from './databases.ts';
import { paths } from './paths.ts';
import { references } from './references.ts';
import { zips } from './zips.ts';

/** Every hostile source, by the id of its data set. */
export const corpus: Readonly<Record<string, HostileCase>> = Object.fromEntries(
  [...references, ...paths, ...databases, ...zips, ...counts, ...contents].map((one, i) => [
    `hostile_${String(i).padStart(3, '0')}`,
    one,
  ]),
);

/** The data set beside them that is as it should be. */
export const GOOD = 'good';

/** Writes definitions, sources and the files outside below a folder, for `importWritten`. */
export function writeCorpus(folder: string, address: string, ids: readonly string[] = Object.keys(corpus)): Place {
  const place = { from: join(folder, 'from'), outside: join(folder, 'outside'), good: join(folder, 'good'), address };
  for (const made of [place.from, place.outside, place.good]) mkdirSync(made, { recursive: true });
  writeGood(place.good);
  writeOutside(place);
  const areas = definitionOf({ geometry: 'polygon', fields: { NAME: { type: 'string', required: false } } });
  writeDefinitions(join(folder, 'layers'), Object.fromEntries([GOOD, ...ids].map((id) => [id, areas])));
  const entries = ids.map((id) => {
    const { ending, write, entry } = corpus[id]!;
    write?.(join(place.from, `${id}${ending}`), place);
    return [id, { file: `${id}${ending}`, ...entry?.(place) }] as const;
  });
  const good = { file: 'good.geojson' };
  writeSources(place.from, { ...Object.fromEntries(entries), [GOOD]: good }, { 'good.geojson': goodJson });
  return place;
}

function writeGood(folder: string): void {
  const json = join(folder, 'good.geojson');
  writeFileSync(json, goodJson);
  ogr2ogr('-f', 'GPKG', join(folder, 'good.gpkg'), json);
  ogr2ogr('-f', 'ESRI Shapefile', join(folder, 'good.shp'), json);
  ogr2ogr('-f', 'OpenFileGDB', join(folder, 'good.gdb'), json);
}

/** So old that reading a file changes the time of its last reading, also where the file system notes it only once a day. */
const LONG_AGO = new Date('2001-01-01T00:00:00Z');

/** Each file is one that GDAL or PROJ reads when something names it. */
function writeOutside({ outside, good }: Place): void {
  const wkt = `GEOGCS["${CANARY}",DATUM["D",SPHEROID["GRS80",6378137,298.257222101]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]`;
  const text = {
    ...{ 'canary.geojson': goodJson.replaceAll('"NAME":"a"', `"NAME":"${CANARY}"`), 'canary.csv': `NAME\n${CANARY}\n` },
    ...{
      'canary.prj': wkt,
      'canary.gsb': `${CANARY} `.repeat(100),
      'canary.init': `<x> +proj=longlat +title=${CANARY}\n`,
    },
    'canary.gdbtable': CANARY,
  };
  for (const [name, content] of Object.entries(text)) writeFileSync(join(outside, name), content);
  copyFileSync(join(good, 'good.dbf'), join(outside, 'canary.dbf'));
  for (const name of readdirSync(outside)) utimesSync(join(outside, name), LONG_AGO, new Date());
}

/** Whether the file system notes when a file is read; some are mounted so that they do not. */
export function notesReading(folder: string): boolean {
  const file = join(folder, 'read-once');
  writeFileSync(file, 'x');
  utimesSync(file, LONG_AGO, new Date());
  spawnSync('cat', [file]);
  return filesRead(folder).includes('read-once');
}

/** Names of the files of a folder that were read since `writeCorpus`. */
export function filesRead(folder: string): string[] {
  return readdirSync(folder).filter((name) => statSync(join(folder, name)).atimeMs > LONG_AGO.getTime());
}
