/** Stars with corners at random, and places near their edges, all in degrees. */
import { distanceM } from '../../lookup/plain-geometry.ts';
import type { LonLat } from './sample/frame.ts';
import type { Ring } from './sources.ts';

const METRES_PER_DEGREE = 111_320;

/** Returns the place so many metres away in a direction. */
export function beside([lon, lat]: LonLat, metres: number, angle: number): LonLat {
  const degrees = metres / METRES_PER_DEGREE;
  return [lon + (degrees * Math.cos(angle)) / Math.cos((lat * Math.PI) / 180), lat + degrees * Math.sin(angle)];
}

/** Returns a closed ring of 5 to 24 corners round a place, at most `radiusM` away from it. */
export function star(random: () => number, at: LonLat, radiusM: number): Ring {
  const corners = 5 + Math.floor(random() * 20);
  const ring = Array.from({ length: corners }, (_, i) =>
    beside(at, radiusM * (0.4 + 0.6 * random()), (i / corners) * 2 * Math.PI),
  );
  return [...ring, ring[0]!];
}

/** Returns a place at most `reachM` from an edge of one of the rings. */
export function placeByEdge(random: () => number, rings: readonly Ring[], reachM: number): LonLat {
  const ring = rings[Math.floor(random() * rings.length)]!;
  const i = Math.floor(random() * (ring.length - 1));
  const [[fromLon, fromLat], [toLon, toLat]] = [ring[i]!, ring[i + 1]!];
  const share = random();
  const on: LonLat = [fromLon + share * (toLon - fromLon), fromLat + share * (toLat - fromLat)];
  return beside(on, reachM * random() ** 2, random() * 2 * Math.PI);
}

export function isClearOf(rings: readonly Ring[], place: LonLat, clearM: number): boolean {
  return rings.every((ring) => distanceM({ type: 'LineString', coordinates: ring }, place) >= clearM);
}
