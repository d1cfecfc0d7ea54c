import type { ErrorObject } from 'ajv';
import type { LookupDetail } from '../shared/contract/lookup.ts';
import {
  addressFault,
  idempotencyKeySchema,
  lookupQuerySchema,
  lookupRequestSchema,
  type LookupQuery,
  type LookupRequest,
} from '../shared/wire/lookup-request.ts';
import { pointRequestSchema, type PointRequest } from '../shared/wire/point-lookup.ts';
import { AppError } from '../shared/problems.ts';
import { validatorOf } from './validator.ts';

const isLookupRequest = validatorOf<LookupRequest>(lookupRequestSchema);

const BODY = 'the body';

const isPointRequest = validatorOf<PointRequest>(pointRequestSchema);

/** Reads the body of `POST /api/lookup`; `noun` names it in the error. @throws AppError BAD_REQUEST that names the error. */
export function addressOf(body: unknown, noun = BODY): LookupRequest {
  if (!isLookupRequest(body)) throw new AppError('BAD_REQUEST', describe(isLookupRequest.errors?.[0], noun));
  const fault = addressFault(body.address);
  if (fault !== null) throw new AppError('BAD_REQUEST', fault);
  return { address: body.address };
}

/** Reads the body of `POST /api/lookup/point`; `noun` names it in the error. @throws AppError BAD_REQUEST that names the error. */
export function pointOf(body: unknown, noun = BODY): PointRequest {
  if (!isPointRequest(body)) throw new AppError('BAD_REQUEST', describe(isPointRequest.errors?.[0], noun));
  return body;
}

const isLookupQuery = validatorOf<LookupQuery>(lookupQuerySchema);

/**
 * Reads the requested detail: `?detail=full`, and with it `&geometry=near`. Takes the query as a value, because Express
 * parses it again on each access.
 * @throws AppError BAD_REQUEST for any other parameter or value.
 */
export function detailOf(query: unknown): LookupDetail {
  if (!isLookupQuery(query)) throw new AppError('BAD_REQUEST', describeQuery(isLookupQuery.errors?.[0]));
  const { detail, geometry } = query;
  return { full: detail === 'full', ...(geometry === undefined ? {} : { geometry }) };
}

/** @throws AppError BAD_REQUEST when there is any query parameter. */
export function requireNoQuery(query: unknown): void {
  const [name] = Object.keys(query as object);
  if (name !== undefined) throw new AppError('BAD_REQUEST', `there is no query parameter "${name}" here`);
}

function describeQuery(error: ErrorObject | undefined): string {
  const name = error?.instancePath.slice(1) ?? '';
  switch (error?.keyword) {
    case 'additionalProperties':
      return `there is no query parameter "${String(error.params['additionalProperty'])}"`;
    case 'dependentRequired':
      return 'the query parameter "geometry" needs "detail=full" beside it';
    default:
      return `the query parameter "${name}" takes one value: ${name === 'detail' ? 'full' : 'near'}`;
  }
}

const isIdempotencyKey = validatorOf<string>(idempotencyKeySchema);

/** @throws AppError BAD_REQUEST when the header exists but is not a key. */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (isIdempotencyKey(header)) return header;
  throw new AppError('BAD_REQUEST', 'Idempotency-Key must be 1 to 255 visible ASCII characters');
}

function describe(error: ErrorObject | undefined, noun: string): string {
  if (error?.keyword === 'additionalProperties') {
    return `${noun} must not have the member "${String(error.params['additionalProperty'])}"`;
  }
  return `${error?.instancePath.slice(1) || noun} ${error?.message ?? 'is not valid'}`;
}
