import { partOf, type ServedFeature } from '../../feature.ts';
import { kept, sendContent, Content } from '../../core/http/content.ts';
import type { Services } from '../../core/http/services.ts';
import { type PageFacts, withoutKey } from '../../core/http/pages.ts';
import { partKey } from '../../core/parts/parts.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { readBaseMap, type BaseMap, baseMapLayers, baseMapStyles, baseMapUrls, versionOf } from './base-map.ts';
import { namedOnPage, type PageContent, pageDocument } from './page-document.ts';
import { pageSettings } from './settings.ts';
import { browserHeaders } from '../../core/http/browser-headers.ts';
import { fileGroups } from '../../core/http/file-groups.ts';
import { type Route, openRoute } from '../../core/http/route.ts';
import type { Folder } from '../../core/http/routes.ts';
import { AppError, badRequest } from '../../messages/problems.ts';
import { clientNetwork } from '../../core/settings/networks.ts';
import { Slots } from '../../core/http/slots.ts';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';

/** What the page must know now. The same object until it changes. */
const pagePart = partKey<() => PageContent>('page');

/** The page at `/`, for people with a key. */
export const page: ServedFeature = {
  guides: ['page'],
  about: () => ({ forSearch: ['/'] }),
  part: partOf(pagePart, openPage),
  pages: ({ parts }) => pageRoutes(parts.of(pagePart)),
  folders: ({ parts }) => pageFolders(parts.of(pagePart)()),
};

/** @throws Error when the base map cannot be used. */
function openPage(services: Services, _opened: unknown, features: readonly ServedFeature[]): () => PageContent {
  const { config, catalogue, snapshots } = services;
  const { baseMap, tileUrl, tileAttribution } = settingsOf(config, pageSettings);
  const isThere = (name: string): boolean => !config.leftOut.includes(name);
  const ground = isThere('maps')
    ? { tileUrl, tileAttribution, baseMap: baseMap === null ? null : readBaseMap(baseMap) }
    : { tileUrl: null, tileAttribution: '', baseMap: null };
  const members = () => features.flatMap((feature) => feature.page?.(services) ?? []);
  return kept(
    () => [snapshots.manifest, ...members().flatMap(({ of }) => of)],
    () => {
      const given = Object.assign({}, ...members().map(({ make }) => make())) as Partial<PageFacts>;
      const { signup = false, examples = [], brief = null, price = null, feedbackUrl = null } = given;
      const named = namedOnPage.filter((name) => isThere(name) && (name !== 'signup' || signup));
      const { sample } = snapshots.manifest;
      const { contact } = config;
      const layers = catalogue.answers.length;
      return { ...ground, examples, brief, price, feedbackUrl, contact, features: named, layers, sample };
    },
  );
}

/** What the page at `/` loads in any case. */
const FILES = [
  ...['/main.js', '/views.js', '/early.js', '/en.js', '/fr.js'],
  ...['/style.css', '/result.css', '/answers.css', '/print.css', '/icon.svg'],
];

/** The page at `/`, for the snapshot in service, and the base map. */
function pageRoutes(content: () => PageContent): readonly Route[] {
  const { tileUrl, baseMap } = content();
  const { send, styleSources, scriptSources } = pageDocument(content);
  const headers = browserHeaders({ tileOrigin: originOf(tileUrl), styleSources, scriptSources });
  const start = openRoute('/', [headers, withoutKey], send);
  return [start, ...(baseMap ? baseMapRoutes(baseMap, headers) : [])];
}

/** The files that the page loads. */
function pageFolders({ tileUrl, features }: PageContent): readonly Folder[] {
  const { web, mapLibrary, pmtiles } = fileGroups();
  // The worker of the map library asks for tiles.
  const headers = browserHeaders({ tileOrigin: originOf(tileUrl) });
  const hasMaps = features.includes('maps');
  const takesFiles = (['areas', 'batches', 'compare'] as const).some((one) => features.includes(one));
  const files = [
    ...FILES,
    ...(hasMaps ? ['/map.js'] : []),
    ...(takesFiles ? ['/files.js'] : []),
    ...(features.includes('areas') ? ['/kml.js'] : []),
    ...(features.includes('batches') ? ['/batch.js', '/batch.css'] : []),
  ];
  return [
    { path: '/web', headers, serve: web.serve(files) },
    ...(hasMaps
      ? [
          { path: '/vendor/maplibre-gl', headers, serve: mapLibrary.serve() },
          { path: '/vendor/pmtiles', headers, serve: pmtiles.serve() },
        ]
      : []),
  ];
}

const originOf = (tileUrl: string | null): string | undefined =>
  tileUrl === null ? undefined : new URL(tileUrl).origin;

/** Longest part that a request may have: directories have up to some 100 kB, tiles up to 500 kB. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Bytes of a part in memory; the connection has the same again. */
const READ_BYTES = 64 * 1024;

/** Parts that are being sent, 64 MB in memory. A browser asks for six at once, and an office has many. */
const SENDING = {
  most: 512,
  mostEach: 64,
  messages: {
    each: 'this network loads too many parts of the map at once',
    all: 'too many parts of the map are being sent',
  },
};

/** Parts of the base map's file by `Range`, and the layers of its style. None of it needs a key. */
function baseMapRoutes(baseMap: BaseMap, headers: RequestHandler): readonly Route[] {
  const urls = baseMapUrls(baseMap);
  const slots = new Slots(SENDING);
  return [
    {
      ...openRoute(urls.tiles, [headers], ({ req, res }) => sendPart(baseMap, req, res)),
      takesPlace: ({ req }) => ({ slots, holder: clientNetwork(req.ip) }),
    },
    ...baseMapStyles.map((style) => {
      const content = new Content(Buffer.from(JSON.stringify(baseMapLayers(style))));
      const how = { type: 'application/json', isNamedByContent: true };
      return openRoute(urls.style(style), [headers], ({ req, res }) => sendContent(req, res, content, how));
    }),
  ];
}

/**
 * Never the whole file, which may have a hundred gigabytes: a request without a range gets 400. A part is read as its client takes it in: a client can ask for
 * gigabytes and read nothing.
 */
async function sendPart({ file, version }: BaseMap, req: Request, res: Response): Promise<void> {
  await using handle = await open(file, 'r');
  const stats = await handle.stat();
  if (versionOf(stats) !== version) {
    throw new AppError('NOT_FOUND', 'the file of the base map has been replaced: the service must be started anew');
  }
  const { from, to } = rangeOf(req.get('range'), stats.size);
  res.status(206);
  res.setHeader('Content-Type', 'application/octet-stream');
  res.setHeader('Content-Range', `bytes ${from}-${to}/${stats.size}`);
  res.setHeader('Content-Length', to - from + 1);
  res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  res.setHeader('ETag', `"${version}"`);
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  const bytes = handle.createReadStream({ start: from, end: to, highWaterMark: READ_BYTES, autoClose: false });
  // A client that has left or does not read ends it, and so does a disk that cannot be read. The header is sent then.
  await pipeline(bytes, res).catch(() => res.destroy());
}

/** Reads a `Range` of one part, as the PMTiles reader sends it. @throws AppError BAD_REQUEST for any other. */
function rangeOf(range: string | undefined, size: number): { readonly from: number; readonly to: number } {
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(range ?? '') ?? [];
  const from = Number(first);
  const to = Math.min(Number(last), size - 1);
  if (first === undefined || from > to || to - from >= MOST_BYTES) {
    throw badRequest(`send a Range of one part within the file, at most ${MOST_BYTES} bytes`, { param: 'Range' });
  }
  return { from, to };
}
