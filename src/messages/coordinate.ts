import type { Coordinate } from './lookup.ts';

// Plain decimals only: Number() would also accept '0x10', '1e400' and 'Infinity'.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** Reads decimal degrees, latitude first; null when either is not a valid number. */
export function parseCoordinate(latText: string, lonText: string): Coordinate | null {
  const lat = degrees(latText, 90);
  const lon = degrees(lonText, 180);
  return lat === null || lon === null ? null : { lat, lon };
}

function degrees(text: string, limit: number): number | null {
  const trimmed = text.trim();
  const value = DECIMAL.test(trimmed) ? Number(trimmed) : NaN;
  return Math.abs(value) <= limit ? value : null;
}

/** Says whether a place is in the box around Ontario, give or take a degree. With the two exchanged, it tells whether a client has exchanged them. */
export function isInOntarioBox(lon: number, lat: number): boolean {
  return lon >= -96 && lon <= -74 && lat >= 41 && lat <= 57;
}
