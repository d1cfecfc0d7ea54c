/** The province's catalogue behind the test server. */
import type { DownloadedFeature, GeoJsonGeometry } from '../../../../src/messages/import.ts';
import type { ServedField, ServedLayer } from '../arcgis/layers.ts';
import { square } from '../../material/sources.ts';
import { commonFields, province, RECORD_LIMIT, WKID, type ProvinceLayer } from './catalogue.ts';

export type FeaturesOf = ReadonlyMap<string, readonly DownloadedFeature[]>;

/** All layers of the province, with these features by data set; with a few of its own where none are given. */
export function servedProvince(features: FeaturesOf = new Map()): ServedLayer[] {
  return Object.entries(province).map(([id, layer], row) => {
    const dataSet = layer.partOf ?? id;
    const own = sharesOf(dataSet, features.get(dataSet) ?? []).find(([one]) => one === layer)!;
    return serve(layer, features.has(dataSet) ? own[1] : examples(layer, row));
  });
}

/** The layers of a data set, each with its share of the features: of two, the last feature is that of the other. */
export function sharesOf(
  dataSet: string,
  features: readonly DownloadedFeature[],
): (readonly [ProvinceLayer, readonly DownloadedFeature[]])[] {
  const others = Object.values(province).filter(({ partOf }) => partOf === dataSet);
  const first = features.length - others.length;
  return [province[dataSet]!, ...others].map((layer, i) => [
    layer,
    i === 0 ? features.slice(0, first) : features.slice(first + i - 1, first + i),
  ]);
}

/** A layer of the test server; what it has no field for, its features do not carry. */
export function serve(layer: ProvinceLayer, features: readonly DownloadedFeature[]): ServedLayer {
  const { service, id, name, geometry, fields, lacks = [], isMoved = false, mostPerPage } = layer;
  const names = [...Object.keys(fields), ...Object.keys(commonFields)];
  return {
    ...{ id, name, geometry, isMoved, wkid: WKID, maxRecordCount: RECORD_LIMIT },
    service: service.startsWith('/') ? service.slice(1) : `LIO_OPEN_DATA/${service}`,
    fields: [
      ...Object.entries(fields).map(([field, value]): ServedField => ({ name: field, type: typeOf(value) })),
      ...Object.entries(commonFields).map(([field, type]): ServedField => ({ name: field, type })),
    ],
    features: features.map(({ attributes, geometry: shape }) => ({
      attributes: Object.fromEntries(names.map((field) => [field, attributes[field] ?? null])),
      geometry: shape,
    })),
    speaksGeoJson: !lacks.includes('geojson'),
    hasStatistics: !lacks.includes('statistics'),
    ...(mostPerPage === undefined ? {} : { mostPerPage }),
  };
}

function typeOf(value: string | number): ServedField['type'] {
  if (typeof value === 'string') return 'esriFieldTypeString';
  return Number.isInteger(value) ? 'esriFieldTypeInteger' : 'esriFieldTypeDouble';
}

/** How many features of the first kind each layer has. */
export const EXAMPLES = 3;

/** Three features like the example and one of each further kind, in a row of latitude of their own. */
export function examples({ fields, more = [], geometry }: ProvinceLayer, row: number): DownloadedFeature[] {
  const kinds = [...Array.from({ length: EXAMPLES }, () => ({})), ...more];
  return kinds.map((kind, i) => ({
    attributes: {
      ...fields,
      ...kind,
      ...{
        OGF_ID: 1000 * row + i,
        EFFECTIVE_DATETIME: Date.UTC(2024, 4, 1 + i),
        SYSTEM_DATETIME: Date.UTC(2025, 0, 1),
      },
    },
    geometry: shape(geometry, -82 + i * 0.05, 43.5 + row * 0.05),
  }));
}

function shape(geometry: ProvinceLayer['geometry'], lon: number, lat: number): GeoJsonGeometry {
  if (geometry === 'point') return { type: 'Point', coordinates: [lon, lat] };
  if (geometry === 'polygon') return { type: 'Polygon', coordinates: [square(lon, lat, 0.01)] };
  return {
    type: 'LineString',
    coordinates: [
      [lon, lat],
      [lon + 0.01, lat + 0.01],
    ],
  };
}
