/** Conditions of rules in the three values of Kleene: true, false, and not known (null). */
import type { Rule, RuleCondition } from '../../src/features/rules/messages/wire.ts';
import type { Answered } from '../engine/feature.ts';
import { factAtPlace, type AskedFact, type Found, type Truth, factInArea } from './facts.ts';

/** A fact in the words of a rule. */
export interface Fact {
  readonly asked: AskedFact;
  readonly textJson: string;
  readonly check: string | null;
}

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
  const joined = (parts: readonly RuleCondition[], decisive: boolean, isNegated = false): Joined => {
    return { asked: null, parts: parts.map(prepared), decisive, isNegated };
  };
  const prepared = (one: RuleCondition): Condition => {
    if ('any' in one) return joined(one.any, true);
    if ('all' in one) return joined(one.all, false);
    if ('not' in one) return joined([one.not], true, true);
    const applies = one.applies ?? usual;
    const name = JSON.stringify([one.layer, one.is, one.in, one.withinM, applies]);
    const asked = facts.get(name) ?? { fact: one, applies, found: null };
    facts.set(name, asked);
    return { asked, textJson: JSON.stringify(one.text.en), check: one.check?.en ?? null };
  };
  return prepared(excludedBy);
}

/** Returns all facts of a condition, in their order. */
export function factsIn(condition: Condition): readonly Fact[] {
  return condition.asked === null ? condition.parts.flatMap(factsIn) : [condition];
}

/** Returns what a fact is in an answer. It looks once. */
export function foundOf(asked: AskedFact, answered: Answered): Found {
  return (asked.found ??= answered.kind === 'place' ? factAtPlace(asked.fact, answered) : factInArea(asked, answered));
}

/** Stops at the first part that decides. */
export function truthOf(condition: Condition, answered: Answered): Truth {
  if (condition.asked !== null) return foundOf(condition.asked, answered).truth;
  const truth = truthOfParts(condition, answered);
  return truth !== null && condition.isNegated ? !truth : truth;
}

function truthOfParts({ parts, decisive }: Joined, answered: Answered): Truth {
  let truth: Truth = !decisive;
  for (const part of parts) {
    const one = truthOf(part, answered);
    if (one === decisive) return one;
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
  const isOneEnough = truthOfParts(condition, answered) === condition.decisive;
  return isOneEnough && doubts.some((of) => of.length === 0) ? [] : doubts.flat();
}

function decidingParts(condition: Joined, answered: Answered): readonly Condition[] {
  const truth = truthOfParts(condition, answered);
  return condition.parts.filter((part) => truthOf(part, answered) === truth);
}
