import { readFileSync, readdirSync, existsSync, statSync } from 'node:fs';
import { basename, join, extname, relative } from 'node:path';
import { builtDir, projectDir, runsFromSources } from '../../project/project.ts';
import type { Request, RequestHandler } from 'express';
import { badRequest } from '../../messages/problems.ts';
import { Content, hashOf, sendContent } from './content.ts';

/** `npm run build` puts the files of `web/` here, with their modules bundled. */
export const pagesFolder = join(builtDir, 'web');

/** Only a program that runs from its own sources has the pages' sources to compare with: what is compiled serves what was built with it. */
const sources = runsFromSources ? join(projectDir, 'web') : null;

/** Returns the folder of the pages. @throws Error when they were not built, or when one of their sources has changed since. */
export function builtPages(built = pagesFolder, from = sources): string {
  const how = 'run "npm run build-pages"';
  if (!existsSync(built)) throw new Error(`the pages are not built: ${how}`);
  if (from === null) return built;
  const builtAtMs = statSync(built).mtimeMs;
  const names = ['', ...readdirSync(from, { recursive: true, encoding: 'utf8' })];
  const changed = names.find((name) => statSync(join(from, name)).mtimeMs > builtAtMs);
  if (changed !== undefined) throw new Error(`${join('web', changed)} has changed since the pages were built: ${how}`);
  return built;
}

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
type FileGroups = Readonly<Record<'web' | 'mapLibrary' | 'pmtiles' | 'swaggerUi', FileGroup>>;

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

/** Version in a path: `/0123456789ab/main.js`. */
const VERSIONED = /^\/([0-9a-f]{12})(\/.+)$/;

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Files that browsers load together. The name of their folder is a hash of all of them, so that files may refer to each
 * other by relative paths and browsers may keep them for a year.
 */
export class FileGroup {
  readonly #base: string;
  readonly #contents: ReadonlyMap<string, Content>;
  readonly #version: string;

  /** `base`: where the group is served, such as `/web`. `files`: by their path in the group, such as `/main.js`. */
  constructor(base: string, files: ReadonlyMap<string, Buffer>) {
    const paths = [...files.keys()].sort();
    this.#base = base;
    this.#contents = new Map(paths.map((path) => [path, new Content(files.get(path)!)]));
    this.#version = hashOf(paths.map((path) => `${path} ${this.#contents.get(path)!.hash}\n`).join('')).slice(0, 12);
  }

  /** URL of the folder, without a slash at its end. */
  get url(): string {
    return `${this.#base}/${this.#version}`;
  }

  get contents(): readonly Content[] {
    return [...this.#contents.values()];
  }

  /** @throws Error when there is no such file. */
  text(path: string): string {
    const content = this.#contents.get(path);
    if (!content) throw new Error(`no file ${path} in ${this.#base}`);
    return content.bytes.toString('utf8');
  }

  /**
   * Serves the files by their path, never a listing or a redirect. A file is also found without the version and with that of another
   * release: during an upgrade, machines behind one address have different ones. Browsers keep only what the version names.
   * @param paths of those that are served, such as `/main.js`; all without it.
   */
  serve(paths: readonly string[] = [...this.#contents.keys()]): RequestHandler {
    const served = new Set(paths);
    return async (req, res, next) => {
      const isRead = req.method === 'GET' || req.method === 'HEAD';
      const [, version, versioned] = VERSIONED.exec(req.path) ?? [];
      const path = decoded(versioned ?? req.path);
      const content = isRead && served.has(path) ? this.#contents.get(path) : undefined;
      if (content === undefined) {
        next();
        return;
      }
      const type = types[extname(path)] ?? 'application/octet-stream';
      await sendContent(req, res, content, { type, isNamedByContent: version === this.#version });
    };
  }
}

/** The files below a folder by their path, as they are now, without dotfiles. */
export function filesIn(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => join(parentPath, name));
  const paths = files.map((file): [string, string] => [`/${relative(folder, file)}`, file]);
  return new Map(paths.filter(([path]) => !path.includes('/.')).map(([path, file]) => [path, readFileSync(file)]));
}

function decoded(path: Request['path']): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw badRequest('the path cannot be decoded', { cause });
  }
}
