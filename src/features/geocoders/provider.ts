import { Transient } from '../../core/outbound/failures.ts';
import type { Accuracy } from '../../messages/wire/geocode.ts';
import type { Coordinate } from '../../messages/lookup.ts';
import type { PlaceNames } from './place-names.ts';

/** A civic point that a provider offers, in its own words. `agreement.ts` decides whether it is accepted. */
export interface Offer extends Coordinate {
  /** "100", "100A", "100 1/2". */
  readonly houseNumber: string;
  /** Name, type and direction: "Queen Street West". */
  readonly street: string;
  /** Every name of the place; `place-names.ts` decides which of them an address may use. */
  readonly place: PlaceNames;
  /** Name or code of the province or state; null when the provider gives none. */
  readonly province: string | null;
  /** In any form; the first half alone is enough. */
  readonly postalCode: string | null;
  readonly accuracy: Exclude<Accuracy, 'blockface'>;
}

/** One remote geocoding service: builds its requests and reads its answers. */
export interface Provider {
  readonly name: string;
  /** True when its terms allow answers to be kept for a while. */
  readonly mayCache: boolean;
  /** Path below the base address, with parameters. @param key null when none is configured. */
  path(query: string, key: string | null): string;
  /**
   * Returns the civic points of an answer, without streets, towns and other approximations.
   * @throws MalformedAnswer; `providerFailure` when the answer says that the request failed.
   */
  offers(body: unknown): readonly Offer[];
}

/** Most results that are requested; the right one is not always the first. */
export const MOST_OFFERS = 10;

/** The provider's answer does not have its documented form. */
export class MalformedAnswer extends Transient {
  override readonly name = 'MalformedAnswer';
}

/** A failure that the provider reports in its answer. @param mayPass whether another attempt may succeed. */
export function providerFailure(message: string, mayPass: boolean): Error {
  return mayPass ? new Transient(message) : new Error(message);
}

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
