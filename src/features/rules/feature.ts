import { Type } from 'typebox';
import type { ServedFeature, Tool } from '../../feature.ts';
import { partOf } from '../../feature.ts';
import { readableFromAnywhere } from '../../core/http/browser-headers.ts';
import { sendContent } from '../../core/http/content.ts';
import { route } from '../../core/http/route.ts';
import { commonHeaders, inJson } from '../../core/openapi/responses.ts';
import { rulesSchema, type RulesBody } from './messages/wire.ts';
import { closed } from '../../schema.ts';
import { cut } from '../../words.ts';
import { openRules, rulesMember, rulesPart } from './rules-member.ts';

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
    sendContent(req, res, services.parts.of(rulesPart)().content, { type: 'application/json' }),
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
    const { all } = services.parts.of(rulesPart)();
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
  part: partOf(rulesPart, openRules),
};
