import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { projectDir } from '../config.ts';
import { FileGroup, filesIn } from './files.ts';
import { joinModules } from './join-modules.ts';

const require = createRequire(import.meta.url);

/** The texts of the pages in each language. */
const TEXTS = ['en.js', 'fr.js'];

/** The scripts of each page that are modules: what it loads first, then what it loads by `import()`. Each becomes one file. */
const scripts = [
  ['main.js', ...TEXTS, 'views.js', 'map.js', 'batch.js'],
  ['account.js', ...TEXTS],
  ['signup.js', ...TEXTS],
];

/** Scripts that are no modules. */
const plainScripts = new Set(['/early.js', '/docs.js']);

/** The map library in the browser: its style sheet, its program and its worker. */
const MAP_FILES = ['gl.css', 'gl.mjs', 'gl-shared.mjs', 'gl-worker.mjs'].map((end) => `dist/maplibre-${end}`);

/**
 * All files that are the same for every visitor: the page's own, the map library, the program that reads a base map in the browser, and
 * Swagger UI. `npm run build` compresses them.
 */
export type FileGroups = Readonly<Record<'web' | 'mapLibrary' | 'pmtiles' | 'swaggerUi', FileGroup>>;

let groups: FileGroups | undefined;

/** Reads the files when it is first called. */
export function fileGroups(): FileGroups {
  groups ??= {
    web: new FileGroup('/web', webFiles()),
    mapLibrary: ofPackage('maplibre-gl', '/vendor/maplibre-gl', MAP_FILES),
    pmtiles: ofPackage('pmtiles', '/vendor/pmtiles', ['dist/pmtiles.js']),
    swaggerUi: ofPackage('swagger-ui-dist', '/vendor/swagger-ui', ['swagger-ui.css', 'swagger-ui-bundle.js']),
  };
  return groups;
}

/** The page's own files, with its modules joined: one after another they would take a slow network seconds (docs/decisions/0249). */
function webFiles(): Map<string, Buffer> {
  const files = [...filesIn(join(projectDir, 'web'))];
  const isModule = ([path]: readonly [string, unknown]): boolean => path.endsWith('.js') && !plainScripts.has(path);
  const sources = new Map(files.filter(isModule).map(([path, bytes]) => [path.slice(1), bytes.toString('utf8')]));
  const joined = [...joinModules(sources, scripts)];
  return new Map([
    ...files.filter((file) => !isModule(file)),
    ...joined.map(([name, text]) => [`/${name}`, Buffer.from(text)] as const),
  ]);
}

/** These files of a package by their names, and nothing else of it. */
function ofPackage(name: string, base: string, files: readonly string[]): FileGroup {
  const folder = dirname(require.resolve(`${name}/package.json`));
  return new FileGroup(base, new Map(files.map((file) => [`/${basename(file)}`, readFileSync(join(folder, file))])));
}
