import type { AskedRules, Rule, RuleJudgement } from '../../src/messages/wire/rules.ts';
import type { ThreadFeature } from '../engine/feature.ts';
import { judgeRule } from './judge-rule.ts';

/** Sets of rules that are kept parsed. */
const MOST_SETS = 16;

/** Rules judged by the answers. */
export const rules: ThreadFeature = {
  name: 'rules',
  open: () => {
    const parsed = new Map<string, readonly Rule[]>();
    const rulesIn = ({ json }: AskedRules): readonly Rule[] => {
      let known = parsed.get(json);
      if (known === undefined) {
        if (parsed.size >= MOST_SETS) parsed.clear();
        parsed.set(json, (known = JSON.parse(json) as readonly Rule[]));
      }
      return known;
    };
    const texts = new WeakMap<RuleJudgement, string>();
    const written = (judged: RuleJudgement): string => {
      let text = texts.get(judged);
      if (text === undefined) texts.set(judged, (text = JSON.stringify(judged)));
      return text;
    };
    return {
      member: {
        name: 'rules',
        write(asked, answered) {
          // Ids need no escapes (rules/schema).
          const members = rulesIn(asked as AskedRules).map(
            (rule) => `"${rule.id}":${written(judgeRule(rule, answered))}`,
          );
          return `{${members.join(',')}}`;
        },
      },
    };
  },
};
