import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { builtDir } from '../../project/project.ts';
import { builtPages } from './built-pages.ts';
import { FileGroup, filesIn } from './files.ts';

/**
 * Files of libraries that browsers get as they are: the map library with its style sheet and its worker, the program that reads a base map, and
 * Swagger UI. Nothing else of these packages is used.
 */
export const vendorFiles = {
  'maplibre-gl': ['gl.css', 'gl.mjs', 'gl-shared.mjs', 'gl-worker.mjs'].map((end) => `dist/maplibre-${end}`),
  pmtiles: ['dist/pmtiles.js'],
  'swagger-ui-dist': ['swagger-ui.css', 'swagger-ui-bundle.js'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** `npm run build` puts the vendor files here, in a folder for each package. */
export const vendorFolder = join(builtDir, 'vendor');

/** All files that are the same for every visitor: the page's own, and those of libraries. `npm run build` compresses them. */
export type FileGroups = Readonly<Record<'web' | 'mapLibrary' | 'pmtiles' | 'swaggerUi', FileGroup>>;

let groups: FileGroups | undefined;

/** Reads the files when it is first called. @throws Error when the pages were not built. */
export function fileGroups(): FileGroups {
  groups ??= {
    web: new FileGroup('/web', filesIn(builtPages())),
    mapLibrary: ofPackage('maplibre-gl', '/vendor/maplibre-gl'),
    pmtiles: ofPackage('pmtiles', '/vendor/pmtiles'),
    swaggerUi: ofPackage('swagger-ui-dist', '/vendor/swagger-ui'),
  };
  return groups;
}

function ofPackage(name: keyof typeof vendorFiles, base: string): FileGroup {
  const names = vendorFiles[name].map((file) => basename(file));
  return new FileGroup(base, new Map(names.map((file) => [`/${file}`, readFileSync(join(vendorFolder, name, file))])));
}
