import { isDeepStrictEqual } from 'node:util';
import { callArcgis, type ArcgisJson, type ArcgisOptions } from './arcgis.ts';
import { Refused } from '../../core/outbound/failures.ts';
import { fromEsri } from './esri-geometry.ts';
import { fieldIndex } from '../../catalogue/source-field.ts';
import type { DownloadedFeature } from '../../messages/import.ts';
import { messageOf } from '../../words.ts';

/** A layer as its server describes it. */
export interface ArcgisLayer {
  /** Of the layer: `…/MapServer/15`. */
  readonly url: string;
  readonly name: string;
  readonly geometry: 'polygon' | 'line' | 'point' | null;
  readonly fields: readonly { readonly name: string; readonly isDate: boolean }[];
  readonly objectIdField: string;
  /** SQL condition that chooses the features. */
  readonly where: string;
  readonly maxRecordCount: number;
  /** The layer's own CRS, which its coordinates use: `EPSG:4269`, or WKT when it has no number. */
  readonly crs: string;
  /** Time of the publisher's last edit in epoch milliseconds; few services state it. */
  readonly editedMs: number | null;
}

const geometries: Readonly<Record<string, ArcgisLayer['geometry']>> = {
  esriGeometryPolygon: 'polygon',
  esriGeometryPolyline: 'line',
  esriGeometryPoint: 'point',
  esriGeometryMultipoint: 'point',
};

/**
 * Reads the description of the layer at `url`.
 * @throws Error when it has no object ids.
 */
export async function describeLayer(
  url: string,
  where: string | undefined,
  options: ArcgisOptions,
): Promise<ArcgisLayer> {
  return layerOf(url, where ?? '1=1', await callArcgis(url, {}, options));
}

function layerOf(url: string, where: string, json: ArcgisJson): ArcgisLayer {
  const fields = objects(json['fields']);
  const objectIdField = json['objectIdField'] ?? fields.find(({ type }) => type === 'esriFieldTypeOID')?.['name'];
  if (typeof objectIdField !== 'string') throw new Error(`${url} has no object ids, so it cannot be read completely`);
  const extent = (json['extent'] ?? {}) as { spatialReference?: unknown };
  return {
    url,
    name: String(json['name']),
    geometry: geometries[String(json['geometryType'])] ?? null,
    fields: fields.map(({ name, type }) => ({ name: String(name), isDate: type === 'esriFieldTypeDate' })),
    objectIdField,
    where,
    maxRecordCount: mostPerAnswer(json['maxRecordCount']),
    // A map service's extent may be in the map's CRS, so the CRS of its source comes first.
    crs: crsOf(json['sourceSpatialReference']) ?? crsOf(extent.spatialReference) ?? WGS_84,
    editedMs: editedMsOf(json['editingInfo']),
  };
}

/** What is no number of features, such as 0 or -1, is no limit that a server keeps to. */
function mostPerAnswer(given: unknown): number {
  const most = Number(given ?? NaN);
  return Number.isSafeInteger(most) && most > 0 ? most : 1000;
}

function editedMsOf(info: unknown): number | null {
  const { dataLastEditDate, lastEditDate } = (info ?? {}) as { dataLastEditDate?: unknown; lastEditDate?: unknown };
  const editedMs = Number(dataLastEditDate ?? lastEditDate ?? NaN);
  return Number.isFinite(editedMs) ? editedMs : null;
}

const WGS_84 = 'EPSG:4326';

/** Higher numbers are Esri's own. */
const HIGHEST_EPSG_CODE = 32767;

/** Returns the CRS of a spatial reference in Esri JSON; null when it has none. */
function crsOf(reference: unknown): string | null {
  const { wkid, latestWkid, wkt } = (reference ?? {}) as Readonly<Record<string, unknown>>;
  const code = Number(latestWkid ?? wkid ?? NaN);
  if (Number.isInteger(code) && code > 0) return `${code > HIGHEST_EPSG_CODE ? 'ESRI' : 'EPSG'}:${code}`;
  return typeof wkt === 'string' && wkt !== '' ? wkt : null;
}

/** Returns a CRS as the parameter `outSR` of a query. */
function outSrOf(crs: string): string {
  return /^(?:EPSG|ESRI):(\d+)$/.exec(crs)?.[1] ?? JSON.stringify({ wkt: crs });
}

/** Returns a list of JSON objects; empty when the value is not a list. */
export function objects(value: unknown): ArcgisJson[] {
  return Array.isArray(value) ? value.map((one) => (one ?? {}) as ArcgisJson) : [];
}

