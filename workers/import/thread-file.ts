import { extname } from 'node:path';

/**
 * Returns the file of a thread that an import starts. The folder of the threads is a neighbour of this file's folder and of the folder of the file that the
 * build joins this module into.
 */
export function threadFile(name: 'prepare-features' | 'split-tiles'): string {
  return new URL(`../threads/${name}${extname(import.meta.url)}`, import.meta.url).href;
}
