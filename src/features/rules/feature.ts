import { Type } from 'typebox';
import type { ServedFeature, Tool } from '../../feature.ts';
import { partOf } from '../../feature.ts';
import type { AnswerMember } from '../../core/http/answer-members.ts';
import { readableFromAnywhere } from '../../core/http/browser-headers.ts';
import { Content, sendContent } from '../../core/http/content.ts';
import { route } from '../../core/http/route.ts';
import { commonHeaders, inJson } from '../../core/openapi/responses.ts';
import { partKey } from '../../core/parts/parts.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { badRequest, cutShort } from '../../messages/problems.ts';
import {
  ruleComponents,
  rulesSchema,
  type AskedRules,
  type Rule,
  type RuleJudgement,
  type RulesBody,
} from '../../messages/wire/rules.ts';
import { closed, reference } from '../../schema.ts';
import { cut } from '../../words.ts';
import { idsOf, readRules } from './read-rules.ts';
import { rulesSettings } from './settings.ts';

/** The rules in service. */
interface Rules {
  readonly all: readonly Rule[];
  /** As `GET /api/rules` gives them. */
  readonly content: Content;
  /** What tasks say of some of them, by their ids: rows of a batch share it. */
  readonly asked: Map<string, AskedRules>;
}

const rulesPart = partKey<Rules>('rules');

/** Sets of rules that are kept ready for tasks. */
const MOST_SETS = 64;

const rulesMember: AnswerMember = {
  feature: 'rules',
  parameter: 'rules',
  takes: 'all, or ids with commas between them: GET /api/rules lists them',
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
  read: (value, parts, param = 'rules') => askedOf(value, parts.of(rulesPart), param),
  tell: toldTo,
  columns: (asked) =>
    idsOf(JSON.parse((asked as AskedRules).json) as readonly Rule[]).map((id) => ({
      name: `rules.${id}`,
      cell: (member) => (member as Readonly<Record<string, RuleJudgement>> | undefined)?.[id]?.outcome ?? null,
    })),
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
    asked.set(name, (known = { json: JSON.stringify(chosen) }));
  }
  return known;
}

const listRules = route({
  method: 'get',
  path: '/api/rules',
  key: null,
  query: 'any',
  before: [readableFromAnywhere],
  docs: {
    operationId: 'rules',
    tag: 'catalogue',
    summary: 'The rules that can be asked for, with their law and conditions',
    description: 'Needs no key and costs nothing.',
    schemas: { Rules: rulesSchema },
    answers: {
      200: {
        description: 'The rules.',
        headers: commonHeaders,
        content: inJson('Rules', { rules: [] } satisfies RulesBody),
      },
    },
  },
  handle: ({ services, req, res }) =>
    sendContent(req, res, services.parts.of(rulesPart).content, { type: 'application/json' }),
});

const listTool: Tool = {
  name: 'list_rules',
  title: 'List the rules',
  description:
    'Lists the rules of law that a lookup can judge (argument "rules"): what each excludes, and what data cannot see. No outcome is a permission. Free.',
  inputSchema: closed({}),
  output: { rules: Type.Array(Type.Object({ id: Type.String() })) },
  isFree: true,
  run(_args, { services }) {
    const { all } = services.parts.of(rulesPart);
    const told = all.map(({ id, title, text: meaning, law, status, limits, exceptions = [] }) => ({
      ...{ id, title: title.en, text: meaning.en, law, status },
      limits: [...limits, ...exceptions].map(({ en }) => en),
    }));
    return (longest) => ({
      rules: told.map((rule) => ({ ...(cut(rule, longest) as object), id: rule.id, law: rule.law })),
    });
  },
};

/** What the law makes of the answers. */
export const rules: ServedFeature = {
  guides: ['rules'],
  members: [rulesMember],
  routes: [listRules],
  tools: [listTool],
  part: partOf(rulesPart, ({ config, catalogue }) => {
    const all = readRules(settingsOf(config, rulesSettings), catalogue);
    return {
      all,
      content: new Content(Buffer.from(JSON.stringify({ rules: all } satisfies RulesBody))),
      asked: new Map(),
    };
  }),
};
