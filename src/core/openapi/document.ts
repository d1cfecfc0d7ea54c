import { readVersion } from '../../project/project.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { aliveSchema, readySchema } from '../../messages/wire/health.ts';
import { layersSchema } from '../../messages/wire/layers.ts';
import { licencesSchema } from '../../messages/wire/licences.ts';
import { codeSchema, problemSchema, reasonSchema } from '../../messages/wire/problem.ts';
import type { Schema } from '../../schema.ts';
import { inWords } from '../../words.ts';
import {
  lookupPathsOf,
  ownLookups,
  type Brought,
  type BroughtLookup,
  type DocumentedMaps,
  type DocumentedMember,
  type Examples,
} from './lookup-operations.ts';
import { lookupSchemas } from './lookup-schemas.ts';
import { pathsOf, schemasOf, type DocumentedRoute } from './operation.ts';
import { commonHeaders, headers, problemResponses } from './responses.ts';

/** Builds the OpenAPI 3.1 document from the layer definitions, the routes and the schemas that check requests. @param publicUrl null: its own. */
export function openApiDocument(
  catalogue: Catalogue,
  examples: Examples,
  features: readonly {
    readonly lookups?: readonly BroughtLookup[];
    readonly maps?: DocumentedMaps;
    readonly members?: readonly DocumentedMember[];
    readonly routes?: readonly DocumentedRoute[];
    readonly schemas?: Schema;
    readonly webhooks?: Schema;
    readonly tags?: readonly { readonly name: string; readonly description: string }[];
  }[],
  publicUrl: string | null = null,
): Schema {
  const routes = features.flatMap((feature) => feature.routes ?? []);
  const brought: Brought = {
    lookups: features.flatMap((feature) => feature.lookups ?? []),
    maps: mapsOf(features),
    members: features.flatMap((feature) => feature.members ?? []),
  };
  const nouns = brought.lookups.map(({ noun }) => noun);
  const ofRoutes = schemasOf(routes, examples, brought);
  return {
    openapi: '3.1.0',
    info: {
      title: 'land-lookup',
      version: readVersion(),
      summary: `Ontario land data for ${inWords(['a street address', 'a point', ...nouns], ' or ')}`,
      description: introduction(catalogue.answers.length, nouns),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl ?? '/', description: 'This server' }],
    tags: [
      { name: 'lookup', description: 'Land data of a place' },
      ...features.flatMap((feature) => feature.tags ?? []),
      { name: 'agents', description: 'Programs that reason' },
      { name: 'catalogue', description: 'What the answers mean and where they come from' },
      { name: 'operation', description: 'For operators and load balancers' },
    ],
    paths: {
      ...lookupPathsOf(brought, examples),
      ...pathsOf(routes, examples, brought),
      '/api/layers': { get: layersOperation },
      '/licences': { get: licencesOperation },
      '/llms.txt': { get: llmsOperation },
      '/healthz': { get: healthOperation },
      '/readyz': { get: readyOperation },
    },
    webhooks: Object.assign({}, ...features.map((feature) => feature.webhooks)) as Schema,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of this service, like olk_…' },
      },
      headers,
      responses: problemResponses,
      schemas: {
        Problem: problemSchema,
        ProblemCode: codeSchema,
        ProblemReason: reasonSchema,
        ...Object.fromEntries([...ownLookups, ...brought.lookups].map(({ docs }) => docs.request)),
        ...lookupSchemas(catalogue, examples.layers, brought),
        ...ofRoutes,
        LayerCatalogue: layersSchema,
        Licences: licencesSchema,
        ...(Object.assign({}, ...features.map((feature) => feature.schemas)) as Schema),
        // Those of routes come first among the same names.
        ...ofRoutes,
      },
    },
  };
}

/** What the features bring for maps; null: nothing. */
export function mapsOf<Maps>(features: readonly { readonly maps?: Maps }[]): Maps | null {
  return features.find(({ maps }) => maps !== undefined)?.maps ?? null;
}

function introduction(count: number, nouns: readonly string[]): string {
  const places = inWords(['an Ontario street address', 'the coordinates of a place', ...nouns], ', or ');
  return [
    `Takes ${places}, and returns ${count} land-data answers.`,
    'A value of null is never "no". It means that nothing is known or, for layers that name something, that the place is in none. With `detail=full`, `evidence` distinguishes the two.',
    'Every failure is a problem document (RFC 9457) with a stable `code`, and with a `reason` where a code has several causes; [/docs/errors](/docs/errors) explains them.',
    'Any other path gets 404 NOT_FOUND, and any other method on a path listed here gets 405 METHOD_NOT_ALLOWED.',
    'The version is that of the program. These may change without notice, with a higher second or third number: new routes, optional parameters and members of requests; new members of answers, except that a lookup keeps its members and its layers as they are; new values of `reason`, new codes for what fails already, and new types of webhooks; texts such as `title`, `detail` and the words in values of layers that come from the data; the order of members; limits. So ignore members that you do not know, take an unknown `reason` for its `code` alone and an unknown `code` for its status. Any other change comes with a higher first number.',
  ].join('\n\n');
}

const layersOperation: Schema = {
  operationId: 'layers',
  tags: ['catalogue'],
  summary: 'All layers, with their meaning, date, licence and attribution',
  description: 'Needs no key and costs nothing.',
  security: [],
  responses: {
    200: {
      description: 'The catalogue.',
      headers: commonHeaders,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/LayerCatalogue' } } },
    },
  },
};

const licencesOperation: Schema = {
  operationId: 'licences',
  tags: ['catalogue'],
  summary: 'The licences of the data, with the statements that they require',
  description: 'For the snapshot in service, as JSON or as a page. Needs no key and costs nothing.',
  security: [],
  responses: {
    200: {
      description: 'The licences.',
      headers: commonHeaders,
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Licences' } },
        'text/html': { schema: { type: 'string' } },
      },
    },
  },
};

const llmsOperation: Schema = {
  operationId: 'llms',
  tags: ['agents'],
  summary: 'What this service has, for language models',
  description: 'Routes, keys, limits, states and licences in Markdown (llmstxt.org). Needs no key and costs nothing.',
  security: [],
  responses: {
    200: {
      description: 'The text.',
      headers: commonHeaders,
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
  },
};

const healthOperation: Schema = {
  operationId: 'alive',
  tags: ['operation'],
  summary: 'The process answers',
  description: 'Needs no key. It says nothing about data or lookups: see /readyz.',
  security: [],
  responses: {
    200: { description: 'Alive.', headers: commonHeaders, content: { 'application/json': { schema: aliveSchema } } },
  },
};

const readyOperation: Schema = {
  operationId: 'ready',
  tags: ['operation'],
  summary: 'The process can answer lookups',
  description: 'Makes a real lookup. Needs no key.',
  security: [],
  responses: {
    200: { description: 'Ready.', headers: commonHeaders, content: { 'application/json': { schema: readySchema } } },
    503: {
      description: 'Not ready.',
      headers: commonHeaders,
      content: { 'application/json': { schema: readySchema } },
    },
  },
};
