import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Router } from 'express';
import { projectDir } from '../config.ts';
import { browserHeaders } from './browser-headers.ts';
import { serveFiles } from './files.ts';
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

/** Returns the folder of a package with the files that browsers load. */
export const packageDir = (name: string): string => dirname(require.resolve(`${name}/package.json`));

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
  router.get('/web/config.json', (_req, res) => {
    res
      .set({ 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' })
      .end(JSON.stringify({ ...options, examples: options.examples() }));
  });
  router.use('/web', headers, serveFiles(webDir));
  router.use('/vendor/maplibre-gl', headers, serveFiles(join(packageDir('maplibre-gl'), 'dist')));
  return router;
}
