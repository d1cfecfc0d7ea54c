import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The file of a program, by its URL relative to the module that asks (`import.meta.url`) and without an ending: the source beside sources, the
 * compiled program beside compiled tests.
 */
export function programFile(name: string, from: string): string {
  return fileURLToPath(new URL(name + extname(from), from));
}
