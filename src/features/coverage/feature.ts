import { Type } from 'typebox';
import { countForNetwork } from '../../core/http/key.ts';
import { route } from '../../core/http/route.ts';
import { sendJson } from '../../core/http/send-answer.ts';
import { answersTo, commonHeaders, inJson } from '../../core/openapi/responses.ts';
import type { ServedFeature, ToolCall } from '../../feature.ts';
import { mapOf } from '../../schema.ts';
import { askCoverage, coverageLimit, placeOf } from './coverage.ts';
import { coverageRequestSchema, coverageSchema, type CoverageBody } from './wire.ts';

/** `POST /api/coverage`: whether a lookup of a place would know something. It needs no key, costs nothing, and leaves nothing in the usage journal. */
const coverageRoute = route<undefined, unknown>({
  method: 'post',
  path: '/api/coverage',
  key: null,
  anybody: coverageLimit,
  changes: 'no: it looks up',
  isLookup: true,
  body: { mostBytes: 8 * 1024, example: '{"address": "<street address>, <city>, ON"} or {"lat": 44.1, "lon": -78.6}' },
  docs: ({ address, coverage }) => ({
    operationId: 'coverage',
    tag: 'lookup',
    summary: 'What is known of a place, without its values: needs no key',
    description: `Needs no key and costs nothing. A network may ask ${coverageLimit.most} times per hour. Addresses are found by the address register alone.`,
    body: ['CoverageRequest', { address }],
    schemas: { CoverageRequest: coverageRequestSchema, Coverage: coverageSchema },
    answers: {
      200: {
        description: 'By layer, whether it is known there.',
        headers: commonHeaders,
        content: inJson('Coverage', coverage),
      },
      ...answersTo('BAD_REQUEST', 'ADDRESS_NOT_FOUND', 'OUTSIDE_ONTARIO', 'RATE_LIMITED', 'INTERNAL', 'DB_ERROR'),
    },
  }),
  handle: async ({ services, res, body }) => {
    sendJson(res, await askCoverage(services, res, placeOf(body)));
  },
});

/** Says what is known of a place before anybody pays for it: a route, and a tool for agents. */
export const coverage: ServedFeature = {
  routes: [coverageRoute],
  tools: [
    {
      name: 'coverage',
      title: 'Ask what is known of a place',
      description:
        'Says for an address, or for lat and lon, which layers are known there, and how well the address was found, without any value. Use it before a lookup that costs something. Free, needs no key.',
      inputSchema: coverageRequestSchema,
      output: { known: mapOf(Type.Boolean()), address: Type.Union([Type.Object({}), Type.Null()]) },
      isFree: true,
      run: askFor,
    },
  ],
};

async function askFor(args: unknown, { services, res }: ToolCall) {
  const place = placeOf(args, { noun: 'the arguments' });
  await countForNetwork(services, res, coverageLimit);
  const body = JSON.parse(await askCoverage(services, res, place)) as CoverageBody;
  return () => body;
}
