/** What the test server serves: layers as the province's services hold them. */
import type { DownloadedFeature, GeoJsonGeometry, Position } from '../../../../src/messages/import.ts';

export interface ServedField {
  readonly name: string;
  readonly type: 'esriFieldTypeString' | 'esriFieldTypeDouble' | 'esriFieldTypeInteger' | 'esriFieldTypeDate';
}

export interface ServedLayer {
  /** `LIO_OPEN_DATA/LIO_Open06/MapServer`. */
  readonly service: string;
  readonly id: number;
  readonly name: string;
  readonly geometry: 'polygon' | 'line' | 'point';
  readonly fields: readonly ServedField[];
  /** Object ids are 1, 2, 3, … unless `OBJECTID` says otherwise. */
  readonly features: readonly DownloadedFeature[];
  readonly maxRecordCount?: number;
  /** EPSG number of the CRS in which its features are stored; 4269 (NAD83) when absent. */
  readonly wkid?: number;
  /** EPSG number of the CRS that its answers come in, whatever was asked for. */
  readonly sentWkid?: number;
  /** Asked for WGS 84, it moves coordinates of NAD83 by 1.2 m, as the province's water layers do; true when absent. */
  readonly isMoved?: boolean;
  /** A longer list of features never comes. */
  readonly mostPerPage?: number;
  /** Old servers speak Esri JSON only. */
  readonly speaksGeoJson?: boolean;
  /** As `editingInfo.lastEditDate`. */
  readonly editedMs?: number;
  readonly hasStatistics?: boolean;
}

export const esriGeometryTypes = {
  polygon: 'esriGeometryPolygon',
  line: 'esriGeometryPolyline',
  point: 'esriGeometryPoint',
} as const;

/** EPSG:4269, the province's. */
export function wkidOf({ wkid }: ServedLayer): number {
  return wkid ?? 4269;
}

/** About 1.2 m to the north-west. */
const MOVE_DEGREES: Position = [-9e-6, 9e-6];

/** A geometry in the CRS that was asked for; null when the server cannot give it. */
export function inCrs(layer: ServedLayer, outSr: number, geometry: GeoJsonGeometry | null): GeoJsonGeometry | null {
  const isAway = outSr === 4326 && wkidOf(layer) === 4269 && layer.isMoved !== false;
  return isAway && geometry ? ({ ...geometry, coordinates: moved(geometry.coordinates) } as GeoJsonGeometry) : geometry;
}

type Nested = readonly (number | Nested)[];

function moved(coordinates: Nested): Nested {
  if (typeof coordinates[0] === 'number') return coordinates.map((value, i) => Number(value) + (MOVE_DEGREES[i] ?? 0));
  return coordinates.map((part) => moved(part as Nested));
}

export function objectIdOf(feature: DownloadedFeature, index: number): number {
  return Number(feature.attributes['OBJECTID'] ?? index + 1);
}

/** A GeoJSON geometry in Esri's way: shells clockwise, holes the other way round. */
export function toEsri(geometry: GeoJsonGeometry | null): object | null {
  switch (geometry?.type) {
    case undefined:
      return null;
    case 'Point':
      return { x: geometry.coordinates[0], y: geometry.coordinates[1] };
    case 'MultiPoint':
      return { points: geometry.coordinates };
    case 'LineString':
      return { paths: [geometry.coordinates] };
    case 'MultiLineString':
      return { paths: geometry.coordinates };
    case 'Polygon':
      return { rings: esriRings(geometry.coordinates) };
    case 'MultiPolygon':
      return { rings: geometry.coordinates.flatMap(esriRings) };
  }
}

function esriRings(rings: readonly (readonly Position[])[]): Position[][] {
  return rings.map((ring, i) => {
    const isClockwise = twiceArea(ring) < 0;
    const shouldBe = i === 0;
    return isClockwise === shouldBe ? [...ring] : [...ring].reverse();
  });
}

function twiceArea(ring: readonly Position[]): number {
  return ring.reduce((sum, [x = 0, y = 0], i) => {
    const [nextX = 0, nextY = 0] = ring[(i + 1) % ring.length]!;
    return sum + x * nextY - nextX * y;
  }, 0);
}
