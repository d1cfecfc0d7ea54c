/** Headers and failures that operations of the OpenAPI document share. */
import type { TSchema } from 'typebox';
import { problems, type ProblemCode } from '../shared/problems.ts';
import type { Schema } from '../shared/schema.ts';
import { licenceLink } from '../shared/wire/licences.ts';
import { problemSchema } from '../shared/wire/problem.ts';

/** Refers to a header of `headers`. */
export const header = (name: keyof typeof headers): Schema => ({ $ref: `#/components/headers/${name}` });

/** Components of the document. */
export const headers = {
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
  Licences: {
    description: 'Leads to the licences and attributions of the data: `</licences>; rel="license"`.',
    schema: { type: 'string', const: licenceLink },
  },
  WwwAuthenticate: { description: 'Bearer.', schema: { type: 'string' } },
} as const satisfies Readonly<Record<string, Schema>>;

export const quotaHeaders = { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') };
/** An answer has one of the two. */
export const usageHeaders = { 'Lookup-Id': header('LookupId'), 'Idempotent-Replayed': header('IdempotentReplayed') };
/** Of every answer. */
export const commonHeaders = { 'X-Request-Id': header('RequestId'), Link: header('Licences') };

/** The answer to a failure with one of these codes. */
export function problemResponse(codes: readonly ProblemCode[], more: Schema = {}): Schema {
  return {
    description: codes.map((code) => `${code}: ${problems[code].help}`).join('\n\n'),
    headers: { ...more, ...commonHeaders },
    content: { 'application/problem+json': { schema: problemSchema(codes) } },
  };
}

/** Failures of an operation that takes a key and counts its requests, and those with these codes. */
export function failures(...codes: readonly ProblemCode[]): Schema {
  return {
    400: problemResponse(['BAD_REQUEST']),
    401: problemResponse(['UNAUTHORIZED'], { 'WWW-Authenticate': header('WwwAuthenticate') }),
    403: problemResponse(['FORBIDDEN']),
    429: problemResponse(['RATE_LIMITED'], { ...quotaHeaders, 'Retry-After': header('RetryAfter') }),
    500: problemResponse(['INTERNAL']),
    503: problemResponse(['DB_ERROR'], { 'Retry-After': header('RetryAfter') }),
    ...Object.fromEntries(codes.map((code) => [problems[code].status, problemResponse([code])])),
  };
}

/** The answer of such an operation. */
export function answered(description: string, content: Schema): Schema {
  return { description, headers: { ...quotaHeaders, ...commonHeaders }, content };
}

/** A body in JSON with an example of it. `schema` names a component of the document. */
export function inJson(schema: string, value: unknown, summary = 'An example'): Schema {
  return {
    'application/json': {
      schema: { $ref: `#/components/schemas/${schema}` },
      examples: { sample: { summary, value } },
    },
  };
}

/** The description stands beside the schema, not in it. */
export function parameter(place: 'query' | 'header' | 'path', name: string, described: TSchema): Schema {
  const { description, ...schema } = described as Schema;
  return { name, in: place, description, schema };
}
