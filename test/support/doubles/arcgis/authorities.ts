/**
 * Servers of conservation authorities, and the province's layer of their areas: names of services, ids of layers and fields as their users
 * describe them. What Lake Simcoe Region's layers are called nobody has read, so the names here are made up.
 */
import type { DownloadedFeature, GeoJsonGeometry } from '../../../../src/messages/import.ts';
import type { FaultPlan } from './faults.ts';
import type { ServedField, ServedLayer } from './layers.ts';

/** Roots of the real servers. */
export const authorityRoots = {
  trca: 'https://services1.arcgis.com/d0ZCwU7eGKVeNiEE/arcgis/rest/services',
  lsrca: 'https://gis.lsrca.on.ca/gis/rest/services',
} as const;

/** `[west, south, east, north]` in degrees. */
export type DegreeBox = readonly [west: number, south: number, east: number, north: number];

export interface BoxFeature {
  readonly box: DegreeBox;
  readonly attributes?: DownloadedFeature['attributes'];
}

export function polygonOf([west, south, east, north]: DegreeBox): Extract<
  GeoJsonGeometry,
  { readonly type: 'Polygon' }
> {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Polygon', coordinates: [ring] };
}

export const text = (name: string): ServedField => ({ name, type: 'esriFieldTypeString' });

export function boxLayer(
  place: Pick<ServedLayer, 'service' | 'id' | 'name' | 'fields'>,
  boxes: readonly BoxFeature[],
): ServedLayer {
  const features = boxes.map(({ box, attributes = {} }): DownloadedFeature => ({
    attributes,
    geometry: polygonOf(box),
  }));
  return { ...place, geometry: 'polygon', features };
}

/** The province's areas of conservation authorities. */
export function adminAreas(boxes: readonly BoxFeature[]): ServedLayer {
  const fields: ServedField[] = [
    { name: 'CA_ID', type: 'esriFieldTypeInteger' },
    text('LEGAL_NAME'),
    text('COMMON_NAME'),
  ];
  const name = 'Conservation Authority Admin Area';
  return boxLayer({ service: 'LIO_OPEN_DATA/LIO_Open03/MapServer', id: 11, name, fields }, boxes);
}

/** Toronto and Region's floodplain on ArcGIS Online, which says when it was edited. */
export function trcaFloodplain(boxes: readonly BoxFeature[]): ServedLayer {
  const place = { service: 'Floodline_TRCA_Polygon/FeatureServer', id: 1, name: 'Floodline_TRCA_Polygon' };
  return { ...boxLayer({ ...place, fields: [text('FloodPlainSource')] }, boxes), editedMs: Date.UTC(2025, 2, 4) };
}

/** Large pages of Toronto and Region's server stall: nothing comes. */
export const trcaStalls: FaultPlan = (query) => {
  const { length } = (query.get('objectIds') ?? '').split(',');
  return length > 100 ? 'silence' : null;
};

const lsrcaFields = [
  ...[text('STORM_LEVEL'), text('FLOODPLAIN_TYPE')],
  { name: 'PUBLISH_DATE', type: 'esriFieldTypeDate' },
] as const;

/** Layers of Lake Simcoe Region's own server: floodplain, shoreline flood, watershed, and what else it has. */
export function lsrcaLayers(boxes: {
  readonly floodplain: readonly BoxFeature[];
  readonly shoreline: readonly BoxFeature[];
  readonly watershed: readonly BoxFeature[];
  readonly regulated: readonly BoxFeature[];
}): ServedLayer[] {
  const at = (id: number, name: string, fields: readonly ServedField[]) => ({
    ...{ service: 'OpenData/MapServer', id, name, fields },
  });
  return [
    boxLayer(at(76, 'Floodplain Extent', lsrcaFields), boxes.floodplain),
    boxLayer(at(59, 'Shoreline Flood Extent', lsrcaFields), boxes.shoreline),
    boxLayer(at(20, 'Watershed', []), boxes.watershed),
    boxLayer(at(36, 'Regulation', []), boxes.regulated),
  ].map((one) => ({ ...one, speaksGeoJson: false, hasStatistics: false }));
}
