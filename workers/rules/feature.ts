import type { AskedRules, Rule } from '../../src/features/rules/messages/wire.ts';
import type { ThreadFeature, Answered } from '../engine/feature.ts';
import { conditionOf, decidingFacts, doubtsOf, factsIn, foundOf, truthOf } from './condition.ts';
import type { AskedFacts, Condition, Fact } from './condition.ts';
import { valueInArea, type Truth } from './facts.ts';

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

/** Most facts of a rule whose texts are kept: two bits for each, of which a number has 53. */
const MOST_FACTS = 26;

const REST = 'the rest of the parcel: this answer is about this point';
const WHERE = 'where on the parcel the building stands: a fact is true of a part of it';

class JudgedRule {
  readonly id: string;
  readonly #rule: Rule;
  readonly #condition: Condition;
  readonly #facts: readonly Fact[];
  /** What is said of places, as JSON, by what has been found of the facts: of most places the same. */
  readonly #kept = new Map<number, string>();

  constructor(rule: Rule, facts: AskedFacts) {
    this.id = rule.id;
    this.#rule = rule;
    this.#condition = conditionOf(rule, facts);
    this.#facts = factsIn(this.#condition);
  }

  json(answered: Answered): string {
    const truth = truthOf(this.#condition, answered);
    if (truth !== true) return this.#keptOf(answered, () => this.#undecided(truth, answered));
    // It finds all facts that matter, before what is kept is sought by them.
    const because = decidingFacts(this.#condition, answered).map((one) => reasonJson(one, answered));
    const check = this.#keptOf(answered, () => this.#checkOfExcluded(answered));
    return `{"outcome":"excluded","because":[${because.join(',')}],"missing":[],"check":${check}}`;
  }

  #keptOf({ kind }: Answered, make: () => string): string {
    // In an area the same facts may be unknown for other reasons.
    if (kind === 'area' || this.#facts.length > MOST_FACTS) return make();
    let name = 0;
    for (const { asked } of this.#facts)
      name = name * 4 + (asked.found === null ? 3 : truths.indexOf(asked.found.truth));
    let text = this.#kept.get(name);
    if (text === undefined) {
      if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
      this.#kept.set(name, (text = make()));
    }
    return text;
  }

  #checkOfExcluded(answered: Answered): string {
    const exceptions = (this.#rule.exceptions ?? []).map(({ en }) => en);
    return JSON.stringify([...new Set([...doubtsOf(this.#condition, answered), ...exceptions])]);
  }

  #undecided(truth: false | null, answered: Answered): string {
    const facts = truth === null ? decidingFacts(this.#condition, answered) : [];
    const check = this.#rule.limits.map(({ en }) => en);
    // An answer about a place leaves the rest of its parcel open.
    if (answered.kind === 'place' && this.#rule.applies === 'parcel') check.push(REST);
    if (facts.some(({ asked }) => foundOf(asked, answered).isPartly)) check.push(WHERE);
    const missing = [...new Set(facts.map(({ asked }) => asked.fact.layer))];
    const outcome = truth === null ? 'not_known' : 'not_excluded_by_mapped_data';
    return JSON.stringify({ outcome, because: [], missing, check });
  }
}

const truths: readonly Truth[] = [false, null, true];

/** As `JSON.stringify` would write it. Keys of layers need no escapes (layers/schema). */
function reasonJson({ asked, textJson }: Fact, answered: Answered): string {
  const { fact } = asked;
  const { distanceM } = foundOf(asked, answered);
  const value =
    answered.kind === 'place' ? (answered.layer(fact.layer)?.given.value ?? null) : valueInArea(fact, answered);
  const roundedM = distanceM === null ? null : Math.round(distanceM * 10) / 10;
  return `{"layer":"${fact.layer}","value":${JSON.stringify(value)},"distanceM":${roundedM},"text":${textJson}}`;
}
