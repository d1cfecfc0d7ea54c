import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DownloadedFeature } from '../../../../src/messages/import.ts';
import { noFaults, type FaultKind, type FaultPlan } from './faults.ts';
import { esriGeometryTypes, inCrs, objectIdOf, toEsri, wkidOf, type ServedLayer } from './layers.ts';
import { contains } from '../../../lookup/plain-geometry.ts';
import type { LonLat } from '../../material/sample/frame.ts';
import { error, send } from './send.ts';

/** An answer, as far as tests change it. */
export type Json = Readonly<Record<string, unknown>> & {
  readonly objectIds?: readonly number[];
  readonly features?: readonly { readonly attributes: Readonly<Record<string, unknown>>; readonly geometry: unknown }[];
};

const ROOT = '/arcgis/rest/services';
/** Where the fault `redirect` sends to: the same services answer there. */
const MOVED_ROOT = '/server/rest/services';

/** A server that behaves like the province's ArcGIS services, as far as a download sees them, with faults to order. */
export class ArcgisServer implements AsyncDisposable {
  layers: readonly ServedLayer[];
  faults: FaultPlan = noFaults;
  /** What a 503 asks a client to wait. */
  retryAfterS = 0;
  /** How long it works on features. */
  featuresMs = 0;
  /** What a server of another kind would answer instead. */
  otherwise: (json: Json, query: URLSearchParams) => object = (json) => json;
  /** How far the count that it gives is off. */
  countOffset = 0;
  /** Every request: path and parameters, and whether all that was asked for has gone out. */
  readonly requests: { readonly path: string; readonly query: URLSearchParams; delivered: boolean }[] = [];
  #server: Server;
  #port = 0;
  readonly #sockets = new Set<Socket>();

  private constructor(layers: readonly ServedLayer[]) {
    this.layers = layers;
    this.#server = this.#create();
  }

  static async start(layers: readonly ServedLayer[]): Promise<ArcgisServer> {
    const server = new ArcgisServer(layers);
    await server.#listen();
    return server;
  }

  /** Root of the services. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}${ROOT}`;
  }

  /** Resolves when so many requests have come. */
  async requested(count: number): Promise<void> {
    while (this.requests.length < count) await sleep(10);
  }

  /** Drops every connection, is away for a while, and comes back at the same address. */
  async restart(awayMs: number): Promise<void> {
    await this.#stop();
    await sleep(awayMs);
    this.#server = this.#create();
    await this.#listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  #create(): Server {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    return server;
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    if (url.pathname === '/portal/signin')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hello</html>');
    const form = new URLSearchParams(await bodyOf(request));
    const query = new URLSearchParams([...url.searchParams, ...form]);
    const isMoved = url.pathname.startsWith(MOVED_ROOT);
    const path = decodeURIComponent(url.pathname).slice((isMoved ? MOVED_ROOT : ROOT).length + 1);
    const received = { path, query, delivered: false };
    this.requests.push(received);
    const fault = this.#stalls(path, query) ? 'silence' : (pageFor(query) ?? this.faults(query, path));
    if (fault === 'redirect' && !isMoved) {
      const location = url.pathname.replace(ROOT, MOVED_ROOT) + url.search;
      return void response.writeHead(301, { location }).end();
    }
    const json = path.endsWith('/query') ? this.#query(path, query, fault) : this.#describe(path);
    if (query.has('objectIds')) await sleep(this.featuresMs);
    received.delivered = await send(response, JSON.stringify(this.otherwise(json as Json, query)), {
      fault,
      retryAfterS: this.retryAfterS,
    });
  }

  #stalls(path: string, query: URLSearchParams): boolean {
    const most = this.#layerAt(path.replace(/\/query$/, ''))?.mostPerPage ?? Infinity;
    return (query.get('objectIds')?.split(',').length ?? 0) > most;
  }

  #describe(path: string): object {
    const layer = this.#layerAt(path);
    if (layer) return layerJson(layer);
    const inService = this.layers.filter(({ service }) => service === path);
    if (inService.length > 0)
      return { layers: inService.map(({ id, name }) => ({ id, name, type: 'Feature Layer' })), tables: [] };
    const services = new Set(
      this.layers.map(({ service }) => service).filter((service) => service.startsWith(`${path}/`)),
    );
    if (services.size === 0) return error(404, `Service ${path} not found`);
    return {
      services: [...services].map((service) => {
        const slash: number = service.lastIndexOf('/');
        return { name: service.slice(0, slash), type: service.slice(slash + 1) };
      }),
    };
  }

  #layerAt(path: string): ServedLayer | undefined {
    return this.layers.find(({ service, id }) => path === `${service}/${id}`);
  }

  #query(path: string, query: URLSearchParams, fault: FaultKind | null): object {
    const layer = this.#layerAt(path.replace(/\/query$/, ''));
    if (!layer) return error(404, 'no such layer');
    const rows = layer.features.map((feature, i) => ({ feature, id: objectIdOf(feature, i) }));
    if (query.get('returnIdsOnly') === 'true')
      return { objectIdFieldName: 'OBJECTID', objectIds: rows.map(({ id }) => id).reverse() };
    if (query.get('returnCountOnly') === 'true')
      return { count: query.has('geometry') ? countAt(layer, query) : rows.length + this.countOffset };
    if (query.has('outStatistics')) return statistics(layer, query);
    return features(layer, rows, query, fault);
  }
}

