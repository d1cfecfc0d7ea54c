/** Well-known binary (OGC 06-103r4): geometry types of two dimensions, and the sizes of what stands before the coordinates. */

export const wkbType = {
  Point: 1,
  LineString: 2,
  Polygon: 3,
  MultiPoint: 4,
  MultiLineString: 5,
  MultiPolygon: 6,
} as const;

/** Byte order and type. */
export const HEADER_BYTES = 5;

/** How many parts, rings or positions follow. */
export const COUNT_BYTES = 4;

/** Two doubles. */
export const POSITION_BYTES = 16;
