/** Builds the cell index of a snapshot under construction from its feature tables (docs/cell-index.md). */
import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import Database from 'better-sqlite3';
import type { TileCount } from './bucket.ts';
import { bucketFeatures, LARGEST_SCALE, type CellBuildProgress, type Pass } from './bucket-features.ts';
import { DirectoryBuilder } from './directory-builder.ts';
import { CELL_FORMAT, DIRECTORY_CHUNK, tables, type CellHeader } from '../../engine/cells/format.ts';
import { createAttributeTable } from '../../geopackage/attribute-table.ts';
import type { IndexedDataSet } from '../../engine/cells/format.ts';
import type { TileTree, TileTrees } from './split.ts';
import { ownSplitter, threadSplitters } from './splitters.ts';
import { runsOf } from './tile-runs.ts';

export interface CellBuildOptions {
  /**
   * The GeoPackage from which feature tables are read and into which the index is written; nobody else may have it
   * open.
   */
  readonly gpkg: string;
  readonly dataSets: readonly IndexedDataSet[];
  readonly onProgress?: (progress: CellBuildProgress) => void;
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
