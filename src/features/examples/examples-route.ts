/** `/api/examples`: stored answers that anybody may see, so that nobody needs a key to know what an answer is. */
import { withGeometry } from '../../core/openapi/lookup-operations.ts';
import { commonHeaders, inJson } from '../../core/openapi/responses.ts';
import type { SnapshotManifest } from '../../messages/manifest.ts';
import { AppError } from '../../messages/problems.ts';
import { exampleLookupSchema, exampleOutcomes, examplesSchema, type ExamplesBody } from './wire.ts';
import { contentOf, sendContent, type Content } from '../../core/http/content.ts';
import { route, type Route } from '../../core/http/route.ts';
import type { Services } from '../../core/http/services.ts';
import { examplesPart, type StoredExample } from './stored-examples.ts';

const FREE = 'Needs no key and costs nothing.';
const type = 'application/json';

const listExamples = route({
  method: 'get',
  path: '/api/examples',
  key: null,
  query: 'any',
  docs: ({ address, fullLookup }, { maps }) => ({
    operationId: 'examples',
    tag: 'lookup',
    summary: 'Examples: stored answers that need no key',
    description: `Made once for each snapshot, when it comes into service: one for each outcome worth seeing. ${FREE}`,
    schemas: {
      Examples: examplesSchema,
      ExampleLookup: withGeometry(exampleLookupSchema(maps ? 'detail=full and geometry=near' : 'detail=full'), maps),
    },
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
  handle: ({ services, req, res }) => sendContent(req, res, listFor(services), { type }),
});

const showExample = route({
  method: 'get',
  path: '/api/examples/:outcome',
  key: null,
  query: 'any',
  docs: (_examples, { maps }) => ({
    operationId: 'example',
    tag: 'lookup',
    summary: 'An example: the stored answer that shows an outcome',
    description: `The answer of a lookup with \`detail=full${maps ? '&geometry=near' : ''}\`, and in \`example\` when it was given. ${FREE}`,
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
  }),
  handle({ services, req, res }) {
    const example = services.parts.of(examplesPart).all.find(({ outcome }) => outcome === req.params['outcome']);
    if (!example) throw new AppError('NOT_FOUND', 'there is no such example now: GET /api/examples lists them');
    return sendContent(req, res, example.content, { type });
  },
});

export const examplesRoutes: readonly Route[] = [listExamples, showExample];

/** The list of each service, made once for each snapshot. */
const lists = new WeakMap<Services, () => Content>();

function listFor(services: Services): Content {
  let list = lists.get(services);
  if (!list) {
    const { snapshots, parts } = services;
    const examples = parts.of(examplesPart);
    list = contentOf(
      () => [snapshots.manifest, examples.all],
      () => JSON.stringify(listOf(snapshots.manifest, examples.all)),
    );
    lists.set(services, list);
  }
  return list();
}

function listOf({ id, sample }: SnapshotManifest, examples: readonly StoredExample[]): ExamplesBody {
  return {
    snapshot: { id, sample },
    examples: examples.map(({ outcome, address }) => ({ outcome, address, url: `/api/examples/${outcome}` })),
  };
}
