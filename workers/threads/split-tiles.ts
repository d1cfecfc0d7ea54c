/** Piscina's entry for the second pass of a build: reads tiles from the temporary file and returns their trees. */
import Database from 'better-sqlite3';
import { bucketReader } from '../import/cells/bucket.ts';
import { tileBox } from '../lookup/cells/format.ts';
import { splitTile, type SplitTask, type TileTrees } from '../import/cells/split.ts';

let open: {
  readonly file: string;
  readonly db: Database.Database;
  readonly read: ReturnType<typeof bucketReader>;
} | null = null;

function openScratch(file: string): NonNullable<typeof open> {
  if (open?.file === file) return open;
  open?.db.close();
  const db = new Database(file, { readonly: true, fileMustExist: true });
  return (open = { file, db, read: bucketReader(db) });
}

export default function splitTiles({ scratchFile, tiles, dataSets }: SplitTask): TileTrees[] {
  const { read } = openScratch(scratchFile);
  return tiles.map((tile) => splitTile(tileBox(tile), read(tile), dataSets));
}