/** Without `f` the services answer people, with a page. A client that was redirected has lost its form. */
function pageFor(query: URLSearchParams): FaultKind | null {
  return query.has('f') ? null : 'web page';
}

function features(layer: ServedLayer, rows: readonly Row[], query: URLSearchParams, fault: FaultKind | null): object {
  const isGeoJson = query.get('f') === 'geojson';
  const outSr = outSrOf(layer, query);
  if (outSr === null) return error(400, 'Invalid format or spatial reference');
  const asked = new Set((query.get('objectIds') ?? '').split(',').map(Number));
  const found = rows.filter(({ id }) => asked.has(id)).slice(0, layer.maxRecordCount ?? 2000);
  const page = pageOf(found, fault);
  const fields = (query.get('outFields') ?? '').split(',');
  const sent = fault === 'duplicates' ? [...page, ...page] : page;
  const head = isGeoJson
    ? { type: 'FeatureCollection' }
    : { spatialReference: { wkid: layer.sentWkid ?? outSr, latestWkid: layer.sentWkid ?? outSr } };
  const json = {
    ...head,
    features: sent.map(({ id, feature }) =>
      featureJson(id, { ...feature, geometry: inCrs(layer, outSr, feature.geometry) }, { fields, isGeoJson }),
    ),
    ...(page.length < found.length && fault !== 'silently short page' ? { exceededTransferLimit: true } : {}),
  };
  return json;
}

/** GeoJSON is always in WGS 84; Esri JSON is in the layer's own CRS unless the query says otherwise. Null for what it cannot do. */
function outSrOf(layer: ServedLayer, query: URLSearchParams): number | null {
  if (query.get('f') === 'geojson') return layer.speaksGeoJson === false ? null : 4326;
  const outSr = Number(query.get('outSR') ?? wkidOf(layer));
  return [4326, wkidOf(layer)].includes(outSr) ? outSr : null;
}

function pageOf(found: readonly Row[], fault: FaultKind | null): readonly Row[] {
  if (fault === 'empty page') return [];
  return fault?.endsWith('short page') ? found.slice(0, Math.ceil(found.length / 2)) : found;
}

interface Row {
  readonly id: number;
  readonly feature: DownloadedFeature;
}

function layerJson(layer: ServedLayer): object {
  const { id, name, geometry, fields, maxRecordCount, speaksGeoJson, editedMs } = layer;
  const spatialReference = { wkid: wkidOf(layer), latestWkid: wkidOf(layer) };
  return {
    currentVersion: 10.91,
    id,
    name,
    type: 'Feature Layer',
    geometryType: esriGeometryTypes[geometry],
    maxRecordCount: maxRecordCount ?? 2000,
    extent: { xmin: -95.2, ymin: 41.6, xmax: -74.3, ymax: 56.9, spatialReference },
    sourceSpatialReference: spatialReference,
    supportedQueryFormats: speaksGeoJson === false ? 'JSON' : 'JSON, geoJSON, PBF',
    fields: [
      { name: 'OBJECTID', type: 'esriFieldTypeOID' },
      ...fields,
      { name: 'SHAPE', type: 'esriFieldTypeGeometry' },
    ],
    ...(editedMs === undefined ? {} : { editingInfo: { lastEditDate: editedMs } }),
  };
}

function featureJson(
  id: number,
  { attributes, geometry }: DownloadedFeature,
  { fields, isGeoJson }: { readonly fields: readonly string[]; readonly isGeoJson: boolean },
): object {
  const chosen = Object.fromEntries(
    fields.map((name) => [name, name === 'OBJECTID' ? id : (attributes[name] ?? null)]),
  );
  if (isGeoJson) return { type: 'Feature', id, geometry, properties: chosen };
  // A geometry that is Esri's already (a curve) goes out as it is.
  const esri = geometry && !('type' in geometry) ? geometry : toEsri(geometry);
  return { attributes: chosen, geometry: esri };
}

function polygonsOf(geometry: DownloadedFeature['geometry']): readonly (readonly LonLat[])[][] {
  if (geometry === null || !('type' in geometry)) return [];
  if (geometry.type === 'Polygon') return [geometry.coordinates as LonLat[][]];
  return geometry.type === 'MultiPolygon' ? (geometry.coordinates as LonLat[][][]) : [];
}

/** How many features are at a place, which must be asked for in WGS 84. */
function countAt({ features }: ServedLayer, query: URLSearchParams): number {
  if (query.get('geometryType') !== 'esriGeometryPoint' || query.get('inSR') !== '4326') return NaN;
  const { x, y } = JSON.parse(query.get('geometry')!) as { x: number; y: number };
  return features.filter(({ geometry }) => polygonsOf(geometry).some((rings) => contains(rings, [x, y]))).length;
}

function statistics({ features, hasStatistics }: ServedLayer, query: URLSearchParams): object {
  if (hasStatistics === false) return error(400, 'Statistics are not supported');
  const wanted = JSON.parse(query.get('outStatistics')!) as {
    onStatisticField: string;
    outStatisticFieldName: string;
  }[];
  const attributes = wanted.map(({ onStatisticField, outStatisticFieldName }) => [
    outStatisticFieldName,
    Math.max(...features.map((feature) => Number(feature.attributes[onStatisticField] ?? 0))),
  ]);
  return { features: [{ attributes: Object.fromEntries(attributes) as object }] };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
