/** Headers and failures that operations of the OpenAPI document share. */
import type { TSchema } from 'typebox';
import { problems, type ProblemCode, type publicMembers } from '../../messages/problems.ts';
import { unavailableReasons } from '../../messages/reasons.ts';
import type { Schema } from '../../schema.ts';
import { licenceLink } from '../../messages/wire/licences.ts';
import type { ProblemDocument } from '../../messages/wire/problem.ts';

/** Refers to a header of `headers`. */
export const header = (name: keyof typeof headers): Schema => ({ $ref: `#/components/headers/${name}` });

/** Components of the document. */
export const headers = {
  RateLimit: {
    description: 'For each limit, by its name: requests left (r), and seconds until they are renewed (t).',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'For each limit, by its name: requests per window (q), and the length of the window in seconds (w).',
    schema: { type: 'string' },
  },
  RetryAfter: { required: true, description: 'Whole seconds to wait.', schema: { type: 'integer', minimum: 0 } },
  RequestId: { required: true, description: "The request's id in the log.", schema: { type: 'string' } },
  LookupId: {
    description: "The lookup's id in the usage report and on the bill; only with a first answer.",
    schema: { type: 'string', pattern: '^lkp_[0-9a-f]{32}$' },
  },
  IdempotentReplayed: {
    description:
      'This is the answer of an earlier request with the same Idempotency-Key; it is neither counted nor billed again.',
    schema: { type: 'string', const: 'true' },
  },
  LandVintage: {
    description:
      'Id of the snapshot that answered: the day of this record of the data, not the day from which a law holds.',
    schema: { type: 'string' },
  },
  Licences: {
    required: true,
    description: 'Leads to the licences and attributions of the data: `</licences>; rel="license"`.',
    schema: { type: 'string', const: licenceLink },
  },
  WwwAuthenticate: { required: true, description: 'Bearer.', schema: { type: 'string' } },
} as const satisfies Readonly<Record<string, Schema>>;

export const quotaHeaders = { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') };
/** An answer has one of the two. */
export const usageHeaders = { 'Lookup-Id': header('LookupId'), 'Idempotent-Replayed': header('IdempotentReplayed') };
/** Of every answer. */
export const commonHeaders = { 'X-Request-Id': header('RequestId'), Link: header('Licences') };

/** What differs in the example of each failure. */
const samples: Readonly<
  Record<Exclude<ProblemCode, 'METHOD_NOT_ALLOWED' | 'UNANSWERABLE'>, ReturnType<typeof publicMembers>>
> = {
  BAD_REQUEST: { reason: 'INVALID', param: '/address', detail: 'the body must have the member "address"' },
  UNAUTHORIZED: {
    ...{ reason: 'EXPIRED', since: '2026-11-23T00:00:00.000Z' },
    detail: 'this key ended on 2026-11-23T00:00:00.000Z',
  },
  PAYMENT_REQUIRED: { since: '2026-11-23T14:03:10.120Z', detail: 'this customer is suspended' },
  FORBIDDEN: { detail: 'this key may not be used from 203.0.113.7: its networks are limited' },
  ADDRESS_NOT_FOUND: {
    reason: 'CIVIC_NOT_ON_STREET',
    detail: 'The street has no such civic number.',
    suggestions: ['13 Marsh Rd, Fiddlehead Corners, ON'],
  },
  NOT_FOUND: { detail: 'this key has no such batch' },
  CONFLICT: { detail: 'this batch is completed: it cannot be cancelled' },
  GONE: { detail: 'the results of this batch were deleted' },
  TOO_LARGE: { reason: 'TOO_MANY_ROWS', detail: 'a batch has at most 1000000 rows: split the file' },
  OUTSIDE_ONTARIO: { reason: 'OUT_OF_AREA', detail: 'the place is outside Ontario' },
  RATE_LIMITED: { reason: 'PER_HOUR', detail: 'this key may make 1000 lookups per hour' },
  INTERNAL: {},
  DB_ERROR: { reason: 'OVERLOADED', detail: unavailableReasons.OVERLOADED.detail },
};

/** Headers that a failure has besides those of every answer, and besides what the key has left, which is there where it is known. */
const headersOf: Partial<Readonly<Record<ProblemCode, Schema>>> = {
  UNAUTHORIZED: { 'WWW-Authenticate': header('WwwAuthenticate') },
  RATE_LIMITED: { 'Retry-After': header('RetryAfter') },
  DB_ERROR: { 'Retry-After': header('RetryAfter') },
};

function problemResponse(code: keyof typeof samples): Schema {
  const { status, title, help } = problems[code];
  const value = {
    ...{ type: `/docs/errors#${code}`, title, status, code, ...samples[code] },
    instance: 'urn:land-lookup:request:0b4f2c9e-6a52-4c86-9d0e-3f1a7b9c2d10',
  } satisfies ProblemDocument;
  return {
    description: `${code}: ${help}`,
    headers: { ...(code === 'UNAUTHORIZED' ? {} : quotaHeaders), ...headersOf[code], ...commonHeaders },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        example: value,
      },
    },
  };
}

/** `ADDRESS_NOT_FOUND` -> `AddressNotFound`. */
const componentOf = (code: ProblemCode): string =>
  code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Components of the document: the answer to a failure with each code. */
export const problemResponses: Readonly<Record<string, Schema>> = Object.fromEntries(
  (Object.keys(samples) as (keyof typeof samples)[]).map((code) => [componentOf(code), problemResponse(code)]),
);

/** The answers to failures with these codes, by status. */
export function answersTo(...codes: readonly (keyof typeof samples)[]): Schema {
  return Object.fromEntries(
    codes.map((code) => [problems[code].status, { $ref: `#/components/responses/${componentOf(code)}` }]),
  );
}

/** Failures of an operation that takes a key and counts its requests, and those with these codes. */
export function failures(...codes: readonly (keyof typeof samples)[]): Schema {
  return answersTo('BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'INTERNAL', 'DB_ERROR', ...codes);
}

/** The answer of such an operation. */
export function answered(description: string, content: Schema): Schema {
  return { description, headers: { ...quotaHeaders, ...commonHeaders }, content };
}

/** A body in JSON with an example of it. `schema` names a component of the document. One example stands in `example`, which all tools read; some read no `examples`. */
export function inJson(schema: string, example: unknown): Schema {
  return {
    'application/json': {
      schema: { $ref: `#/components/schemas/${schema}` },
      example,
    },
  };
}

/** The description stands beside the schema, not in it. */
export function parameter(place: 'query' | 'header' | 'path', name: string, described: TSchema): Schema {
  const { description, ...schema } = described as Schema;
  return { name, in: place, description, schema };
}
