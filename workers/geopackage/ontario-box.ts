import type { Box } from '../geometry/box.ts';
import type Gdal from 'gdal-async';
import { gdal } from './gdal.ts';
import { degrees, lambert } from './spatial-reference.ts';

/** Ontario with its lake waters, in WGS 84 degrees, from the extents of provincial layers, rounded outwards. */
const extent = { west: -95.2, south: 41.6, east: -74.3, north: 56.9 };

/** Margin for features on the border, and for differences of metres between CRSs. */
const MARGIN_M = 20_000;

let box: Box | undefined;

/** Returns the bounds within which a feature can matter for Ontario. */
export function ontarioBox(): Box {
  if (!box) {
    const outline = boxPolygon([extent.west, extent.south, extent.east, extent.north]);
    const { minX, minY, maxX, maxY } = outline.getEnvelope();
    box = { minX: minX - MARGIN_M, minY: minY - MARGIN_M, maxX: maxX + MARGIN_M, maxY: maxY + MARGIN_M };
  }
  return box;
}

/** Converts a box `[west, south, east, north]` in degrees to a polygon in EPSG:3161. Its parallels become curves. */
export function boxPolygon([west, south, east, north]: readonly [number, number, number, number]): Gdal.Geometry {
  const corners = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const polygon = gdal.Geometry.fromGeoJson({ type: 'Polygon', coordinates: [corners] });
  polygon.segmentize(0.005);
  polygon.transform(new gdal.CoordinateTransformation(degrees(), lambert()));
  return polygon;
}
