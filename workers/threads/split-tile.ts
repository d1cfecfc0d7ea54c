/** Piscina's entry for the second pass of a build: reads one tile from the temporary file and returns its tree. */
import Database from 'better-sqlite3';
import { readBucket } from '../import/cells/bucket.ts';
import { tileBox } from '../lookup/cells/format.ts';
import { splitTile, type SplitTask, type TileTree } from '../import/cells/split.ts';

let open: { readonly file: string; readonly db: Database.Database } | null = null;

export default function splitTileTask({ scratchFile, tile, dataSets }: SplitTask): TileTree {
  if (open?.file !== scratchFile) {
    open?.db.close();
    open = { file: scratchFile, db: new Database(scratchFile, { readonly: true, fileMustExist: true }) };
  }
  return splitTile(tileBox(tile), readBucket(open.db, tile), dataSets);
}
