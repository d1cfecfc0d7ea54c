import { MalformedAnswer } from './provider.ts';

/** A JSON object from a provider. */
export type Members = Readonly<Record<string, unknown>>;

/** @throws MalformedAnswer when it is not an object. */
export function membersOf(value: unknown): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new MalformedAnswer('an object is missing');
}

/** @throws MalformedAnswer when it is not a list. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new MalformedAnswer('a list is missing');
}

/** Returns a text or a number as text; "" for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

/** Returns the texts that are not empty. */
export function textsOf(...values: readonly unknown[]): string[] {
  return values.map(textOf).filter(Boolean);
}

/** @throws MalformedAnswer when it is not a number in the range. */
export function degreesOf(value: unknown, limit: number): number {
  const degrees = typeof value === 'number' ? value : Number(textOf(value) || NaN);
  if (Math.abs(degrees) <= limit) return degrees;
  throw new MalformedAnswer('a coordinate is missing');
}

/** Reads longitude and latitude of a GeoJSON point. */
export function pointOf(geometry: unknown): { readonly lat: number; readonly lon: number } {
  const [lon, lat] = listOf(membersOf(geometry)['coordinates']);
  return { lat: degreesOf(lat, 90), lon: degreesOf(lon, 180) };
}

export function query(parameters: Readonly<Record<string, string | number | null>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) given.set(name, String(value));
  return given.toString();
}
