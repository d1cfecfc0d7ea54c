import { Transient } from '../outbound/failures.ts';
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
