import type { TSchema } from 'typebox';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { FullLookupBody } from '../shared/wire/full-lookup.ts';
import type { LookupBody } from '../shared/wire/lookup.ts';
import { idempotencyKeySchema, lookupQuerySchema, lookupRequestSchema } from '../shared/wire/lookup-request.ts';
import { problems, type ProblemCode } from '../shared/problems.ts';
import type { Schema } from '../shared/schema.ts';
import type { LayerExamples } from './layer-schemas.ts';
import { lookupSchemas } from './lookup-schemas.ts';
import { aliveSchema, readySchema } from '../shared/wire/health.ts';
import { layersSchema } from '../shared/wire/layers.ts';
import { problemSchema } from '../shared/wire/problem.ts';
import { suggestionsSchema, suggestQuerySchema, type Suggestion } from '../shared/wire/suggest.ts';

/** Answers of the service on its bundled sample (`docs/api-examples.json`). */
export interface Examples {
  readonly address: string;
  readonly lookup: LookupBody;
  readonly fullLookup: FullLookupBody;
  readonly layers: LayerExamples;
  readonly suggest: { readonly q: string; readonly suggestions: readonly Suggestion[] };
}

/** Version of the contract. A change that breaks clients requires a new first number. */
export const API_VERSION = '1.0.0';

/** Builds the OpenAPI 3.1 document from the layer definitions and from the schema that checks requests. */
export function openApiDocument(catalogue: Catalogue, examples: Examples): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'land-lookup',
      version: API_VERSION,
      summary: 'Ontario land data for a street address',
      description: introduction(catalogue.answers.length),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: [
      { name: 'lookup', description: 'Land data of an address' },
      { name: 'catalogue', description: 'What the answers mean and where they come from' },
      { name: 'operation', description: 'For operators and load balancers' },
    ],
    paths: {
      '/api/lookup': { post: lookupOperation(examples) },
      '/api/suggest': { get: suggestOperation(examples) },
      '/api/layers': { get: layersOperation },
      '/healthz': { get: healthOperation },
      '/readyz': { get: readyOperation },
    },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of this service, like olk_…' },
      },
      headers,
      schemas: {
        LookupRequest: lookupRequestSchema,
        ...lookupSchemas(catalogue, examples.layers),
        Suggestions: suggestionsSchema,
        LayerCatalogue: layersSchema,
      },
    },
  };
}

function introduction(count: number): string {
  return [
    `Takes an Ontario street address and returns ${count} land-data answers.`,
    'A value of null is never "no". It means that nothing is known or, for layers that name something, that the place is in none. With `detail=full`, `evidence` distinguishes the two.',
    'Every failure is a problem document (RFC 9457) with a stable `code`; [/docs/errors](/docs/errors) explains the codes.',
    'Any other path gets 404 NOT_FOUND, and any other method on a path listed here gets 405 METHOD_NOT_ALLOWED.',
  ].join('\n\n');
}

const lookupOperation = (examples: Examples): Schema => ({
  operationId: 'lookup',
  tags: ['lookup'],
  summary: 'Look up the land data of an address',
  description:
    'Resolves the address to a point and answers every layer there. Costs one unit of the hourly quota, except on 400, 402, 500 and 503; only a 200 is billed.',
  security: [{ key: [] }],
  parameters: [
    ...Object.entries(lookupQuerySchema.properties).map(([name, schema]) => parameter('query', name, schema)),
    parameter('header', 'Idempotency-Key', idempotencyKeySchema),
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/LookupRequest' },
        examples: { sample: { summary: 'An address of the bundled sample', value: { address: examples.address } } },
      },
    },
  },
  responses: {
    200: {
      description: 'The answers.',
      headers: { ...quotaHeaders, ...requestIdHeader, ...usageHeaders },
      content: {
        'application/json': {
          schema: {
            anyOf: [{ $ref: '#/components/schemas/Lookup' }, { $ref: '#/components/schemas/FullLookup' }],
          },
          examples: {
            short: { summary: 'A lookup on the invented sample', value: examples.lookup },
            full: { summary: 'The same with detail=full', value: examples.fullLookup },
          },
        },
      },
    },
    400: problemResponse(['BAD_REQUEST'], quotaHeaders),
    401: problemResponse(['UNAUTHORIZED'], { 'WWW-Authenticate': header('WwwAuthenticate') }),
    402: problemResponse(['PAYMENT_REQUIRED'], quotaHeaders),
    403: problemResponse(['FORBIDDEN'], quotaHeaders),
    404: problemResponse(['ADDRESS_NOT_FOUND'], quotaHeaders),
    422: problemResponse(['OUTSIDE_ONTARIO'], quotaHeaders),
    429: problemResponse(['RATE_LIMITED'], { ...quotaHeaders, 'Retry-After': header('RetryAfter') }),
    500: problemResponse(['INTERNAL']),
    503: problemResponse(['DB_ERROR'], { 'Retry-After': header('RetryAfter') }),
  },
});

