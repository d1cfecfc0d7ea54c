import type { AskedRules, Rule } from '../../src/features/rules/messages/wire.ts';
import type { ThreadFeature, Answered } from '../engine/feature.ts';
import {
  conditionOf,
  decidingFacts,
  doubtsOf,
  foundOf,
  truthOf,
  type AskedFacts,
  type Condition,
  type Fact,
} from './condition.ts';
import { valueInArea } from './facts.ts';

/** Sets of rules that are kept ready. */
const MOST_SETS = 16;

/** Rules judged by the answers. */
export const rules: ThreadFeature = {
  name: 'rules',
  open: () => {
    const ready = new Map<string, JudgedRules>();
    const judgedBy = (asked: AskedRules): JudgedRules => {
      const name = 'json' in asked ? asked.json : asked.mark;
      let known = ready.get(name);
      if (known === undefined) {
        if (ready.size >= MOST_SETS) ready.clear();
        const json = 'json' in asked ? asked.json : Buffer.from(asked.shared).toString();
        ready.set(name, (known = new JudgedRules(JSON.parse(json) as readonly Rule[])));
      }
      return known;
    };
    return { member: { name: 'rules', write: (asked, answered) => judgedBy(asked as AskedRules).json(answered) } };
  },
};

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
  readonly #condition: Condition;
  /** What is said of places, as JSON, by the weights of the facts that it follows from: of most places the same. */
  readonly #kept = new Map<number, string>();

  constructor(rule: Rule, facts: AskedFacts) {
    this.id = rule.id;
    this.#rule = rule;
    this.#condition = conditionOf(rule, facts);
  }

  json(answered: Answered): string {
    const judging = { answered, unknown: 0 };
    if (truthOf(this.#condition, judging) === true) return this.#excluded(answered);
    return this.#keptFor(judging.unknown, answered, () => this.#undecided(judging));
  }

  #excluded(answered: Answered): string {
    const facts = decidingFacts(this.#condition, answered);
    const because = facts.map((one) => reasonJson(one, answered)).join(',');
    // Below zero, where no weight of what is unknown is.
    const weight = facts.reduce((sum, one) => sum - one.weight, 0);
    const check = this.#keptFor(weight, answered, () => this.#checkOfExcluded(answered));
    return `{"outcome":"excluded","because":[${because}],"missing":[],"check":${check}}`;
  }

  #keptFor(weight: number, { kind }: Answered, make: () => string): string {
    // In an area the same facts may be unknown for other reasons.
    if (kind === 'area' || !Number.isFinite(weight)) return make();
    let text = this.#kept.get(weight);
    if (text === undefined) {
      if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
      this.#kept.set(weight, (text = make()));
    }
    return text;
  }

  #checkOfExcluded(answered: Answered): string {
    const exceptions = (this.#rule.exceptions ?? []).map(({ en }) => en);
    return JSON.stringify([...new Set([...doubtsOf(this.#condition, answered), ...exceptions])]);
  }

  #undecided({ answered, unknown }: { readonly answered: Answered; readonly unknown: number }): string {
    const facts = unknown === 0 ? [] : decidingFacts(this.#condition, answered);
    const check = this.#rule.limits.map(({ en }) => en);
    // An answer about a place leaves the rest of its parcel open.
    if (answered.kind === 'place' && this.#rule.applies === 'parcel') check.push(REST);
    if (facts.some(({ asked }) => foundOf(asked, answered).isPartly)) check.push(WHERE);
    const missing = [...new Set(facts.map(({ asked }) => asked.fact.layer))];
    const outcome = unknown === 0 ? 'not_excluded_by_mapped_data' : 'not_known';
    return JSON.stringify({ outcome, because: [], missing, check });
  }
}

/** As `JSON.stringify` would write it. Keys of layers need no escapes (layers/schema). */
function reasonJson({ asked, textJson }: Fact, answered: Answered): string {
  const { fact } = asked;
  const { distanceM } = foundOf(asked, answered);
  const value =
    answered.kind === 'place' ? (answered.layer(fact.layer)?.given.value ?? null) : valueInArea(fact, answered);
  const roundedM = distanceM === null ? null : Math.round(distanceM * 10) / 10;
  return `{"layer":"${fact.layer}","value":${JSON.stringify(value)},"distanceM":${roundedM},"text":${textJson}}`;
}
