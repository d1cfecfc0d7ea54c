/** Piscina's entry for the second pass of a build: reads one tile from the temporary file and returns its tree. */
import Database from 'better-sqlite3';
import { readBucket } from './bucket.ts';
import { tileBox } from './format.ts';
import { splitTile, type IndexedDataSet, type TileTree } from './split.ts';

export interface SplitTask {
  readonly scratchFile: string;
  readonly tile: number;
  readonly dataSets: readonly IndexedDataSet[];
}

let open: { readonly file: string; readonly db: Database.Database } | null = null;

export default function splitTileTask({ scratchFile, tile, dataSets }: SplitTask): TileTree {
  if (open?.file !== scratchFile) {
    open?.db.close();
    open = { file: scratchFile, db: new Database(scratchFile, { readonly: true, fileMustExist: true }) };
  }
  return splitTile(tileBox(tile), readBucket(open.db, tile), dataSets);
}
