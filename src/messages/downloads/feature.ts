import { join } from 'node:path'; /** One feature as stored on the disk: attributes by field name, geometry in GeoJSON's form in the layer's own CRS. */
export interface DownloadedFeature {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly geometry: GeoJsonGeometry | null;
}

export type Position = readonly number[];

export type GeoJsonGeometry =
  | { readonly type: 'Point'; readonly coordinates: Position }
  | { readonly type: 'LineString'; readonly coordinates: readonly Position[] }
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: 'MultiPoint'; readonly coordinates: readonly Position[] }
  | { readonly type: 'MultiLineString'; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly (readonly Position[])[])[] };

/** Returns the file of the n-th chunk of a download: lines of features as JSON, compressed with gzip. */
export function chunkFile(folder: string, chunk: number): string {
  return join(folder, `${String(chunk).padStart(5, '0')}.ndjson.gz`);
}

/** Field with a record's date of validity. If a layer has it, its newest value is the date of the data set. */
export const effectiveField = 'EFFECTIVE_DATETIME';

/** Date fields of the province's data, the best first; the others say when a record was changed. */
export const dateFields = [effectiveField, 'GEOMETRY_UPDATE_DATETIME', 'SYSTEM_DATETIME'] as const;
