import type { LookupDetail } from '../../messages/lookup.ts';
import {
  addressFault,
  idempotencyKeySchema,
  areaQuerySchema,
  lookupQuerySchema,
  lookupRequestSchema,
  type LookupQuery,
  type LookupRequest,
} from '../../messages/wire/lookup-request.ts';
import { pointRequestSchema, type PointRequest } from '../../messages/wire/point-lookup.ts';
import { badRequest } from '../../messages/problems.ts';
import { furtherOf } from '../lookup/further-keys.ts';
import { invalidBody, type BodyWords } from './invalid.ts';
import { queryRules, readQuery } from './query.ts';
import { validatorOf } from '../../project/validators.ts';

const isLookupRequest = validatorOf<LookupRequest>(lookupRequestSchema);

const isPointRequest = validatorOf<PointRequest>(pointRequestSchema);

/** Reads the body of `POST /api/lookup`; `words` says how errors call it. @throws AppError BAD_REQUEST that names the error. */
export function addressOf(body: unknown, words?: BodyWords): LookupRequest {
  if (!isLookupRequest(body)) throw invalidBody(isLookupRequest.errors, words);
  const fault = addressFault(body.address);
  if (fault !== null) throw badRequest(fault, { param: '/address' });
  return { address: body.address };
}

/** Reads the body of `POST /api/lookup/point`; `words` says how errors call it. @throws AppError BAD_REQUEST that names the error. */
export function pointOf(body: unknown, words?: BodyWords): PointRequest {
  if (!isPointRequest(body)) throw invalidBody(isPointRequest.errors, words);
  return body;
}

/** What `layers` takes. */
export const furtherTakes = { layers: 'all, or keys with commas between them' };

const lookupQuery = queryRules<LookupQuery>(lookupQuerySchema, {
  takes: { detail: 'one value: plain or full', geometry: 'one value: near or map', ...furtherTakes },
});

/** Of a lookup without a detail to ask for. */
const shortQuery = queryRules<LookupQuery>(areaQuerySchema, { takes: { geometry: 'one value: map', ...furtherTakes } });

/** Reads what the query of a lookup asks for beside the answer. @throws AppError BAD_REQUEST for a parameter or a value that it does not have. */
export type ReadDetail = (query: object) => LookupDetail;

/**
 * Makes what reads `?detail=full`, and with it `&geometry=near`; `?layers=` with some of the keys of further answers. A lookup whose answer has one
 * detail has no such parameter, and always gives all that may stand beside it.
 */
export function detailReader(hasDetail: boolean, furtherKeys: readonly string[]): ReadDetail {
  const rules = hasDetail ? lookupQuery : shortQuery;
  return (query) => {
    const { detail = 'plain', geometry, layers } = readQuery(query, rules);
    const full = detail === 'full';
    if (geometry !== undefined && hasDetail && !full) {
      throw badRequest('the query parameter "geometry" needs "detail=full" beside it', { param: 'geometry' });
    }
    return { full, ...(geometry === undefined ? {} : { geometry }), ...furtherOf(layers, furtherKeys) };
  };
}

const isIdempotencyKey = validatorOf<string>(idempotencyKeySchema);

/** @throws AppError BAD_REQUEST when the header exists but is not a key. */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (isIdempotencyKey(header)) return header;
  throw badRequest('Idempotency-Key must be 1 to 255 visible ASCII characters', { param: 'Idempotency-Key' });
}
