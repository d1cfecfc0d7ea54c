import { join } from 'node:path';
import { cliOrThrow } from '../drivers/cli.ts';
import { madeOnce } from '../drivers/run-folder.ts';

/**
 * A data folder with the bundled sample, then all real extracts, then the address register, each imported by its command, once for all tests
 * of a run. Its snapshots are not to be changed.
 * @param data folder of the extracts (`shared-data.ts`).
 */
export function realDataDir(data: string): string {
  return madeOnce('real', (folder) => {
    cliOrThrow(folder, 'load-layers', '--sample');
    cliOrThrow(folder, 'load-layers', '--from', join(data, 'sources'));
    cliOrThrow(folder, 'load-addresses', '--from', join(data, 'nar'));
  });
}
