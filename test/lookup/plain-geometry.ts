/**
 * Geometry the plain way, on GeoJSON in degrees: no GDAL, no projection library, so that tests have a second opinion.
 * Good to a few parts in a thousand over the tens of kilometres that the sample's places span.
 */
import type { Geometry, LonLat } from '../support/material/sample/frame.ts';

const METRES_PER_DEGREE = 111_320;

/** Metres from the point to the geometry, 0 inside a polygon (holes are outside). */
export function distanceM(geometry: Geometry, at: LonLat): number {
  switch (geometry.type) {
    case 'Point':
      return segmentDistance(geometry.coordinates, geometry.coordinates, at);
    case 'LineString':
      return lineDistance(geometry.coordinates, at);
    case 'Polygon':
      return contains(geometry.coordinates, at)
        ? 0
        : Math.min(...geometry.coordinates.map((ring) => lineDistance(ring, at)));
  }
}

/** Whether an odd number of edges, of the outline and of holes, lies to the east of the point. */
export function contains(rings: readonly (readonly LonLat[])[], [lon, lat]: LonLat): boolean {
  const crossings = rings.flatMap((ring) =>
    ring.slice(1).filter(([lonB, latB], i) => {
      const [lonA, latA] = ring[i]!;
      return latA > lat !== latB > lat && lon < lonA + ((lat - latA) / (latB - latA)) * (lonB - lonA);
    }),
  );
  return crossings.length % 2 === 1;
}

function lineDistance(line: readonly LonLat[], at: LonLat): number {
  return Math.min(...line.slice(1).map((end, i) => segmentDistance(line[i]!, end, at)));
}

function segmentDistance(start: LonLat, end: LonLat, at: LonLat): number {
  const [ax, ay] = metresFrom(at, start);
  const [bx, by] = metresFrom(at, end);
  const [dx, dy] = [bx - ax, by - ay];
  const length2 = dx * dx + dy * dy;
  const share = length2 === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length2));
  return Math.hypot(ax + share * dx, ay + share * dy);
}

function metresFrom([lon0, lat0]: LonLat, [lon, lat]: LonLat): [number, number] {
  return [(lon - lon0) * METRES_PER_DEGREE * Math.cos((lat0 * Math.PI) / 180), (lat - lat0) * METRES_PER_DEGREE];
}
