import { open } from 'node:fs/promises';
import { Router, type RequestHandler } from 'express';
import { AppError, badRequest } from '../shared/problems.ts';
import { baseMapLanguages, baseMapLayers, versionOf, type BaseMap, type BaseMapLanguage } from './base-map.ts';
import { Content, sendContent } from './content.ts';
import { onlyMethods } from './problem.ts';

/** Longest part that a request may have: directories have up to some 100 kB, tiles up to 500 kB. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Where the parts of a base map are. They are named by its version, so that browsers may keep them. */
export function baseMapUrls({ version }: Pick<BaseMap, 'version'>) {
  return {
    tiles: `/basemap/${version}.pmtiles`,
    style: (lang: BaseMapLanguage) => `/basemap/${version}/layers-${lang}.json`,
  };
}

/** Parts of the base map's file by `Range`, and the layers of its style. None of it needs a key. */
export function baseMapRoute(baseMap: BaseMap, headers: RequestHandler): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const urls = baseMapUrls(baseMap);
  router.route(urls.tiles).get(headers, sendPart(baseMap)).all(onlyMethods('GET', 'HEAD'));
  for (const lang of baseMapLanguages) {
    const content = new Content(Buffer.from(JSON.stringify(baseMapLayers(lang))));
    router
      .route(urls.style(lang))
      .get(headers, (req, res) => sendContent(req, res, content, { type: 'application/json', isNamedByContent: true }))
      .all(onlyMethods('GET', 'HEAD'));
  }
  return router;
}

/** Never the whole file, which may have a hundred gigabytes: a request without a range gets 400. */
function sendPart({ file, version }: BaseMap): RequestHandler {
  return async (req, res) => {
    const handle = await open(file, 'r');
    try {
      const stats = await handle.stat();
      if (versionOf(stats) !== version) {
        throw new AppError('NOT_FOUND', 'the file of the base map has been replaced: the service must be started anew');
      }
      const { from, to } = partOf(req.get('range'), stats.size);
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(to - from + 1), 0, to - from + 1, from);
      res.setHeader('Content-Type', 'application/octet-stream');
      res.setHeader('Content-Range', `bytes ${from}-${to}/${stats.size}`);
      res.setHeader('Content-Length', bytesRead);
      res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
      res.setHeader('ETag', `"${version}"`);
      res.status(206).end(buffer.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  };
}

/** Reads a `Range` of one part, as the PMTiles reader sends it. @throws AppError BAD_REQUEST for any other. */
function partOf(range: string | undefined, size: number): { readonly from: number; readonly to: number } {
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(range ?? '') ?? [];
  const from = Number(first);
  const to = Math.min(Number(last), size - 1);
  if (first === undefined || from > to || to - from >= MOST_BYTES) {
    throw badRequest(`send a Range of one part within the file, at most ${MOST_BYTES} bytes`, { param: 'Range' });
  }
  return { from, to };
}
