import type { AddressComponents, Geocode } from './wire/geocode.ts';
import type { RefusalReason } from './reasons.ts';
import type { Coordinate } from './lookup.ts';

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
