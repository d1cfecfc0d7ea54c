/** The operations that look something up. They share everything but what is asked for. */
import type { AreaLookupBody, AreaRequest } from '../../messages/wire/area-lookup.ts';
import type { FullLookupBody } from '../../messages/wire/full-lookup.ts';
import type { LookupBody } from '../../messages/wire/lookup.ts';
import { areaQuerySchema, idempotencyKeySchema, lookupQuerySchema } from '../../messages/wire/lookup-request.ts';
import type { FullPointLookupBody, PointLookupBody, PointRequest } from '../../messages/wire/point-lookup.ts';
import type { Schema } from '../../schema.ts';
import type { LayerExamples } from './layer-schemas.ts';
import { answersTo, commonHeaders, failures, parameter, quotaHeaders, usageHeaders } from './responses.ts';

/** Answers of the service on its bundled sample (`docs/api-examples.json`). */
export interface Examples {
  readonly address: string;
  readonly lookup: LookupBody;
  readonly fullLookup: FullLookupBody;
  readonly point: PointRequest;
  readonly pointLookup: PointLookupBody;
  readonly fullPointLookup: FullPointLookupBody;
  readonly area: AreaRequest;
  readonly areaLookup: AreaLookupBody;
  readonly layers: LayerExamples;
  /** Those of features, by their names. */
  readonly [feature: string]: unknown;
}

export const lookupOperation = ({ address, lookup, fullLookup }: Examples): Schema =>
  operation({
    operationId: 'lookup',
    summary: 'Look up the land data of an address',
    does: 'Resolves the address to a point and answers every layer there.',
    schemas: { request: 'LookupRequest', short: 'Lookup', full: 'FullLookup' },
    examples: {
      request: { summary: 'An address of the bundled sample', value: { address } },
      short: lookup,
      full: fullLookup,
    },
    refusals: answersTo('ADDRESS_NOT_FOUND'),
  });

export const pointOperation = ({ point, pointLookup, fullPointLookup }: Examples): Schema =>
  operation({
    operationId: 'lookupPoint',
    summary: 'Look up the land data of a place given by its coordinates',
    does: 'Answers every layer at the place, and names the nearest civic address within 100 m.',
    schemas: { request: 'PointRequest', short: 'PointLookup', full: 'FullPointLookup' },
    examples: {
      request: { summary: 'A place in the bundled sample', value: point },
      short: pointLookup,
      full: fullPointLookup,
    },
  });

export const areaOperation = ({ area, areaLookup }: Examples): Schema =>
  operation({
    operationId: 'lookupArea',
    summary: 'Look up the land data of an area',
    does: 'Says for every layer how much of the area it is. A costly lookup: those of one key take turns with those of others.',
    schemas: { request: 'AreaRequest', short: 'AreaLookup' },
    examples: { request: { summary: 'An area in the bundled sample', value: area }, short: areaLookup },
  });

interface LookupOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly does: string;
  /** Names of the components of request and answers. Without `full` there is one answer, and no detail to ask for. */
  readonly schemas: { readonly request: string; readonly short: string; readonly full?: string };
  readonly examples: { readonly request: Schema; readonly short: unknown; readonly full?: unknown };
  /** Failures that other lookups do not have. */
  readonly refusals?: Schema;
}

const operation = ({ operationId, summary, does, schemas, examples, refusals = {} }: LookupOperation): Schema => ({
  operationId,
  tags: ['lookup'],
  summary,
  description: `${does} Costs one unit of the hourly quota, except on 400, 402, 500 and 503; only a 200 is billed.`,
  security: [{ key: [] }],
  parameters: [
    ...queryParameters(schemas.full === undefined ? areaQuerySchema : lookupQuerySchema),
    parameter('header', 'Idempotency-Key', idempotencyKeySchema),
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: component(schemas.request), examples: { sample: examples.request } },
    },
  },
  responses: {
    200: {
      description: 'The answers.',
      headers: { ...quotaHeaders, ...commonHeaders, ...usageHeaders },
      content: {
        'application/json': {
          schema:
            schemas.full === undefined
              ? component(schemas.short)
              : { anyOf: [component(schemas.short), component(schemas.full)] },
          examples: {
            short: { summary: 'A lookup on the invented sample', value: examples.short },
            ...(schemas.full === undefined
              ? {}
              : { full: { summary: 'The same with detail=full', value: examples.full } }),
          },
        },
      },
    },
    ...failures('PAYMENT_REQUIRED', 'OUTSIDE_ONTARIO'),
    ...refusals,
  },
});

const queryParameters = ({ properties }: typeof areaQuerySchema | typeof lookupQuerySchema): Schema[] =>
  Object.entries(properties).map(([name, schema]) => parameter('query', name, schema));

const component = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
