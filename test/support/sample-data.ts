import { cliOrThrow } from './cli.ts';
import { temporaryFolder } from './folder.ts';

let made: ReturnType<typeof temporaryFolder> | null = null;

/** A data folder with the bundled sample, imported once for all tests of a run. Its snapshots are not to be changed. */
export function sampleDataDir(): string {
  if (made) return made.path;
  const folder = temporaryFolder();
  process.once('exit', () => {
    folder[Symbol.dispose]();
  });
  cliOrThrow(folder.path, 'load-layers', '--sample');
  cliOrThrow(folder.path, 'load-addresses', '--sample');
  made = folder;
  return made.path;
}
