import type { LookupDetail } from '../../messages/lookup.ts';
import {
  addressFault,
  idempotencyKeySchema,
  lookupRequestSchema,
  type LookupQuery,
  type LookupRequest,
} from '../../messages/wire/lookup.ts';
import { pointRequestSchema, type PointRequest } from '../../messages/wire/point-lookup.ts';
import { badRequest } from '../../messages/problems.ts';
import { furtherOf } from '../lookup/further-keys.ts';
import { membersOf, rulesWithMembers, type AnswerMember, type WithMembers } from './answer-members.ts';
import { invalidBody, type BodyWords } from './invalid.ts';
import { queryOf, type DocumentedMaps, type QueryKind } from '../openapi/lookup-operations.ts';
import { readQuery, type QueryRules } from './query.ts';
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

/** What a feature adds to lookups for maps. */
export interface Maps extends DocumentedMaps {
  /** What the parameter takes, in words. */
  readonly takes: (hasDetail: boolean) => string;
  /** Reads the value of the parameter. @param isFull whether the longest answer is asked for. @throws AppError BAD_REQUEST where it may not stand. */
  readonly read: (value: string, isFull: boolean) => NonNullable<LookupDetail['geometry']>;
}

/** The rules of the query of a lookup. */
export function detailRules(
  kind: QueryKind,
  maps: Maps | null,
  members: readonly AnswerMember[],
): QueryRules<LookupQuery> {
  const takes = {
    ...(kind.hasDetail ? { detail: 'one value: plain or full' } : {}),
    ...(maps ? { geometry: maps.takes(kind.mapsNeedDetail) } : {}),
    ...furtherTakes,
  };
  return rulesWithMembers({ schema: queryOf(kind, maps, []), takes }, members);
}

/** Reads what the query of a lookup asks for beside the answer. @throws AppError BAD_REQUEST for a parameter or a value that it does not have. */
type ReadDetail = (query: object) => LookupDetail;

/**
 * Makes what reads `?detail=full`, for a lookup that has it; where maps are in service, what else stands beside the longest answer; `?layers=` with some
 * of the keys of further answers; and what asks for members that features add.
 */
export function detailReader(
  kind: QueryKind,
  services: WithMembers & { readonly maps: Maps | null; readonly furtherKeys: readonly string[] },
): ReadDetail {
  const { maps, furtherKeys, members } = services;
  const rules = detailRules(kind, maps, members);
  return (query) => {
    const asked = readQuery(query, rules);
    const { detail = 'plain', geometry, layers } = asked;
    const full = detail === 'full';
    return {
      full,
      ...(maps && geometry !== undefined ? { geometry: maps.read(geometry, full || !kind.mapsNeedDetail) } : {}),
      ...furtherOf(layers, furtherKeys),
      ...membersOf(asked, services),
    };
  };
}

const isIdempotencyKey = validatorOf<string>(idempotencyKeySchema);

/** @throws AppError BAD_REQUEST when the header exists but is not a key. */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (isIdempotencyKey(header)) return header;
  throw badRequest('Idempotency-Key must be 1 to 255 visible ASCII characters', { param: 'Idempotency-Key' });
}
