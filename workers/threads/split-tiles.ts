/** Piscina's entry for the second pass of a build: reads tiles from the temporary file and returns their trees. */
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { RunSplitter } from '../import/cells/bucket.ts';
import type { SplitTask, TileTree, TileTrees } from '../import/cells/split.ts';

let open: { readonly file: string; readonly splitter: RunSplitter } | null = null;

function splitterOf(file: string): RunSplitter {
  if (open?.file === file) return open.splitter;
  open?.splitter[Symbol.dispose]();
  open = { file, splitter: new RunSplitter(file) };
  return open.splitter;
}

/** The leaves go to the other thread as one block and are not copied there. */
export default function splitTiles(task: SplitTask): unknown {
  const { trees, block } = inOneBlock(splitterOf(task.scratchFile).split(task));
  return move({ [transferableSymbol]: [block], [valueSymbol]: trees });
}

/** Small buffers of Node.js are parts of larger blocks, which a message would hold whole. */
function inOneBlock(trees: readonly TileTrees[]): {
  readonly trees: readonly TileTrees[];
  readonly block: ArrayBuffer;
} {
  const leaves = trees.flatMap(({ cells, outlines }) => [...cells.leaves, ...outlines.leaves]);
  const block = new ArrayBuffer(leaves.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  const placed = ({ shape, leaves: own }: TileTree): TileTree => ({
    shape,
    leaves: own.map((leaf) => {
      const copy = Buffer.from(block, at, leaf.length);
      at += leaf.copy(copy);
      return copy;
    }),
  });
  return { trees: trees.map(({ cells, outlines }) => ({ cells: placed(cells), outlines: placed(outlines) })), block };
}
