import type { Geocode } from '../wire/geocode.ts';
import type { RefusalReason } from '../wire/problem.ts';

/** Why an address was refused. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
  /** Up to 5 canonical addresses. */
  readonly suggestions: readonly string[];
}

export type GeocodeResult = { readonly found: Geocode } | { readonly refused: Refusal };

/** Turns text into a civic point: the embedded gazetteer or a remote provider. */
export interface Gazetteer {
  geocode(address: string): GeocodeResult;
}