/** Columns that the province's services fill whenever a record is made or changed. */
export const changeFields = ['SYSTEM_DATETIME', 'GEOMETRY_UPDATE_DATETIME', 'EFFECTIVE_DATETIME'];

/** Code of a server that does not support the query. */
const INVALID_PARAMETERS = 400;

/**
 * Reads all object ids, and checks them against the service's own count.
 * @throws Error when the two differ twice, or the server says that its list is not whole.
 */
export async function readContent(
  layer: ArcgisLayer,
  options: ArcgisOptions,
): Promise<{
  /** Ascending, each once. */
  readonly ids: readonly number[];
  /** Changes when the data change; null when the service offers nothing to detect a change. */
  readonly version: string | null;
  /** When its publisher last changed it, in epoch milliseconds, as far as its server says. */
  readonly changedMs: number | null;
}> {
  const { where } = layer;
  for (let attempt = 1; ; attempt++) {
    const { objectIds, exceededTransferLimit } = await query(layer, { where, returnIdsOnly: 'true' }, options);
    // A server that cuts its lists may cut what it counts alike.
    if (exceededTransferLimit === true) throw new Error(`${layer.url} does not list all of its object ids`);
    const count = await readCount(layer, options);
    const ids = [...new Set((Array.isArray(objectIds) ? objectIds : []) as number[])].sort((a, b) => a - b);
    if (!ids.every(Number.isSafeInteger)) throw new Error(`${layer.url}: object ids are not whole numbers`);
    if (ids.length === count) return { ids, ...(await readVersion(layer, ids.length, options)) };
    // The layer was edited between the two requests, or the list is incomplete.
    if (attempt === 2) throw new Error(`${layer.url} lists ${ids.length} object ids, but counts ${count} features`);
  }
}

/** Returns how many features a layer has, as its server counts them; NaN when it does not. */
export async function readCount(layer: ArcgisLayer, options: ArcgisOptions): Promise<number> {
  const { count } = await query(layer, { where: layer.where, returnCountOnly: 'true' }, options);
  return Number(count);
}

async function readVersion(
  layer: ArcgisLayer,
  count: number,
  options: ArcgisOptions,
): Promise<Pick<Awaited<ReturnType<typeof readContent>>, 'version' | 'changedMs'>> {
  if (layer.editedMs !== null)
    return { version: `edited ${layer.editedMs}, ${count} features`, changedMs: layer.editedMs };
  const fields = changeFields.filter((name) => layer.fields.some((field) => field.name === name && field.isDate));
  if (fields.length === 0) return unknownVersion;
  const outStatistics = fields.map((name) => ({
    statisticType: 'max',
    onStatisticField: name,
    outStatisticFieldName: name,
  }));
  try {
    const asked = { where: layer.where, outStatistics: JSON.stringify(outStatistics) };
    const { features } = await query(layer, asked, { ...options, refusals: [INVALID_PARAMETERS] });
    const [first] = (features ?? []) as { attributes: ArcgisJson }[];
    const newest = fields.map((name) => `${name} ${JSON.stringify(first?.attributes[name] ?? null)}`);
    const times = fields.map((name) => first?.attributes[name]).filter((time) => typeof time === 'number');
    const changedMs = times.length === 0 ? null : Math.max(...times);
    return { version: `${newest.join(', ')}, ${count} features`, changedMs };
  } catch (cause) {
    // Not every server computes statistics; without them each refresh reads the data again. A temporary failure says
    // nothing about that.
    if (cause instanceof Refused) return unknownVersion;
    throw cause;
  }
}

const unknownVersion = { version: null, changedMs: null } as const;

/** Returns how many features are at a place. */
export async function countAt(
  layer: ArcgisLayer,
  [lon, lat]: readonly [lon: number, lat: number],
  options: ArcgisOptions,
): Promise<number> {
  const at = {
    where: layer.where,
    geometry: JSON.stringify({ x: lon, y: lat, spatialReference: { wkid: 4326 } }),
    geometryType: 'esriGeometryPoint',
    inSR: '4326',
    spatialRel: 'esriSpatialRelIntersects',
    returnCountOnly: 'true',
  };
  const { count } = await query(layer, at, options);
  if (typeof count === 'number') return count;
  throw new Error(`${layer.url} does not count features at a place`);
}

/**
 * Reads the features of these ids, in full detail and in the layer's own CRS. The server may leave out some of a long
 * list. Features come as Esri JSON, because GeoJSON implies WGS 84.
 * @throws Error when the server sends a feature that nobody asked for, two features of one id, or features without a field that was asked for, or the
 * coordinates are in another CRS; TooLarge.
 */
