import type { AskedRules, Rule } from '../../src/messages/wire/rules.ts';
import type { ThreadFeature } from '../engine/feature.ts';
import { JudgedRules } from './judged-rules.ts';

/** Sets of rules that are kept ready. */
const MOST_SETS = 16;

/** Rules judged by the answers. */
export const rules: ThreadFeature = {
  name: 'rules',
  open: () => {
    const ready = new Map<string, JudgedRules>();
    const judgedBy = ({ json }: AskedRules): JudgedRules => {
      let known = ready.get(json);
      if (known === undefined) {
        if (ready.size >= MOST_SETS) ready.clear();
        ready.set(json, (known = new JudgedRules(JSON.parse(json) as readonly Rule[])));
      }
      return known;
    };
    return { member: { name: 'rules', write: (asked, answered) => judgedBy(asked as AskedRules).json(answered) } };
  },
};
