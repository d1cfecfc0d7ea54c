import type { RuleJudgement } from '../../src/messages/wire/rules.ts';

/** Null: not known. */
export type Truth = boolean | null;

/** What a fact is where it was looked for. */
export interface Found {
  readonly truth: Truth;
  readonly value: RuleJudgement['because'][number]['value'];
  /** Ground metres. */
  readonly distanceM: number | null;
  /** In an area it is true of some land and not of all, so that it depends on where a building stands. */
  readonly isPartly?: boolean;
}
