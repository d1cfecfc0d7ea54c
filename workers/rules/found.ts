import type { Rule, RuleFact } from '../../src/messages/wire/rules.ts';

/** Null: not known. */
export type Truth = boolean | null;

/** What a fact is where it was looked for. */
export interface Found {
  readonly truth: Truth;
  /** Ground metres. */
  readonly distanceM: number | null;
  /** In an area it is true of some land and not of all, so that it depends on where a building stands. */
  readonly isPartly: boolean;
}

/** Nothing is known of the layer. */
export const unknown: Found = { truth: null, distanceM: null, isPartly: false };

/** A fact that rules ask for. Those that ask for the same one share it. */
export interface AskedFact {
  readonly fact: RuleFact;
  readonly applies: Rule['applies'];
  /** In the answer that is judged; null: nobody has looked yet. */
  found: Found | null;
}
