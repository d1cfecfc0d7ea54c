/** Judges a rule by what a lookup has found, in the three values of Kleene: true, false, and not known (null). */
import type { Rule, RuleCondition, RuleFact, RuleJudgement } from '../../src/messages/wire/rules.ts';
import type { Answered } from '../engine/feature.ts';
import type { Found, Truth } from './found.ts';
import { factInArea } from './fact-in-area.ts';
import { factAtPlace } from './fact-at-place.ts';

interface Judged {
  readonly truth: Truth;
  /** The facts from which this follows. */
  readonly facts: readonly { readonly fact: RuleFact; readonly found: Found }[];
  /** What makes this doubtful. */
  readonly doubts: readonly string[];
}

/** Returns the same object for all places of which it says the same, as at most of them: it need not be written again. */
export function judgeRule(rule: Rule, answered: Answered): RuleJudgement {
  const judged = judge(rule.excludedBy, rule, answered);
  if (judged.truth === true) return excluded(judged, rule);
  return judged.truth === false ? nothingExcludes(rule, answered.kind) : notKnown(rule, answered.kind, judged.facts);
}

const WHERE = 'where on the parcel the building stands: a fact is true of a part of it';

function excluded({ facts, doubts }: Judged, { exceptions = [] }: Rule): RuleJudgement {
  const because = facts.map(({ fact, found: { value, distanceM } }) => ({
    ...{ layer: fact.layer, value },
    distanceM: distanceM === null ? null : Math.round(distanceM * 10) / 10,
    text: fact.text.en,
  }));
  const check = [...new Set([...doubts, ...exceptions.map(({ en }) => en)])];
  return { outcome: 'excluded', because, missing: [], check };
}

type Judgements = Map<string, RuleJudgement>;

const judgements = new WeakMap<Rule, Judgements>();

/** Judgements that are kept of a rule: one more for each set of layers that are missing together. */
const MOST_KEPT = 64;

function keptFor(rule: Rule, name: string, make: () => RuleJudgement): RuleJudgement {
  let kept = judgements.get(rule);
  if (kept === undefined) judgements.set(rule, (kept = new Map<string, RuleJudgement>()));
  let judged = kept.get(name);
  if (judged === undefined) {
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(name, (judged = make()));
  }
  return judged;
}

function notKnown(rule: Rule, kind: Answered['kind'], facts: Judged['facts']): RuleJudgement {
  let [name, isPartly] = [kind as string, false];
  for (const { fact, found } of facts) {
    name += ` ${fact.layer}`;
    isPartly ||= found.isPartly === true;
  }
  return keptFor(rule, isPartly ? `${name} partly` : name, () => {
    const missing = [...new Set(facts.map(({ fact }) => fact.layer))];
    const { check } = nothingExcludes(rule, kind);
    return { outcome: 'not_known', because: [], missing, check: isPartly ? [...check, WHERE] : check };
  });
}

/** An answer about a place leaves the rest of its parcel open. */
function nothingExcludes(rule: Rule, kind: Answered['kind']): RuleJudgement {
  return keptFor(rule, kind, () => {
    const isOfParcel = kind === 'place' && rule.applies === 'parcel';
    const rest = isOfParcel ? ['the rest of the parcel: this answer is about this point'] : [];
    const check = [...rule.limits.map(({ en }) => en), ...rest];
    return { outcome: 'not_excluded_by_mapped_data', because: [], missing: [], check };
  });
}

function judge(condition: RuleCondition, rule: Rule, answered: Answered): Judged {
  if ('any' in condition) return joined(condition.any, true, { rule, answered });
  if ('all' in condition) return joined(condition.all, false, { rule, answered });
  if ('not' in condition) {
    const { truth, ...rest } = judge(condition.not, rule, answered);
    return { truth: truth === null ? null : !truth, ...rest };
  }
  const { applies = rule.applies } = condition;
  const found = answered.kind === 'place' ? factAtPlace(condition, answered) : factInArea(condition, applies, answered);
  const { check } = condition;
  return { truth: found.truth, facts: [{ fact: condition, found }], doubts: check ? [check.en] : [] };
}

interface Asked {
  readonly rule: Rule;
  readonly answered: Answered;
}

/** @param decisive the truth of one condition that decides for all. */
function joined(conditions: readonly RuleCondition[], decisive: boolean, { rule, answered }: Asked): Judged {
  let truth: Truth = !decisive;
  let deciding: Judged[] = [];
  for (const condition of conditions) {
    const one = judge(condition, rule, answered);
    const isStronger = one.truth === decisive || (one.truth === null && truth === !decisive);
    if (isStronger && one.truth !== truth) [truth, deciding] = [one.truth, []];
    if (one.truth === truth) deciding.push(one);
  }
  // Where one of them decides, one that is beyond doubt is enough; otherwise all of them are needed.
  const isCertain = truth === decisive && deciding.some(({ doubts }) => doubts.length === 0);
  return {
    truth,
    facts: deciding.flatMap(({ facts }) => facts),
    doubts: isCertain ? [] : deciding.flatMap(({ doubts }) => doubts),
  };
}
