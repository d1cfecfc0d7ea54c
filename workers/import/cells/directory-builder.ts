import { TILES_PER_SIDE } from '../../engine/cells/format.ts';
import { cellShape, type TileTree } from './split.ts';

/** Makes the directory of a cell index (`find-leaf.ts`): grows as tiles are added; `entries` is what is stored. */
export class DirectoryBuilder {
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
