/** Where the project is, and which version of it this is. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with package.json, found from the sources and from `dist/`. */
export const projectDir = findProjectDir(dirname(fileURLToPath(import.meta.url)));

/** Where `npm run build` puts what runs and what browsers get. */
export const builtDir = join(projectDir, 'dist');

/** The definitions of the release. */
export const releasedLayers = join(projectDir, 'layers');

/** Whether this process runs from the sources, and not from what was built. */
export const runsFromSources = import.meta.url.endsWith('.ts');

/** Returns the version of the program. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { readonly version: string }).version;
}

function findProjectDir(start: string): string {
  for (let dir = start; ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'package.json'))) return dir;
    if (dir === dirname(dir)) throw new Error(`no package.json above ${start}`);
  }
}
