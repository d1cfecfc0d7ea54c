import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { threadLimits } from '../../../src/messages/thread-limits.ts';
import { threadFile } from '../thread-file.ts';
import { RunSplitter } from './run-splitter.ts';
import type { SplitTask, TileTrees } from './split.ts';

/** Splits runs of tiles, several at a time. */
export interface Splitters extends AsyncDisposable {
  split(run: Pick<SplitTask, 'tiles' | 'dataSets'>): Promise<TileTrees[]>;
}

/** Splits on all cores, as far as there are so many runs. */
export function threadSplitters(scratchFile: string, runs: number): Splitters {
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
export function ownSplitter(scratchFile: string): Splitters {
  const splitter = new RunSplitter(scratchFile);
  return {
    split: (run) => Promise.resolve(splitter.split(run)),
    [Symbol.asyncDispose]: () => {
      splitter[Symbol.dispose]();
      return Promise.resolve();
    },
  };
}
