import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import express, { Router, type RequestHandler } from 'express';
import { projectDir } from '../config.ts';
import { browserHeaders } from './browser-headers.ts';
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

/** Never sends a listing, a redirect or a dotfile. Browsers check each time whether their copy is current. */
const staticOptions = { index: false, redirect: false, dotfiles: 'ignore', cacheControl: false } as const;

/** The map library in the browser: its style sheet, and its program in three parts. */
const MAP_FILES = ['gl.css', 'gl.mjs', 'gl-shared.mjs', 'gl-worker.mjs'].map((end) => `dist/maplibre-${end}`);

/** Sends these files of a package below `/vendor/<package>`, and nothing else of it. */
export function vendorFiles(packageName: string, files: readonly string[], headers: RequestHandler): Router {
  const folder = dirname(require.resolve(`${packageName}/package.json`));
  const router = Router({ strict: true, caseSensitive: true });
  for (const file of files) {
    router.get(`/vendor/${packageName}/${basename(file)}`, headers, (_req, res) => {
      res.sendFile(join(folder, file), { cacheControl: false });
    });
  }
  return router;
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
  router.use('/web', headers, express.static(webDir, staticOptions));
  router.use(vendorFiles('maplibre-gl', MAP_FILES, headers));
  return router;
}
