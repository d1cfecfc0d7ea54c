import type { Accuracy } from '../shared/wire/geocode.ts';
import type { Coordinate } from '../shared/contract/lookup.ts';
import type { PlaceNames } from './place-names.ts';

/** A civic point that a provider offers, in its own words. It is a claim: `agreement.ts` decides whether it is believed. */
export interface Offer extends Coordinate {
  /** "100", "100A", "100 1/2". */
  readonly houseNumber: string;
  /** Name, type and direction: "Queen Street West". */
  readonly street: string;
  /** Every name of the place; `place-names.ts` decides which of them an address may use. */
  readonly place: PlaceNames;
  /** Name or code of the province or state; null when the provider gives none. */
  readonly province: string | null;
  /** In any form; the first half alone counts too. */
  readonly postalCode: string | null;
  readonly accuracy: Exclude<Accuracy, 'blockface'>;
}

/** One remote geocoding service: how it is asked, and how its answers are read. */
export interface Provider {
  readonly name: string;
  /** Whether its terms allow its answers to be kept for a while. */
  readonly mayCache: boolean;
  /** Path below the base address, with parameters. @param key null when none is configured. */
  path(query: string, key: string | null): string;
  /**
   * The civic points of an answer; streets, towns and other approximations are left out.
   * @throws MalformedAnswer; ProviderRefused when the answer says that the request failed.
   */
  offers(body: unknown): readonly Offer[];
}

/** Most answers that are asked for: the right one is not always the first. */
export const MOST_OFFERS = 10;

/** The provider's answer has not the form that it is documented to have. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** The provider says that it did not answer. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused';
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary: boolean) {
    super(message);
    this.isTemporary = isTemporary;
  }
}
