/** Piscina's entry for the second pass of a build: reads tiles from the temporary file and returns their trees. */
import { RunSplitter } from '../import/cells/run-splitter.ts';
import type { SplitTask, TileTrees } from '../import/cells/split.ts';

let open: { readonly file: string; readonly splitter: RunSplitter } | null = null;

function splitterOf(file: string): RunSplitter {
  if (open?.file === file) return open.splitter;
  open?.splitter[Symbol.dispose]();
  open = { file, splitter: new RunSplitter(file) };
  return open.splitter;
}

export default function splitTiles(task: SplitTask): TileTrees[] {
  return splitterOf(task.scratchFile).split(task);
}