export async function readFeatures(
  layer: ArcgisLayer,
  {
    ids,
    fields,
    maxBytes,
    withGeometry = true,
  }: {
    readonly ids: readonly number[];
    readonly fields: readonly string[];
    readonly maxBytes: number;
    /** True when absent. */
    readonly withGeometry?: boolean;
  },
  options: ArcgisOptions,
): Promise<Map<number, DownloadedFeature>> {
  const parameters = {
    objectIds: ids.join(','),
    outFields: [layer.objectIdField, ...fields].join(','),
    returnGeometry: String(withGeometry),
    returnTrueCurves: 'false',
    // The service's own conversion to another CRS may move the coordinates: by 1.2 m from NAD83 to WGS 84.
    outSR: outSrOf(layer.crs),
  };
  const json = await query(layer, parameters, { ...options, maxBytes });
  checkCrs(layer, json);
  const asked = new Set(ids);
  const features = new Map<number, DownloadedFeature>();
  for (const raw of objects(json['features'])) {
    const attributes = named((raw['attributes'] ?? {}) as ArcgisJson, [layer.objectIdField, ...fields]);
    const id = idOf(attributes, layer);
    if (!asked.has(id)) throw new Error(`${layer.url} sent the feature ${id}, which nobody asked for`);
    checkCrs(layer, (raw['geometry'] ?? {}) as ArcgisJson);
    const feature = { attributes, geometry: geometryOf(layer, raw['geometry']) };
    const before = features.get(id);
    // A list may have a feature twice; a table that is joined to others has several rows of one id.
    if (before && !isDeepStrictEqual(before, feature))
      throw new Error(`${layer.url} sent two features of the id ${id} that differ`);
    features.set(id, feature);
  }
  checkFields(layer, fields, { listed: objects(json['fields']), features });
  return features;
}

function geometryOf({ url }: ArcgisLayer, geometry: unknown): DownloadedFeature['geometry'] {
  try {
    return fromEsri(geometry);
  } catch (cause) {
    throw new Error(`${url} sent a feature that cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/**
 * An answer without a field says nothing of it: it would be read as a field without values. A field that is listed only may be blank in all features, if these
 * have no names that are not listed, such as aliases.
 */
function checkFields(
  { url, objectIdField }: ArcgisLayer,
  fields: readonly string[],
  {
    listed,
    features,
  }: { readonly listed: readonly ArcgisJson[]; readonly features: ReadonlyMap<number, DownloadedFeature> },
): void {
  if (features.size === 0) return;
  const present = new Set(listed.map(({ name }) => String(name).toLowerCase()));
  const sent = [...features.values()];
  const hasOthers = sent.some(({ attributes }) =>
    Object.keys(attributes).some(
      (name) => !present.has(name.toLowerCase()) && ![objectIdField, ...fields].includes(name),
    ),
  );
  const absent = fields.filter(
    (name) => (hasOthers || !present.has(name.toLowerCase())) && !sent.some(({ attributes }) => name in attributes),
  );
  if (absent.length > 0) throw new Error(`${url} sent features without the field ${absent.join(', ')}`);
}

/** Attributes by the layer's own names: some servers send them in another case than their layer says. */
function named(attributes: ArcgisJson, names: readonly string[]): ArcgisJson {
  if (names.every((name) => name in attributes)) return attributes;
  const present = Object.keys(attributes);
  const found = names.flatMap((name) => {
    const index = fieldIndex(name, present);
    return index === null ? [] : [[name, attributes[present[index]!]] as const];
  });
  return { ...attributes, ...Object.fromEntries(found) };
}

function idOf(attributes: ArcgisJson, { url, objectIdField }: ArcgisLayer): number {
  if (objectIdField in attributes) return Number(attributes[objectIdField]);
  const present = Object.keys(attributes).join(', ') || 'no attributes';
  throw new Error(
    `${url} sent a feature that has no field ${objectIdField}, by which it was asked for; it has ${present}`,
  );
}

function checkCrs({ url, crs }: ArcgisLayer, json: ArcgisJson): void {
  const sent = crsOf(json['spatialReference']);
  const { wkid } = (json['spatialReference'] ?? {}) as { wkid?: unknown };
  if (sent !== null && sent !== crs && !crs.endsWith(`:${String(wkid)}`))
    throw new Error(`${url} sent coordinates of the CRS ${sent} instead of ${crs}`);
}

function query(
  layer: ArcgisLayer,
  parameters: Readonly<Record<string, string>>,
  options: Parameters<typeof callArcgis>[2],
): Promise<ArcgisJson> {
  return callArcgis(`${layer.url}/query`, parameters, options);
}
