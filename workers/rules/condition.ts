/** Conditions of rules in the three values of Kleene: true, false, and not known (null). */
import type { Rule, RuleCondition, RuleFact } from '../../src/features/rules/messages/wire.ts';
import type { Answered } from '../engine/feature.ts';
import { factAtPlace, type AskedFact, type Found, type Truth, factInArea } from './facts.ts';

/** A fact in the words of a rule. */
export interface Fact {
  readonly asked: AskedFact;
  readonly textJson: string;
  readonly check: string | null;
  /** A power of two, so that the sum of several names them. Infinity: there are too many. */
  readonly weight: number;
}

/** Facts of a rule that have a weight: sums of more would not be exact. */
const MOST_WEIGHED = 48;

interface Joined {
  readonly asked: null;
  readonly parts: readonly Condition[];
  /** The truth of one part that decides for all. */
  readonly decisive: boolean;
  readonly isNegated: boolean;
}

/** A condition that is ready to be judged. */
export type Condition = Fact | Joined;

/** Facts by what they ask. */
export type AskedFacts = Map<string, AskedFact>;

/** Prepares the condition of a rule. What it asks and `facts` lacks is added there. */
export function conditionOf({ applies: usual, excludedBy }: Rule, facts: AskedFacts): Condition {
  let count = 0;
  const prepared = (one: RuleCondition): Condition => {
    if ('any' in one) return joined(one.any, true);
    if ('all' in one) return joined(one.all, false);
    if ('not' in one) return { ...joined([one.not], true), isNegated: true };
    const weight = count < MOST_WEIGHED ? 2 ** count : Infinity;
    count++;
    const asked = sharedFact(facts, one, one.applies ?? usual);
    return { asked, textJson: JSON.stringify(one.text.en), check: one.check?.en ?? null, weight };
  };
  const joined = (parts: readonly RuleCondition[], decisive: boolean): Joined => ({
    ...{ asked: null, parts: parts.map(prepared) },
    ...{ decisive, isNegated: false },
  });
  return prepared(excludedBy);
}

function sharedFact(facts: AskedFacts, fact: RuleFact, applies: Rule['applies']): AskedFact {
  const name = JSON.stringify([fact.layer, fact.is, fact.in, fact.withinM, applies]);
  let asked = facts.get(name);
  if (asked === undefined) facts.set(name, (asked = { fact, applies, found: null }));
  return asked;
}

/** An answer, and what of it is not known. */
export interface Judging {
  readonly answered: Answered;
  /** Of the facts that are not known, where the truth is not known because of them: the sum of their weights. */
  unknown: number;
}

/** Returns what a fact is in an answer. It looks once. */
export function foundOf(asked: AskedFact, answered: Answered): Found {
  return (asked.found ??= answered.kind === 'place' ? factAtPlace(asked.fact, answered) : factInArea(asked, answered));
}

/** Stops at the first part that decides. */
export function truthOf(condition: Condition, judging: Judging): Truth {
  if (condition.asked === null) {
    const truth = truthOfParts(condition, judging);
    return truth !== null && condition.isNegated ? !truth : truth;
  }
  const { truth } = foundOf(condition.asked, judging.answered);
  if (truth === null) judging.unknown += condition.weight;
  return truth;
}

function truthOfParts({ parts, decisive }: Joined, judging: Judging): Truth {
  const { unknown } = judging;
  let truth: Truth = !decisive;
  for (const part of parts) {
    const one = truthOf(part, judging);
    if (one === decisive) {
      judging.unknown = unknown;
      return one;
    }
    if (one === null) truth = null;
  }
  return truth;
}

/** Returns the facts from which the truth of a condition follows. */
export function decidingFacts(condition: Condition, answered: Answered): readonly Fact[] {
  if (condition.asked !== null) return [condition];
  return decidingParts(condition, answered).flatMap((part) => decidingFacts(part, answered));
}

/** Returns what makes the truth of a condition doubtful. */
export function doubtsOf(condition: Condition, answered: Answered): readonly string[] {
  if (condition.asked !== null) return condition.check === null ? [] : [condition.check];
  const doubts = decidingParts(condition, answered).map((part) => doubtsOf(part, answered));
  // Where one of them decides, one that is beyond doubt is enough; otherwise all of them are needed.
  const isOneEnough = truthOfParts(condition, { answered, unknown: 0 }) === condition.decisive;
  return isOneEnough && doubts.some((of) => of.length === 0) ? [] : doubts.flat();
}

function decidingParts(condition: Joined, answered: Answered): readonly Condition[] {
  const truth = truthOfParts(condition, { answered, unknown: 0 });
  return condition.parts.filter((part) => truthOf(part, { answered, unknown: 0 }) === truth);
}
