import { callArcgis, type ArcgisJson, type ArcgisOptions } from './arcgis.ts';

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
    maxRecordCount: Number(json['maxRecordCount']) || 1000,
    // A map service's extent may be in the map's CRS, so the CRS of its source comes first.
    crs: crsOf(json['sourceSpatialReference']) ?? crsOf(extent.spatialReference) ?? WGS_84,
    editedMs: editedMsOf(json['editingInfo']),
  };
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
export function crsOf(reference: unknown): string | null {
  const { wkid, latestWkid, wkt } = (reference ?? {}) as Readonly<Record<string, unknown>>;
  const code = Number(latestWkid ?? wkid ?? NaN);
  if (Number.isInteger(code) && code > 0) return `${code > HIGHEST_EPSG_CODE ? 'ESRI' : 'EPSG'}:${code}`;
  return typeof wkt === 'string' && wkt !== '' ? wkt : null;
}

/** Returns a CRS as the parameter `outSR` of a query. */
export function outSrOf(crs: string): string {
  return /^(?:EPSG|ESRI):(\d+)$/.exec(crs)?.[1] ?? JSON.stringify({ wkt: crs });
}

/** Returns a list of JSON objects; empty when the value is not a list. */
export function objects(value: unknown): ArcgisJson[] {
  return Array.isArray(value) ? (value as ArcgisJson[]) : [];
}
