import { callArcgis, type ArcgisJson, type ArcgisOptions } from './arcgis.ts';

/** A layer as its server describes it. */
export interface ArcgisLayer {
  /** Of the layer: `…/MapServer/15`. */
  readonly url: string;
  readonly name: string;
  readonly geometry: 'polygon' | 'line' | 'point' | null;
  readonly fields: readonly ArcgisField[];
  readonly objectIdField: string;
  /** SQL condition that chooses the features. */
  readonly where: string;
  readonly maxRecordCount: number;
  /** GeoJSON where the server speaks it: its polygons come with their rings in order. */
  readonly format: 'geojson' | 'json';
  /** When the publisher last edited the data, in epoch milliseconds; few services say. */
  readonly editedMs: number | null;
}

export interface ArcgisField {
  readonly name: string;
  readonly isDate: boolean;
}

export interface LayerAddress {
  /** Root: `https://host/…/rest/services`. */
  readonly server: string;
  /** `Folder/Name/MapServer`, also with a layer id behind it, or a folder whose services are searched. */
  readonly service: string;
  /** Names that the layer may have, in order of preference. */
  readonly names: readonly string[];
  /** Chooses among several of that name. */
  readonly layerIdHint: number | null;
  /** SQL condition that chooses the features; all when absent. */
  readonly where?: string;
}

interface Listed {
  readonly url: string;
  readonly id: number;
  readonly name: string;
}

const geometries: Readonly<Record<string, ArcgisLayer['geometry']>> = {
  esriGeometryPolygon: 'polygon',
  esriGeometryPolyline: 'line',
  esriGeometryPoint: 'point',
  esriGeometryMultipoint: 'point',
};

/**
 * Finds a layer by the first of its names that is there, and reads its description.
 * @throws Error when there is none of the names (with the names that there are), or several.
 */
export async function findLayer(address: LayerAddress, options: ArcgisOptions): Promise<ArcgisLayer> {
  const listed = await listLayers(address, options);
  const named =
    address.names
      .map((name) => listed.filter((layer) => comparable(layer.name) === comparable(name)))
      .find((layers) => layers.length > 0) ?? [];
  const found = named.length > 1 ? named.filter(({ id }) => id === address.layerIdHint) : named;
  const [layer, ...more] = found;
  if (!layer || more.length > 0) {
    const what = named.length > 1 ? `${named.length} layers` : 'no layer';
    const wanted = address.names.map((name) => `"${name}"`).join(' or ');
    const names = [...new Set(listed.map(({ name }) => name))].join(', ');
    throw new Error(`${address.service} has ${what} named ${wanted}; it has: ${names}`);
  }
  return describe(layer.url, address.where, await callArcgis(layer.url, {}, options));
}

async function listLayers({ server, service }: LayerAddress, options: ArcgisOptions): Promise<Listed[]> {
  const path = service.replace(/(Server)\/\d+$/, '$1');
  const root = `${server.replace(/\/$/, '')}/`;
  if (/Server$/.test(path)) return layersOf(root + path, options);
  const { services } = await callArcgis(root + path, {}, options);
  const listed: Listed[] = [];
  for (const { name, type } of objects(services)) {
    if (type === 'MapServer' || type === 'FeatureServer')
      listed.push(...(await layersOf(`${root}${String(name)}/${type}`, options)));
  }
  return listed;
}

async function layersOf(url: string, options: ArcgisOptions): Promise<Listed[]> {
  const { layers } = await callArcgis(url, {}, options);
  return objects(layers)
    .filter(({ type }) => type !== 'Group Layer')
    .map(({ id, name }) => ({ url: `${url}/${Number(id)}`, id: Number(id), name: String(name) }));
}

/** Names differ in case, dashes and blanks between copies of one service. */
function comparable(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

function describe(url: string, where: string | undefined, json: ArcgisJson): ArcgisLayer {
  const fields = objects(json['fields']);
  const objectIdField = json['objectIdField'] ?? fields.find(({ type }) => type === 'esriFieldTypeOID')?.['name'];
  if (typeof objectIdField !== 'string') throw new Error(`${url} has no object ids, so it cannot be read completely`);
  const editing = (json['editingInfo'] ?? {}) as { dataLastEditDate?: unknown; lastEditDate?: unknown };
  const editedMs = Number(editing.dataLastEditDate ?? editing.lastEditDate ?? NaN);
  return {
    url,
    name: String(json['name']),
    geometry: geometries[String(json['geometryType'])] ?? null,
    fields: fields.map(({ name, type }) => ({ name: String(name), isDate: type === 'esriFieldTypeDate' })),
    objectIdField,
    where: where ?? '1=1',
    maxRecordCount: Number(json['maxRecordCount']) || 1000,
    format: /geojson/i.test(String(json['supportedQueryFormats'])) ? 'geojson' : 'json',
    editedMs: Number.isFinite(editedMs) ? editedMs : null,
  };
}

function objects(value: unknown): ArcgisJson[] {
  return Array.isArray(value) ? (value as ArcgisJson[]) : [];
}
