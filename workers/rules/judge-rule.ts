/** Judges a rule by what a lookup has found, in the three values of Kleene: true, false, and not known (null). */
import type { Rule, RuleCondition, RuleFact, RuleJudgement } from '../../src/messages/wire/rules.ts';
import type { Answered } from '../engine/feature.ts';
import type { Found, Truth } from './found.ts';
import { factInArea } from './fact-in-area.ts';
import { factAtPlace } from './fact-at-place.ts';

interface Judged {
  readonly truth: Truth;
  /** The facts from which this follows. */
  readonly facts: readonly (Found & { readonly fact: RuleFact })[];
}

export function judgeRule(rule: Rule, answered: Answered): RuleJudgement {
  const { truth, facts } = judge(rule.excludedBy, rule, answered);
  if (truth === true) {
    const because = facts.map(({ fact, value, distanceM }) => ({
      ...{ layer: fact.layer, value },
      distanceM: distanceM === null ? null : Math.round(distanceM * 10) / 10,
      text: fact.text.en,
    }));
    // One fact that is beyond doubt is enough.
    const doubts = facts.map(({ fact }) => fact.check?.en);
    const check = doubts.includes(undefined) ? [] : [...new Set(doubts as string[])];
    return { outcome: 'excluded', because, missing: [], check };
  }
  const check = [...rule.limits.map(({ en }) => en), ...restOf(rule, answered, facts)];
  if (truth === false) return { outcome: 'not_excluded_by_mapped_data', because: [], missing: [], check };
  const missing = [...new Set(facts.map(({ fact }) => fact.layer))];
  return { outcome: 'not_known', because: [], missing, check };
}

/** What an answer about a place leaves open of the parcel, and one about an area of the building. */
function restOf(rule: Rule, { kind }: Answered, facts: Judged['facts']): readonly string[] {
  if (facts.some(({ isPartly }) => isPartly === true))
    return ['where on the parcel the building stands: a fact is true of a part of it'];
  return kind === 'place' && rule.applies === 'parcel'
    ? ['the rest of the parcel: this answer is about this point']
    : [];
}

function judge(condition: RuleCondition, rule: Rule, answered: Answered): Judged {
  if ('any' in condition) return joined(condition.any, true, (one) => judge(one, rule, answered));
  if ('all' in condition) return joined(condition.all, false, (one) => judge(one, rule, answered));
  if ('not' in condition) {
    const { truth, facts } = judge(condition.not, rule, answered);
    return { truth: truth === null ? null : !truth, facts };
  }
  const { applies = rule.applies } = condition;
  const found = answered.kind === 'place' ? factAtPlace(condition, answered) : factInArea(condition, applies, answered);
  return { truth: found.truth, facts: [{ ...found, fact: condition }] };
}

/** @param decisive the truth of one condition that decides for all. */
function joined(
  conditions: readonly RuleCondition[],
  decisive: boolean,
  judgeOne: (one: RuleCondition) => Judged,
): Judged {
  const all = conditions.map(judgeOne);
  const truth = all.some((one) => one.truth === decisive)
    ? decisive
    : all.some((one) => one.truth === null)
      ? null
      : !decisive;
  return { truth, facts: all.filter((one) => one.truth === truth).flatMap(({ facts }) => facts) };
}
