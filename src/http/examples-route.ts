/** `/api/examples`: stored answers that anybody may see, so that nobody needs a key to know what an answer is. */
import { commonHeaders, inJson } from '../openapi/responses.ts';
import { AppError } from '../shared/problems.ts';
import { exampleLookupSchema, exampleOutcomes, examplesSchema, type ExamplesBody } from '../shared/wire/examples.ts';
import { sendContent } from './content.ts';
import { route, type Route } from './route.ts';

const FREE = 'Needs no key and costs nothing.';
const type = 'application/json';

const listExamples = route({
  method: 'get',
  path: '/api/examples',
  key: null,
  query: 'any',
  docs: ({ address, fullLookup }) => ({
    operationId: 'examples',
    tag: 'lookup',
    summary: 'Examples: stored answers that need no key',
    description: `Made once for each snapshot, when it comes into service: one for each outcome worth seeing. ${FREE}`,
    schemas: { Examples: examplesSchema, ExampleLookup: exampleLookupSchema },
    answers: {
      200: {
        description: 'The examples.',
        headers: commonHeaders,
        content: inJson('Examples', {
          snapshot: { id: fullLookup.snapshot.id, sample: true },
          examples: [{ outcome: 'restriction', address, url: '/api/examples/restriction' }],
        } satisfies ExamplesBody),
      },
    },
  }),
  handle: ({ services, req, res }) => sendContent(req, res, services.documents.examples(), { type }),
});

const showExample = route({
  method: 'get',
  path: '/api/examples/:outcome',
  key: null,
  query: 'any',
  docs: {
    operationId: 'example',
    tag: 'lookup',
    summary: 'An example: the stored answer that shows an outcome',
    description: `The answer of a lookup with \`detail=full&geometry=near\`, and in \`example\` when it was given. ${FREE}`,
    path: {
      outcome: {
        type: 'string',
        enum: Object.keys(exampleOutcomes),
        description: 'What it shows: one of those that `/api/examples` lists.',
        example: 'restriction',
      },
    },
    answers: {
      200: {
        description: 'The answer.',
        headers: commonHeaders,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ExampleLookup' } } },
      },
    },
    failures: ['NOT_FOUND'],
  },
  handle({ services, req, res }) {
    const example = services.examples.all.find(({ outcome }) => outcome === req.params['outcome']);
    if (!example) throw new AppError('NOT_FOUND', 'there is no such example now: GET /api/examples lists them');
    return sendContent(req, res, example.content, { type });
  },
});

export const examplesRoutes: readonly Route[] = [listExamples, showExample];
