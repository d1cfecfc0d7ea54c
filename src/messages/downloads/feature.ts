/** One feature as stored on the disk: attributes by field name, geometry in GeoJSON's form in the layer's own CRS. */
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
