import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Router, type RequestHandler } from 'express';
import { projectDir } from '../config.ts';
import { browserHeaders } from './browser-headers.ts';
import { filesIn, serveFiles } from './files.ts';
import { onlyMethods } from './problem.ts';

export interface PageOptions {
  /** Template of the base map's tiles with {z}, {x} and {y}; null: no base map. */
  readonly tileUrl: string | null;
  readonly tileAttribution: string;
  /** Addresses to try, in the snapshot in service. */
  readonly examples: () => readonly string[];
}

const webDir = join(projectDir, 'web');
const require = createRequire(import.meta.url);

/** The map library in the browser: its style sheet, and its program in three parts. */
const MAP_FILES = ['gl.css', 'gl.mjs', 'gl-shared.mjs', 'gl-worker.mjs'].map((end) => `dist/maplibre-${end}`);

/** Serves these files of a package by their names, and nothing else of it. */
export function vendorFiles(packageName: string, files: readonly string[]): RequestHandler {
  const folder = dirname(require.resolve(`${packageName}/package.json`));
  return serveFiles(new Map(files.map((file) => [`/${basename(file)}`, join(folder, file)])));
}

/** The page at `/`, its files below `/web`, and the map library. */
export function pageRoute(options: PageOptions): Router {
  const { tileUrl } = options;
  const headers = browserHeaders({ tileOrigin: tileUrl === null ? undefined : new URL(tileUrl).origin });
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/')
    .get(headers, (_req, res) => {
      res.sendFile(join(webDir, 'index.html'), { cacheControl: false });
    })
    .all(onlyMethods('GET', 'HEAD'));
  router.get('/web/config.json', headers, (_req, res) => {
    res
      .set({ 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' })
      .end(JSON.stringify({ ...options, examples: options.examples() }));
  });
  router.use('/web', headers, serveFiles(filesIn(webDir)));
  router.use('/vendor/maplibre-gl', headers, vendorFiles('maplibre-gl', MAP_FILES));
  return router;
}
