/** Builds the cell index of a snapshot under construction from its feature tables (docs/cell-index.md). */
import { createHash, hash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import Database from 'better-sqlite3';
import { type TileCount, RunSplitter, Buckets } from './bucket.ts';
import {
  type CellHeader,
  type IndexedDataSet,
  CELL_FORMAT,
  DIRECTORY_CHUNK,
  tables,
  TILES_PER_SIDE,
} from '../../engine/cells/format.ts';
import { createAttributeTable } from '../../geopackage/land-file.ts';
import { type TileTree, type TileTrees, type SplitTask, cellShape } from './split.ts';
import { Piscina } from 'piscina';
import { threadLimits } from '../../../src/messages/worker-data.ts';
import { threadFile } from '../thread-file.ts';
import type { Attribute, Attributes } from '../../geopackage/attribute.ts';
import { outlineOf, readGeoPackageGeometry } from '../../geopackage/flat-geometry.ts';
import { counts } from '../../engine/cells/feature-choice.ts';
import { featureOutline } from '../outlines/outline.ts';
import { pieceOf } from './piece.ts';

export interface CellBuildOptions {
  /**
   * The GeoPackage from which feature tables are read and into which the index is written; nobody else may have it
   * open.
   */
  readonly gpkg: string;
  readonly dataSets: readonly IndexedDataSet[];
  readonly onProgress?: (progress: {
    readonly phase: 'reading features' | 'splitting tiles';
    readonly done: number;
    readonly total: number;
  }) => void;
  /** Size of the temporary file from which threads split the tiles. */
  readonly threadsFromBytes?: number;
}

/** Below this, starting threads takes longer than splitting here. */
const WORTH_THREADS_BYTES = 1 << 21;

/** Most runs of tiles under way, which limits the leaves that wait to be written. */
const RUNS_AHEAD = 4 * availableParallelism();

/**
 * Writes the index tables and replaces an existing index. The same input gives the same bytes, on any number of cores.
 */
export async function buildCells({
  gpkg,
  dataSets,
  onProgress = () => undefined,
  threadsFromBytes = WORTH_THREADS_BYTES,
}: CellBuildOptions): Promise<CellHeader> {
  const scratchFile = `${gpkg}.cells`;
  rmSync(scratchFile, { force: true });
  const db = new Database(gpkg);
  try {
    db.pragma('synchronous = OFF');
    for (const table of Object.values(tables)) createAttributeTable(db, table);
    const tiles = db.transaction(() => bucketFeatures(db, { scratchFile, dataSets, onProgress }))();
    db.exec('BEGIN');
    const header = await splitTiles(db, tiles, { scratchFile, dataSets, onProgress, threadsFromBytes });
    db.exec('COMMIT');
    return header;
  } finally {
    db.close();
    rmSync(scratchFile, { force: true });
  }
}

/** Splits tiles, on all cores when they are many, and writes them in order. */
async function splitTiles(
  db: Database.Database,
  tiles: readonly TileCount[],
  pass: Pass & { readonly threadsFromBytes: number },
): Promise<CellHeader> {
  const projected = pass.dataSets.map((dataSet) => ({ ...dataSet, reachM: dataSet.reachM * LARGEST_SCALE }));
  const runs = [...runsOf(tiles)];
  const { scratchFile } = pass;
  const isSmall = statSync(scratchFile).size < pass.threadsFromBytes;
  await using splitters = isSmall ? ownSplitter(scratchFile) : threadSplitters(scratchFile, runs.length);
  const [cells, outlines] = [new TreeWriter(db, tables.leaf), new TreeWriter(db, tables.outline)];
  const ahead: Promise<TileTrees[]>[] = [];
  let [started, done] = [0, 0];
  for (const run of runs) {
    while (started < runs.length && ahead.length < RUNS_AHEAD) {
      ahead.push(splitters.split({ tiles: runs[started++]!, dataSets: projected }));
    }
    const trees = await ahead.shift()!;
    trees.forEach((tree, i) => {
      cells.add(run[i]!, tree.cells);
      outlines.add(run[i]!, tree.outlines);
    });
    pass.onProgress({ phase: 'splitting tiles', done: (done += run.length), total: tiles.length });
  }
  return writeDirectory(db, { cells, outlines, dataSets: pass.dataSets });
}

/** Writes the leaves of a tree, and knows its directory. */
class TreeWriter {
  readonly #insert: Database.Statement<[number, Buffer]>;
  readonly directory = new DirectoryBuilder();
  leaves = 0;

  constructor(db: Database.Database, table: string) {
    this.#insert = db.prepare(`INSERT INTO ${table} VALUES (?, ?)`);
  }

  add(tile: number, tree: TileTree): void {
    this.directory.add(tile, tree, this.leaves + 1);
    for (const leaf of tree.leaves)
      this.#insert.run(++this.leaves, Buffer.from(leaf.buffer, leaf.byteOffset, leaf.byteLength));
  }
}

function writeDirectory(
  db: Database.Database,
  { cells, outlines, dataSets }: Readonly<Record<'cells' | 'outlines', TreeWriter>> & Pick<Pass, 'dataSets'>,
): CellHeader {
  const directory = Int32Array.from([...cells.directory.entries, ...outlines.directory.entries]);
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
    outlines: {
      directoryStart: cells.directory.entries.length,
      dataSets: dataSets.map(({ outlined }) => outlined ?? null),
    },
    ...(dataSets.some(({ further }) => further)
      ? { plainSets: dataSets.filter(({ further = false }) => !further).length }
      : {}),
    directoryLength: directory.length,
    directorySha256: createHash('sha256').update(bytesOf(directory)).digest('hex'),
    leaves: cells.leaves,
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

/**
 * Most pieces and tiles of a run, unless one tile alone has more pieces. Most tiles have few pieces, and a message for
 * each tile costs more than splitting it: in runs, an import of the bundled sample takes a third less CPU time.
 */
const MOST_IN_RUN = { pieces: 64, tiles: 64 };

/** Groups tiles, in their order, into runs that a thread splits together. */
function* runsOf(tiles: readonly TileCount[]): Generator<number[]> {
  let run: number[] = [];
  let inRun = 0;
  for (const { tile, pieces } of tiles) {
    if (run.length === MOST_IN_RUN.tiles || (run.length > 0 && inRun + pieces > MOST_IN_RUN.pieces)) {
      yield run;
      [run, inRun] = [[], 0];
    }
    run.push(tile);
    inRun += pieces;
  }
  if (run.length > 0) yield run;
}

/** Makes the directory of a cell index (`find-leaf.ts`): grows as tiles are added; `entries` is what is stored. */
class DirectoryBuilder {
  readonly entries: number[] = new Array<number>(TILES_PER_SIDE ** 2).fill(0);

  /** Adds a tile whose first leaf has the row id `firstLeaf`; the other leaves follow. */
  add(tile: number, { shape }: TileTree, firstLeaf: number): void {
    let [at, leaf] = [0, firstLeaf];
    const entry = (): number => {
      switch (shape[at++]) {
        case cellShape.empty:
          return 0;
        case cellShape.leaf:
          return leaf++;
        default: {
          const node = this.entries.push(0, 0, 0, 0) - 4;
          for (let i = 0; i < 4; i++) this.entries[node + i] = entry();
          return -node;
        }
      }
    };
    this.entries[tile] = entry();
  }
}

/** Splits runs of tiles, several at a time. */
interface Splitters extends AsyncDisposable {
  split(run: Pick<SplitTask, 'tiles' | 'dataSets'>): Promise<TileTrees[]>;
}

/** Splits on all cores, as far as there are so many runs. */
function threadSplitters(scratchFile: string, runs: number): Splitters {
  const threads = Math.max(1, Math.min(availableParallelism(), runs));
  const pool = new Piscina<SplitTask, TileTrees[]>({
    filename: threadFile('split-tiles'),
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: threadLimits,
  });
  return {
    split: (run) => pool.run({ scratchFile, ...run }),
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

/** Splits in this thread. */
function ownSplitter(scratchFile: string): Splitters {
  const splitter = new RunSplitter(scratchFile);
  return {
    split: (run) => Promise.resolve(splitter.split(run)),
    [Symbol.asyncDispose]: () => {
      splitter[Symbol.dispose]();
      return Promise.resolve();
    },
  };
}

// First pass of a build: reads the feature tables, and adds every feature to the tiles to which it can matter.

interface Pass extends Required<Pick<CellBuildOptions, 'dataSets' | 'onProgress'>> {
  readonly scratchFile: string;
}

/** Most projection metres per ground metre; the scale of EPSG:3161 stays below it in Ontario. */
const LARGEST_SCALE = 1.01;

const PROGRESS_EVERY = 5000;

/** Returns the tiles with content, in order. */
function bucketFeatures(db: Database.Database, { scratchFile, dataSets, onProgress }: Pass): TileCount[] {
  const buckets = new Buckets(scratchFile);
  const add = featureAdder(buckets, new ValuesWriter(db));
  const total = dataSets.reduce((sum, { id, edgeOf }) => sum + (edgeOf === undefined ? countRows(db, id) : 0), 0);
  let done = 0;
  for (const [set, dataSet] of dataSets.entries()) {
    const { id, edgeOf, reachM } = dataSet;
    if (edgeOf !== undefined) {
      for (const { fid, geom } of areasOf(db, edgeOf))
        buckets.add(
          pieceOf({ set, fid, valuesRef: 0 }, outlineOf(readGeoPackageGeometry(geom))),
          reachM * LARGEST_SCALE,
        );
      continue;
    }
    for (const row of featuresOf(db, id)) {
      add(set, dataSet, row);
      if (++done % PROGRESS_EVERY === 0) onProgress({ phase: 'reading features', done, total });
    }
  }
  const tiles = buckets.finish();
  buckets.close();
  return tiles;
}

/** Makes a function that adds a feature to the leaves, and its outline if maps show it. */
function featureAdder(
  buckets: Buckets,
  values: ValuesWriter,
): (set: number, dataSet: IndexedDataSet, row: FeatureRow) => void {
  return (set, { reachM, fields, inline, outlined }, { fid, geom, ...rest }) => {
    const attributes = rest as Attributes;
    const stored = (text: string): number | string => (inline ? text : values.idOf(text));
    const geometry = readGeoPackageGeometry(geom);
    const valuesRef =
      fields.length === 0 ? 0 : stored(JSON.stringify(fields.map((field) => attributes[field] ?? null)));
    buckets.add(pieceOf({ set, fid, valuesRef }, geometry), reachM * LARGEST_SCALE);
    if (!outlined?.choices.some((choice) => counts({ attributes }, choice))) return;
    const label = labelOf(attributes, outlined.labelField);
    const outline = featureOutline({ set, fid, label: label === '' ? 0 : stored(label) }, geometry);
    if (outline) buckets.addOutline(outline);
  };
}

/** Returns '' for none. */
function labelOf(attributes: Readonly<Record<string, Attribute>>, field: string | null): string {
  return field === null ? '' : String(attributes[field] ?? '').trim();
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

/** Writes the table of attribute values (`tables.values`): stores each different array once, as JSON text. */
class ValuesWriter {
  readonly #insert: Database.Statement<[number, Buffer]>;
  /**
   * By a hash of 128 bits instead of the text, because there may be a million different texts, such as those of wells.
   */
  readonly #ids = new Map<string, number>();

  constructor(db: Database.Database) {
    this.#insert = db.prepare(`INSERT INTO ${tables.values} VALUES (?, ?)`);
  }

  /** Returns the row id of the text. */
  idOf(text: string): number {
    const key = hash('md5', text, 'base64');
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#ids.size + 1;
      this.#ids.set(key, id);
      this.#insert.run(id, Buffer.from(text));
    }
    return id;
  }
}
