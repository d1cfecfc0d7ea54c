/** Builds the cell index of a snapshot under construction from its feature tables (docs/cell-index.md). */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import Database from 'better-sqlite3';
import { Piscina } from 'piscina';
import { threadLimits } from '../../../src/shared/thread-limits.ts';
import { AnswerWriter } from './answer-writer.ts';
import { Buckets, type TileCount } from './bucket.ts';
import { DirectoryBuilder } from './directory-builder.ts';
import { pieceOf } from './piece.ts';
import { CELL_FORMAT, DIRECTORY_CHUNK, tables, type CellHeader } from '../../lookup/cells/format.ts';
import { createAttributeTable } from '../../geopackage/attribute-table.ts';
import type { IndexedDataSet } from '../../lookup/cells/format.ts';
import { runsOf } from './tile-runs.ts';
import type { SplitTask, TileTree } from './split.ts';
import { outlineOf, readGeoPackageGeometry } from '../../geopackage/flat-geometry.ts';

export interface CellBuildOptions {
  /**
   * The GeoPackage from which feature tables are read and into which the index is written; nobody else may have it
   * open.
   */
  readonly gpkg: string;
  readonly dataSets: readonly IndexedDataSet[];
  readonly onProgress?: (progress: CellBuildProgress) => void;
}

export interface CellBuildProgress {
  readonly phase: 'reading features' | 'splitting tiles';
  readonly done: number;
  readonly total: number;
}

/** Most projection metres per ground metre; the scale of EPSG:3161 stays below it in Ontario. */
export const LARGEST_SCALE = 1.01;

/** Most runs of tiles under way, which limits the leaves that wait to be written. */
const RUNS_AHEAD = 4 * availableParallelism();

const PROGRESS_EVERY = 5000;

/**
 * Writes the index tables and replaces an existing index. The same input gives the same bytes, on any number of cores.
 */
export async function buildCells({
  gpkg,
  dataSets,
  onProgress = () => undefined,
}: CellBuildOptions): Promise<CellHeader> {
  const scratchFile = `${gpkg}.cells`;
  rmSync(scratchFile, { force: true });
  const db = new Database(gpkg);
  try {
    db.pragma('synchronous = OFF');
    for (const table of Object.values(tables)) createAttributeTable(db, table);
    const tiles = db.transaction(() => bucketFeatures(db, { scratchFile, dataSets, onProgress }))();
    db.exec('BEGIN');
    const header = await splitTiles(db, tiles, { scratchFile, dataSets, onProgress });
    db.exec('COMMIT');
    return header;
  } finally {
    db.close();
    rmSync(scratchFile, { force: true });
  }
}

interface Pass {
  readonly scratchFile: string;
  readonly dataSets: readonly IndexedDataSet[];
  readonly onProgress: (progress: CellBuildProgress) => void;
}

/** Returns the tiles with pieces, in order. */
function bucketFeatures(db: Database.Database, { scratchFile, dataSets, onProgress }: Pass): TileCount[] {
  const buckets = new Buckets(scratchFile);
  const answers = new AnswerWriter(db);
  const total = dataSets.reduce((sum, { id, edgeOf }) => sum + (edgeOf === undefined ? countRows(db, id) : 0), 0);
  let done = 0;
  for (const [set, { id, reachM, fields, inline, edgeOf }] of dataSets.entries()) {
    if (edgeOf !== undefined) {
      for (const { fid, geom } of areasOf(db, edgeOf))
        buckets.add(pieceOf({ set, fid, answer: 0 }, outlineOf(readGeoPackageGeometry(geom))), reachM * LARGEST_SCALE);
      continue;
    }
    for (const { fid, geom, ...attributes } of featuresOf(db, id)) {
      const text = JSON.stringify(fields.map((field) => attributes[field] ?? null));
      const answer = fields.length === 0 ? 0 : inline ? text : answers.idOf(text);
      buckets.add(pieceOf({ set, fid, answer }, readGeoPackageGeometry(geom)), reachM * LARGEST_SCALE);
      if (++done % PROGRESS_EVERY === 0) onProgress({ phase: 'reading features', done, total });
    }
  }
  const tiles = buckets.finish();
  buckets.close();
  return tiles;
}

