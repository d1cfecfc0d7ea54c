import type { TileCount } from './bucket.ts';

/**
 * Most pieces and tiles of a run, unless one tile alone has more pieces. Most tiles have few pieces, and a message for
 * each tile costs more than splitting it: in runs, an import of the bundled sample takes a third less CPU time.
 */
const MOST_IN_RUN = { pieces: 64, tiles: 64 };

/** Groups tiles, in their order, into runs that a thread splits together. */
export function* runsOf(tiles: readonly TileCount[]): Generator<number[]> {
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