const suggestOperation = ({ suggest: { q, suggestions } }: Examples): Schema => ({
  operationId: 'suggest',
  tags: ['lookup'],
  summary: 'Complete an address while it is being typed',
  description:
    'Completes civic addresses, streets and municipalities from the address register. A lookup of a suggested address finds that very address. Not billed; has an hourly limit of its own. An answer without suggestions is no error.',
  security: [{ key: [] }],
  parameters: Object.entries(suggestQuerySchema.properties).map(([name, schema]) => ({
    ...parameter('query', name, schema),
    ...(name === 'q' ? { required: true, example: q } : {}),
  })),
  responses: {
    200: {
      description: 'The suggestions.',
      headers: { ...quotaHeaders, ...requestIdHeader },
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Suggestions' },
          examples: { sample: { summary: 'From the invented sample', value: { suggestions } } },
        },
      },
    },
    400: problemResponse(['BAD_REQUEST']),
    401: problemResponse(['UNAUTHORIZED'], { 'WWW-Authenticate': header('WwwAuthenticate') }),
    402: problemResponse(['PAYMENT_REQUIRED']),
    403: problemResponse(['FORBIDDEN']),
    429: problemResponse(['RATE_LIMITED'], { ...quotaHeaders, 'Retry-After': header('RetryAfter') }),
    500: problemResponse(['INTERNAL']),
    503: problemResponse(['DB_ERROR'], { 'Retry-After': header('RetryAfter') }),
  },
});

/** The description stands beside the schema, not in it. */
function parameter(place: 'query' | 'header', name: string, described: TSchema): Schema {
  const { description, ...schema } = described as Schema;
  return { name, in: place, description, schema };
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
      content: { 'application/json': { schema: { $ref: '#/components/schemas/LayerCatalogue' } } },
    },
  },
};

const healthOperation: Schema = {
  operationId: 'alive',
  tags: ['operation'],
  summary: 'The process answers',
  security: [],
  responses: { 200: { description: 'Alive.', content: { 'application/json': { schema: aliveSchema } } } },
};

const readyOperation: Schema = {
  operationId: 'ready',
  tags: ['operation'],
  summary: 'The process can answer lookups',
  security: [],
  responses: {
    200: { description: 'Ready.', content: { 'application/json': { schema: readySchema } } },
    503: { description: 'Not ready.', content: { 'application/json': { schema: readySchema } } },
  },
};

const header = (name: keyof typeof headers): Schema => ({ $ref: `#/components/headers/${name}` });

const headers = {
  RateLimit: { description: 'Requests left (r) and seconds until they are renewed (t).', schema: { type: 'string' } },
  RateLimitPolicy: {
    description: 'Requests per window (q) and the length of the window in seconds (w).',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Whole seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  RequestId: { description: "The request's id in the log.", schema: { type: 'string' } },
  LookupId: {
    description: "The lookup's id in the usage report and on the bill; only with a first answer.",
    schema: { type: 'string', pattern: '^lkp_[0-9a-f]{32}$' },
  },
  IdempotentReplayed: {
    description:
      'This is the answer of an earlier request with the same Idempotency-Key; it is neither counted nor billed again.',
    schema: { type: 'string', const: 'true' },
  },
  WwwAuthenticate: { description: 'Bearer.', schema: { type: 'string' } },
} as const satisfies Readonly<Record<string, Schema>>;

const quotaHeaders = { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') };
/** An answer has one of the two. */
const usageHeaders = { 'Lookup-Id': header('LookupId'), 'Idempotent-Replayed': header('IdempotentReplayed') };
const requestIdHeader = { 'X-Request-Id': header('RequestId') };

function problemResponse(codes: readonly ProblemCode[], more: Schema = {}): Schema {
  return {
    description: codes.map((code) => `${code}: ${problems[code].help}`).join('\n\n'),
    headers: { ...more, ...requestIdHeader },
    content: { 'application/problem+json': { schema: problemSchema(codes) } },
  };
}
