import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { builtPages } from './built-pages.ts';
import { FileGroup, filesIn } from './files.ts';

const require = createRequire(import.meta.url);

/** The map library in the browser: its style sheet, its program and its worker. */
const MAP_FILES = ['gl.css', 'gl.mjs', 'gl-shared.mjs', 'gl-worker.mjs'].map((end) => `dist/maplibre-${end}`);

/**
 * All files that are the same for every visitor: the page's own, the map library, the program that reads a base map in the browser, and
 * Swagger UI. `npm run build` compresses them.
 */
export type FileGroups = Readonly<Record<'web' | 'mapLibrary' | 'pmtiles' | 'swaggerUi', FileGroup>>;

let groups: FileGroups | undefined;

/** Reads the files when it is first called. @throws Error when the pages were not built. */
export function fileGroups(): FileGroups {
  groups ??= {
    web: new FileGroup('/web', filesIn(builtPages())),
    mapLibrary: ofPackage('maplibre-gl', '/vendor/maplibre-gl', MAP_FILES),
    pmtiles: ofPackage('pmtiles', '/vendor/pmtiles', ['dist/pmtiles.js']),
    swaggerUi: ofPackage('swagger-ui-dist', '/vendor/swagger-ui', ['swagger-ui.css', 'swagger-ui-bundle.js']),
  };
  return groups;
}

/** These files of a package by their names, and nothing else of it. */
function ofPackage(name: string, base: string, files: readonly string[]): FileGroup {
  const folder = dirname(require.resolve(`${name}/package.json`));
  return new FileGroup(base, new Map(files.map((file) => [`/${basename(file)}`, readFileSync(join(folder, file))])));
}
