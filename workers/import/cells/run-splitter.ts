import Database from 'better-sqlite3';
import { tileBox } from '../../engine/cells/format.ts';
import { bucketReader } from './bucket.ts';
import { splitTile, type SplitTask, type TileTrees } from './split.ts';

/** Splits runs of tiles of one temporary file. */
export class RunSplitter implements Disposable {
  readonly #db: Database.Database;
  readonly #read: ReturnType<typeof bucketReader>;

  constructor(scratchFile: string) {
    this.#db = new Database(scratchFile, { readonly: true, fileMustExist: true });
    this.#read = bucketReader(this.#db);
  }

  split({ tiles, dataSets }: Pick<SplitTask, 'tiles' | 'dataSets'>): TileTrees[] {
    return tiles.map((tile) => splitTile(tileBox(tile), this.#read(tile), dataSets));
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
