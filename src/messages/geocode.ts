import type { AddressComponents, Geocode } from './wire/geocode.ts';
import type { RefusalReason } from './reasons.ts';
import type { Coordinate } from './lookup.ts';
import type { AddressNear } from './wire/near-geometry.ts';

/** Why an address was refused. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
  /** Up to 5 canonical addresses. */
  readonly suggestions: readonly string[];
}

export type GeocodeResult = { readonly found: Geocode } | { readonly refused: Refusal };

/**
 * The civic address nearest to a place, with metres on the ground. `absent`: the register has none within 100 m.
 * `unavailable`: nobody knows, because the register was imported without its addresses by place.
 */
export type NearestAddress =
  | {
      readonly state: 'present';
      readonly address: string;
      readonly distanceM: number;
      readonly accuracy: 'building' | 'blockface';
      readonly components: AddressComponents;
    }
  | { readonly state: 'absent' | 'unavailable' };

/** A completion of what someone types. An address has its place. */
export interface Suggestion extends Partial<Coordinate> {
  readonly kind: 'address' | 'street' | 'municipality';
  readonly text: string;
}

/** The address register of a snapshot. */
export interface Gazetteer {
  /** Turns text into a civic point. */
  geocode(address: string): GeocodeResult;
  /** Turns a place into the address nearest to it. */
  nearest(at: Coordinate): NearestAddress;
  /** Returns the house numbers around a place, nearest first, each number of a street once. None where the register was imported without them. */
  around(at: Coordinate, withinM: number): readonly AddressNear[];
  /**
   * Completes what someone types, with at most `limit` suggestions, the best first. Null when the register was imported
   * before there were suggestions.
   */
  suggest(text: string, limit: number): readonly Suggestion[] | null;
}
