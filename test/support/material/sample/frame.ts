/** Metres east and north of a place's centre. */
export type Metres = readonly [east: number, north: number];
export type LonLat = readonly [lon: number, lat: number];

export type Geometry =
  | { readonly type: 'Point'; readonly coordinates: LonLat }
  | { readonly type: 'LineString'; readonly coordinates: readonly LonLat[] }
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly LonLat[])[] };

export interface Feature {
  readonly type: 'Feature';
  readonly properties: Readonly<Record<string, string | number | null>>;
  readonly geometry: Geometry;
}

const METRES_PER_DEGREE = 111_320;
/** Long edges get a vertex this often, so that the bend of the drawing shows. */
const STEP_M = 150;

/**
 * A drawing board around a place. One draws in straight metres; the board bends everything, features and addresses alike, by
 * the same gentle field, so that edges that meet still meet and the picture looks drawn by hand. Distances change by up to a tenth.
 */
export interface Frame {
  at(position: Metres): LonLat;
  point(position: Metres): Geometry;
  line(positions: readonly Metres[]): Geometry;
  /** The first ring is the outline, the others are holes; rings close themselves. */
  polygon(...rings: readonly (readonly Metres[])[]): Geometry;
}

export function frame([lon, lat]: LonLat): Frame {
  const at = (position: Metres): LonLat => {
    const [east, north] = bend(position);
    return [
      round(lon + east / (METRES_PER_DEGREE * Math.cos((lat * Math.PI) / 180))),
      round(lat + north / METRES_PER_DEGREE),
    ];
  };
  return {
    at,
    point: (position) => ({ type: 'Point', coordinates: at(position) }),
    line: (positions) => ({ type: 'LineString', coordinates: densify(positions).map(at) }),
    polygon: (...rings) => ({
      type: 'Polygon',
      coordinates: rings.map((ring) => densify([...ring, ring[0]!]).map(at)),
    }),
  };
}

/** A polygon straight from degrees, for outlines too large for a board. */
export function outline(...ring: readonly LonLat[]): Geometry {
  return { type: 'Polygon', coordinates: [[...ring, ring[0]!]] };
}

export const feature = (geometry: Geometry, properties: Feature['properties'] = {}): Feature => ({
  type: 'Feature',
  properties,
  geometry,
});

export const rectangle = (west: number, south: number, east: number, north: number): Metres[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
];

export function ellipse([east, north]: Metres, radiusEast: number, radiusNorth: number): Metres[] {
  return Array.from({ length: 24 }, (_, i): Metres => {
    const turn = (i / 24) * 2 * Math.PI;
    const uneven = 1 + 0.12 * Math.sin(3 * turn + east) + 0.06 * Math.cos(5 * turn + north);
    return [east + radiusEast * uneven * Math.cos(turn), north + radiusNorth * uneven * Math.sin(turn)];
  });
}

/** The outline of a strip along a line that runs mainly west to east (or, with `upright`, south to north). */
export function ribbon(line: readonly Metres[], halfWidth: number, upright = false): Metres[] {
  const shift = (sign: number): Metres[] =>
    line.map(([east, north]) => (upright ? [east - sign * halfWidth, north] : [east, north + sign * halfWidth]));
  return [...shift(-1), ...shift(1).reverse()];
}

function bend([east, north]: Metres): Metres {
  return [east + 30 * Math.sin(north / 330) + 12 * Math.sin(east / 170), north + 30 * Math.sin(east / 350 + 1)];
}

function densify(positions: readonly Metres[]): Metres[] {
  return positions.flatMap((start, i): Metres[] => {
    const end = positions[i + 1];
    if (!end) return [start];
    const pieces = Math.max(1, Math.ceil(Math.hypot(end[0] - start[0], end[1] - start[1]) / STEP_M));
    return Array.from({ length: pieces }, (_, piece): Metres => {
      const share = piece / pieces;
      return [start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])];
    });
  });
}

function round(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
