import { cliOrThrow } from '../drivers/cli.ts';
import { madeOnce } from '../drivers/run-folder.ts';

/** A data folder with the bundled sample, imported once for all tests of a run. Its snapshots are not to be changed. */
export function sampleDataDir(): string {
  return madeOnce('sample', (folder) => {
    cliOrThrow(folder, 'load-layers', '--sample');
    cliOrThrow(folder, 'load-addresses', '--sample');
  });
}
