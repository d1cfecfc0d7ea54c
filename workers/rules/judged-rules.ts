import type { Rule } from '../../src/messages/wire/rules.ts';
import type { Answered } from '../engine/feature.ts';
import { addDeciding, conditionOf, doubtsOf, foundOf, truthOf, type AskedFacts, type Fact } from './condition.ts';
import type { Truth } from './found.ts';

/** Rules that are ready to be judged by answers. */
export class JudgedRules {
  readonly #facts: AskedFacts = new Map();
  readonly #rules: readonly JudgedRule[];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules.map((rule) => new JudgedRule(rule, this.#facts));
  }

  /** Returns the judgements by the ids of their rules, as JSON (`RuleJudgement`). */
  json(answered: Answered): string {
    for (const asked of this.#facts.values()) asked.found = null;
    let json = '{';
    // Ids need no escapes (rules/schema).
    for (const one of this.#rules) json += `${json === '{' ? '' : ','}"${one.id}":${one.json(answered)}`;
    return `${json}}`;
  }
}

/** Texts that are kept of a rule. */
const MOST_KEPT = 256;

const REST = 'the rest of the parcel: this answer is about this point';
const WHERE = 'where on the parcel the building stands: a fact is true of a part of it';

class JudgedRule {
  readonly id: string;
  readonly #rule: Rule;
  readonly #condition: ReturnType<typeof conditionOf>;
  /** What a judgement says beside its reasons, as JSON, by what it follows from: most places have the same. */
  readonly #kept = new Map<number, string>();

  constructor(rule: Rule, facts: AskedFacts) {
    this.id = rule.id;
    this.#rule = rule;
    this.#condition = conditionOf(rule, facts);
  }

  json(answered: Answered): string {
    const truth = truthOf(this.#condition, answered);
    const facts: Fact[] = [];
    if (truth !== false) addDeciding(this.#condition, answered, facts);
    const rest = this.#rest(truth, facts, answered);
    if (truth !== true) return rest;
    return `{"outcome":"excluded","because":[${facts.map((one) => reasonJson(one, answered)).join(',')}],${rest}`;
  }

  #rest(truth: Truth, facts: readonly Fact[], answered: Answered): string {
    const isPartly = answered.kind === 'area' && facts.some(({ asked }) => foundOf(asked, answered).isPartly === true);
    let key = 0;
    for (const { weight } of facts) key += weight;
    key = key * 8 + (answered.kind === 'place' ? 4 : 0) + (truth === true ? 2 : 0) + (isPartly ? 1 : 0);
    let text = this.#kept.get(key);
    if (text !== undefined) return text;
    text = truth === true ? this.#endOfExcluded(answered) : this.#undecided(facts, answered.kind, isPartly);
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    if (key < Infinity) this.#kept.set(key, text);
    return text;
  }

  #endOfExcluded(answered: Answered): string {
    const exceptions = (this.#rule.exceptions ?? []).map(({ en }) => en);
    const check = [...new Set([...doubtsOf(this.#condition, answered), ...exceptions])];
    return `"missing":[],"check":${JSON.stringify(check)}}`;
  }

  /** @param facts those that are not known; none: nothing excludes. */
  #undecided(facts: readonly Fact[], kind: Answered['kind'], isPartly: boolean): string {
    const check = this.#rule.limits.map(({ en }) => en);
    // An answer about a place leaves the rest of its parcel open.
    if (kind === 'place' && this.#rule.applies === 'parcel') check.push(REST);
    if (isPartly) check.push(WHERE);
    const missing = [...new Set(facts.map(({ asked }) => asked.fact.layer))];
    const outcome = facts.length > 0 ? 'not_known' : 'not_excluded_by_mapped_data';
    return JSON.stringify({ outcome, because: [], missing, check });
  }
}

/** As `JSON.stringify` would write it. Keys of layers need no escapes (layers/schema). */
function reasonJson({ asked, textJson }: Fact, answered: Answered): string {
  const { value, distanceM } = foundOf(asked, answered);
  const roundedM = distanceM === null ? null : Math.round(distanceM * 10) / 10;
  return `{"layer":"${asked.fact.layer}","value":${JSON.stringify(value())},"distanceM":${roundedM},"text":${textJson}}`;
}
