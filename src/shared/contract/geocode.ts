import type { Geocode } from '../wire/geocode.ts';
import type { RefusalReason } from '../wire/problem.ts';
import type { Suggestion } from '../wire/suggest.ts';

/** Why an address was refused. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
  /** Up to 5 canonical addresses. */
  readonly suggestions: readonly string[];
}

export type GeocodeResult = { readonly found: Geocode } | { readonly refused: Refusal };

/** The address register of a snapshot. */
export interface Gazetteer {
  /** Turns text into a civic point. */
  geocode(address: string): GeocodeResult;
  /**
   * Completes what someone types, with at most `limit` suggestions, the best first. Null when the register was imported
   * before there were suggestions.
   */
  suggest(text: string, limit: number): readonly Suggestion[] | null;
}
