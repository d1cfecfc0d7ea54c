import type { Rule, RuleFact, RuleJudgement } from '../../src/messages/wire/rules.ts';

/** Null: not known. */
export type Truth = boolean | null;

/** What a fact is where it was looked for. */
export interface Found {
  readonly truth: Truth;
  /** What the layer says there. Only a reason tells it. */
  readonly value: () => RuleJudgement['because'][number]['value'];
  /** Ground metres. */
  readonly distanceM: number | null;
  /** In an area it is true of some land and not of all, so that it depends on where a building stands. */
  readonly isPartly?: boolean;
}

/** A fact that rules ask for. Those that ask for the same one share it. */
export interface AskedFact {
  readonly fact: RuleFact;
  readonly applies: Rule['applies'];
  /** In the answer that is judged; null: nobody has looked yet. */
  found: Found | null;
}