/**
 * Reads page by page, because a connection cannot write while it iterates. A page is small, because a geometry may have
 * megabytes.
 */
function* featuresOf(db: Database.Database, table: string): Generator<FeatureRow> {
  const page = db.prepare<[number], FeatureRow>(`SELECT * FROM "${table}" WHERE fid > ? ORDER BY fid LIMIT 100`);
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)!.fid)) yield* rows;
}

/** Returns the few polygons of a data set's coverage. */
function areasOf(db: Database.Database, dataSet: string): FeatureRow[] {
  const rows = db.prepare<[string], FeatureRow>('SELECT * FROM coverage WHERE data_set = ? ORDER BY fid');
  return rows.all(dataSet);
}

function countRows(db: Database.Database, table: string): number {
  return db.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get()!;
}

interface FeatureRow extends Record<string, string | number | null | Buffer> {
  readonly fid: number;
  readonly geom: Buffer;
}

/** Splits tiles on all cores and writes them in order. */
async function splitTiles(db: Database.Database, tiles: readonly TileCount[], pass: Pass): Promise<CellHeader> {
  const projected = pass.dataSets.map((dataSet) => ({ ...dataSet, reachM: dataSet.reachM * LARGEST_SCALE }));
  const runs = [...runsOf(tiles)];
  const threads = Math.min(availableParallelism(), runs.length);
  const pool = new Piscina<SplitTask, TileTree[]>({
    filename: new URL(`../../threads/split-tiles${extname(import.meta.url)}`, import.meta.url).href,
    minThreads: threads,
    maxThreads: Math.max(1, threads),
    resourceLimits: threadLimits,
  });
  try {
    const insert = db.prepare<[number, Buffer]>(`INSERT INTO ${tables.leaf} VALUES (?, ?)`);
    const directory = new DirectoryBuilder();
    const ahead: Promise<TileTree[]>[] = [];
    let [started, done, leaves] = [0, 0, 0];
    for (const run of runs) {
      while (started < runs.length && ahead.length < RUNS_AHEAD) {
        ahead.push(pool.run({ scratchFile: pass.scratchFile, tiles: runs[started++]!, dataSets: projected }));
      }
      const trees = await ahead.shift()!;
      trees.forEach((tree, i) => {
        directory.add(run[i]!, tree, leaves + 1);
        for (const leaf of tree.leaves)
          insert.run(++leaves, Buffer.from(leaf.buffer, leaf.byteOffset, leaf.byteLength));
      });
      pass.onProgress({ phase: 'splitting tiles', done: (done += run.length), total: tiles.length });
    }
    return writeDirectory(db, Int32Array.from(directory.entries), { dataSets: pass.dataSets, leaves });
  } finally {
    await pool.close();
  }
}

function writeDirectory(
  db: Database.Database,
  directory: Int32Array,
  { dataSets, leaves }: { readonly dataSets: readonly IndexedDataSet[]; readonly leaves: number },
): CellHeader {
  const insert = db.prepare<[number, Buffer]>(`INSERT INTO ${tables.directory} VALUES (?, ?)`);
  for (let start = 0, id = 1; start < directory.length; start += DIRECTORY_CHUNK, id++) {
    insert.run(id, bytesOf(directory.subarray(start, start + DIRECTORY_CHUNK)));
  }
  const header: CellHeader = {
    format: CELL_FORMAT,
    dataSets: dataSets.map(({ id }) => id),
    reachM: dataSets.map(({ reachM }) => reachM),
    nearestOnly: dataSets.map(({ nearestOnly }) => nearestOnly),
    fields: dataSets.map(({ fields }) => fields),
    inline: dataSets.map(({ inline }) => inline),
    directoryLength: directory.length,
    directorySha256: createHash('sha256').update(bytesOf(directory)).digest('hex'),
    leaves,
  };
  db.prepare<[number, Buffer]>(`INSERT INTO ${tables.header} VALUES (?, ?)`).run(
    1,
    Buffer.from(JSON.stringify(header)),
  );
  return header;
}

function bytesOf(numbers: Int32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
