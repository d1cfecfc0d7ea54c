import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { AnswerMember } from '../../core/http/answer-members.ts';
import { Content } from '../../core/http/content.ts';
import { partKey, Parts } from '../../core/parts/parts.ts';
import { settingsOf, type Config } from '../../core/settings/config.ts';
import type { RowMember } from '../../feature.ts';
import { badRequest, cutShort } from '../../messages/problems.ts';
import { HOUR_MS } from '../../messages/time.ts';
import { ruleComponents, type AskedRules, type Rule, type RuleJudgement, type RulesBody } from './messages/wire.ts';
import { reference } from '../../schema.ts';
import { cut } from '../../words.ts';
import { idsOf, readRules } from './read-rules.ts';
import { rulesSettings } from './settings.ts';

/** The rules in service on a day. */
interface Rules {
  readonly all: readonly Rule[];
  /** As `GET /api/rules` gives them. */
  readonly content: Content;
  /** What tasks say of some of them, by their ids: rows of a batch share it. */
  readonly asked: Map<string, RuleSet>;
}

/** A set of rules: plain data where it is kept (`toJSON`), and on the way to a thread a mark, with where its text is. */
class RuleSet {
  readonly mark: string;
  readonly shared: SharedArrayBuffer;
  readonly #json: string;

  constructor(rules: readonly Rule[]) {
    this.#json = JSON.stringify(rules);
    const bytes = Buffer.from(this.#json);
    this.mark = createHash('sha256').update(bytes).digest('hex');
    this.shared = new SharedArrayBuffer(bytes.length);
    bytes.copy(new Uint8Array(this.shared));
  }

  get json(): string {
    return this.#json;
  }

  toJSON(): AskedRules {
    return { json: this.#json };
  }
}

/** Gives the rules that are in force today. */
export const rulesPart = partKey<() => Rules>('rules');

/** Days are those of most of Ontario. */
const ontarioDay = new Intl.DateTimeFormat('en-CA', {
  ...{ timeZone: 'America/Toronto', year: 'numeric', month: '2-digit', day: '2-digit' },
} as const);

/** @throws Error that names the file and what is wrong with it. */
export function openRules({
  config,
  catalogue,
  now = Date.now,
}: {
  readonly config: Config;
  readonly catalogue: Catalogue;
  readonly now?: () => number;
}): () => Rules {
  const read = readRules(settingsOf(config, rulesSettings), catalogue);
  let known: { readonly hour: number; readonly rules: Rules } | undefined;
  return () => {
    // Days begin with an hour, and to name a day takes longer than to count hours.
    const hour = Math.floor(now() / HOUR_MS);
    if (known?.hour === hour) return known.rules;
    const day = ontarioDay.format(now());
    const all = read.filter(({ law }) => law.from === null || law.from <= day);
    const content = new Content(Buffer.from(JSON.stringify({ rules: all } satisfies RulesBody)));
    known = { hour, rules: { all, content, asked: new Map() } };
    return known.rules;
  };
}

/** Sets of rules that are kept ready for tasks. */
const MOST_SETS = 64;

/** `?rules=`: the member `rules` of answers. The half in the threads judges them (`workers/rules/`). */
export const rulesMember: AnswerMember = {
  feature: 'rules',
  parameter: 'rules',
  takes: 'all, or ids with commas between them: GET /api/rules lists them',
  argument: 'Rules to judge: all, or ids with commas, as list_rules has them.',
  asked: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4000,
      description: 'Rules of the law to judge: `all`, or ids with commas between them (`/api/rules`).',
    }),
  ),
  name: 'rules',
  answer: Type.Optional(reference<Readonly<Record<string, RuleJudgement>>>('RuleJudgements')),
  components: ruleComponents,
  read: (value, parts, param = 'rules') => askedOf(value, parts.of(rulesPart)(), param),
  tell: toldTo,
  columns: (asked) =>
    idsOf(JSON.parse((asked as { readonly json: string }).json) as readonly Rule[]).map((id) => ({
      name: `rules.${id}`,
      cell: (member) => (member as Readonly<Record<string, RuleJudgement>> | undefined)?.[id]?.outcome ?? null,
    })),
};

/** `lookup --file --rules`. */
export const rulesOfRows: RowMember = {
  option: ['--rules <IDS>', 'rules of the law to judge: all, or their ids with commas between them (docs/rules.md)'],
  member: rulesMember,
  parts: (config, catalogue) => new Parts({ [rulesPart.name]: openRules({ config, catalogue }) }),
};

/** Below this length the facts are told by their layers alone. */
const SHORT = 200;

/** What an agent reads of the judgements. The outcomes are always whole. */
function toldTo(member: unknown, longest: number): object {
  const all = Object.entries(member as Readonly<Record<string, RuleJudgement>>);
  return Object.fromEntries(
    all.map(([id, { outcome, because, missing, check }]) => [
      id,
      longest >= SHORT
        ? { outcome, because: cut(because, longest), missing, check }
        : { outcome, because: because.map(({ layer, distanceM }) => ({ layer, distanceM })), missing },
    ]),
  );
}

/** @throws AppError BAD_REQUEST that lists the rules. */
function askedOf(value: string, { all, asked }: Rules, param: string): AskedRules {
  const names = value.split(',').map((id) => id.trim());
  const wanted = names.join() === 'all' ? idsOf(all) : names;
  const unknown = wanted.find((id) => !all.some((rule) => rule.id === id));
  if (unknown !== undefined) {
    if (unknown === 'all')
      throw badRequest('"all" stands alone: ask for all rules, or for some by their ids', { param });
    const ids = all.length === 0 ? 'there are none' : `there are: ${idsOf(all).join(', ')}`;
    throw badRequest(`"${cutShort(unknown)}" is no rule of this service; ${ids}`, { param });
  }
  const chosen = all.filter(({ id }) => wanted.includes(id));
  const name = idsOf(chosen).join();
  let known = asked.get(name);
  if (known === undefined) {
    if (asked.size >= MOST_SETS) asked.clear();
    asked.set(name, (known = new RuleSet(chosen)));
  }
  return known;
}
