import type { RequestHandler } from 'express';
import { isAllowedFrom } from '../../accounts/key-networks.ts';
import { NO_LIMITS, type KeyLimits } from '../../accounts/key-store.ts';
import { networkOf } from '../../networks.ts';
import { badRequest } from '../../shared/problems.ts';
import {
  accountChangeSchema,
  DEFAULT_OVERLAP_HOURS,
  furtherKeySchema,
  rotationSchema,
  type AccountChange,
  type FurtherKey,
  type Rotation,
} from '../../shared/wire/account.ts';
import { invalidBody } from '../invalid.ts';
import { jsonBody, notJson, requireJson } from '../read-body.ts';
import { validatorOf } from '../validator.ts';

const MOST_BYTES = 8 * 1024;

const isChange = validatorOf<AccountChange>(accountChangeSchema);
const isFurtherKey = validatorOf<FurtherKey>(furtherKeySchema);
const isRotation = validatorOf<Rotation>(rotationSchema);

const parse = jsonBody({ mostBytes: MOST_BYTES, example: 'an object' });

/** Reads a JSON body. */
export const body: RequestHandler[] = [requireJson, parse];

/** Reads a JSON body if there is one; without one, the body is `undefined` or empty. */
export const optionalBody: RequestHandler[] = [
  (req, _res, next) => {
    const isEmpty = Number(req.headers['content-length'] ?? 0) === 0 && req.headers['transfer-encoding'] === undefined;
    if (!isEmpty && !req.is('application/json'))
      throw notJson('send a body with Content-Type: application/json, or none');
    next();
  },
  parse,
];

/**
 * Reads the body of `PATCH /api/account`.
 * @param from address of the client, which must not lock itself out.
 * @throws AppError BAD_REQUEST that names the error.
 */
export function wantedChange(
  asked: unknown,
  from: string | undefined,
): Partial<Pick<KeyLimits, 'ownBudgetPerMonth' | 'networks'>> {
  if (!isChange(asked))
    throw invalidBody(isChange.errors, { must: { minProperties: 'must have budgetPerMonth, networks or both' } });
  const { budgetPerMonth, networks } = asked;
  return {
    ...(budgetPerMonth === undefined ? {} : { ownBudgetPerMonth: budgetPerMonth }),
    ...(networks === undefined ? {} : { networks: readNetworks(networks, from) }),
  };
}

function readNetworks(texts: readonly string[], from: string | undefined): readonly string[] {
  const networks = texts.map((text, i) => {
    const network = networkOf(text.trim());
    if (network !== null) return network;
    throw badRequest(`"${text}" is no network: write for example 203.0.113.0/24 or 2001:db8::/32`, {
      param: `/networks/${i}`,
    });
  });
  if (isAllowedFrom({ ...NO_LIMITS, networks }, from)) return networks;
  const own = from ?? 'not known';
  throw badRequest(
    `the networks do not hold the address that asks, ${own}: with them this key could not be used from here any more`,
    { param: '/networks' },
  );
}

/** Reads the body of `POST /api/account/keys`, if there is one. @throws AppError BAD_REQUEST. */
export function wantedKey(asked: unknown = {}): FurtherKey {
  if (isFurtherKey(asked)) return asked;
  throw invalidBody(isFurtherKey.errors, { must: { pattern: 'must be printable characters' } });
}

/** Reads the body of `POST /api/account/keys/rotate`, if there is one. Returns the hours of the overlap. @throws AppError BAD_REQUEST. */
export function wantedOverlap(asked: unknown = {}): number {
  if (isRotation(asked)) return asked.overlapHours ?? DEFAULT_OVERLAP_HOURS;
  throw invalidBody(isRotation.errors);
}
