import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtDir, runsFromSources } from '../../../src/project/project.ts';

/** The file of the command line: the source for tests that run from their sources, otherwise what is installed. */
export const mainFile = runsFromSources
  ? programFile('../../../src/main', import.meta.url)
  : join(builtDir, 'src', 'main.js');

/**
 * The file of a program of the tests, by its URL relative to the module that asks (`import.meta.url`) and without an ending: the source beside sources, the
 * compiled program beside compiled tests.
 */
export function programFile(name: string, from: string): string {
  return fileURLToPath(new URL(name + extname(from), from));
}
