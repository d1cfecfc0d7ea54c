import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import type Gdal from 'gdal-async';
import { type DataSetRecord, type SnapshotManifest, parseManifest } from '../../src/messages/manifest.ts';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { isJudgedWhenRead, judge, type Standing } from '../../src/catalogue/counting.ts';
import type { CountingRule } from '../../src/catalogue/definition.ts';
import { featureTables, sides, sideTable } from '../../src/catalogue/side-tables.ts';
import type { Attributes } from './attribute.ts';
import { gdal, immutablePath } from './gdal.ts';

/** A snapshot open in one thread: its own dataset, opened once, read-only and immutable. */
export interface Snapshot {
  readonly manifest: SnapshotManifest;
  /** The manifest's records by feature table: by data set id, and by the tables beside. A lookup reads about a hundred of them. */
  readonly dataSets: ReadonlyMap<string, DataSetRecord>;
  readonly dataset: Gdal.Dataset;
  /** Tables whose features were imported by other rules; they lie in the table of their data set. */
  readonly judged: ReadonlyMap<string, JudgedTable>;
  /** Returns the feature table of a data set. @throws Error when the file does not have it. */
  layer(table: string): Gdal.Layer;
  close(): void;
}

/** @throws Error when the manifest cannot be read or has another format. */
export function readManifest(folder: string): SnapshotManifest {
  const file = join(folder, 'manifest.json');
  return parseManifest(readFileSync(file, 'utf8'), file);
}

/** The rules of data sets by which features count, by id. */
type Rules = ReadonlyMap<string, readonly CountingRule[]>;

/**
 * Opens `land.gpkg` of a snapshot folder. For a snapshot under construction, pass the manifest that it will get. Features that were imported
 * by other rules than these are judged when they are read (decision 0195).
 * @throws Error when a table that the manifest names is missing, or has no spatial index: without one every query is a
 * scan.
 */
export function openSnapshot(
  folder: string,
  {
    manifest = readManifest(folder),
    rules = new Map(),
  }: { readonly manifest?: SnapshotManifest; readonly rules?: Rules } = {},
): Snapshot {
  // Immutable: without locks and WAL, any number of threads and processes may map and read the file.
  const dataset = gdal.drivers
    .get('GPKG')
    .open(immutablePath(join(folder, 'land.gpkg')), 'r', { IMMUTABLE: 'YES', LIST_ALL_TABLES: 'NO' });
  const layers = new Map(dataset.layers.map((layer) => [layer.name, layer]));
  const tables = featureTables(manifest.dataSets);
  for (const { table } of tables) {
    if (!layers.has(table)) throw new Error(`${folder}/land.gpkg has no table "${table}"`);
  }
  const judged = judgedTables(manifest, rules);
  const all = [...tables, ...[...judged].map(([table, { dataSet }]) => ({ table, dataSet }))];
  return {
    manifest,
    dataSets: new Map(all.map(({ table, dataSet }) => [table, manifest.dataSets[dataSet]!])),
    dataset,
    judged,
    layer(table) {
      const layer = layers.get(judged.get(table)?.dataSet ?? table);
      if (!layer) throw new Error(`${folder}/land.gpkg has no table "${table}"`);
      return layer;
    },
    close: () => {
      dataset.close();
    },
  };
}

/** Features of a table that belong to it by the rules of now. */
interface JudgedTable {
  /** Id of the data set, whose table has the features. */
  readonly dataSet: string;
  readonly owns: (attributes: Attributes) => boolean;
}

function judgedTables({ dataSets }: SnapshotManifest, rules: Rules): ReadonlyMap<string, JudgedTable> {
  const others = [...rules].filter(([id, own]) => id in dataSets && isJudgedWhenRead(own, dataSets[id]!.countedBy));
  return new Map(
    others.flatMap(([dataSet, own]) => {
      const table = (name: string, standing: Standing): [string, JudgedTable] => [
        name,
        { dataSet, owns: (attributes) => judge(own, (field) => attributes[field]).standing === standing },
      ];
      return [table(dataSet, 'yes'), ...sides.map((side) => table(sideTable(dataSet, side), side))];
    }),
  );
}

/** Returns the rules of the answers' data sets. */
export function rulesOf(answers: Catalogue['answers']): Rules {
  return new Map(answers.flatMap(({ dataSet: { id, counts } }) => (counts ? [[id, counts]] : [])));
}
