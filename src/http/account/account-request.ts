import type { ErrorObject } from 'ajv';
import type { RequestHandler } from 'express';
import { isAllowedFrom } from '../../accounts/key-networks.ts';
import { NO_LIMITS, type KeyLimits } from '../../accounts/key-store.ts';
import { networkOf } from '../../networks.ts';
import { AppError } from '../../shared/problems.ts';
import {
  accountChangeSchema,
  DEFAULT_OVERLAP_HOURS,
  furtherKeySchema,
  rotationSchema,
  type AccountChange,
  type FurtherKey,
  type Rotation,
} from '../../shared/wire/account.ts';
import { requireJson } from '../lookup-route.ts';
import { jsonBody } from '../read-body.ts';
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
      throw new AppError('BAD_REQUEST', 'send a body with Content-Type: application/json, or none');
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
  if (!isChange(asked)) throw new AppError('BAD_REQUEST', describe(isChange.errors?.[0]));
  const { budgetPerMonth, networks } = asked;
  return {
    ...(budgetPerMonth === undefined ? {} : { ownBudgetPerMonth: budgetPerMonth }),
    ...(networks === undefined ? {} : { networks: readNetworks(networks, from) }),
  };
}

function readNetworks(texts: readonly string[], from: string | undefined): readonly string[] {
  const networks = texts.map((text) => {
    const network = networkOf(text.trim());
    if (network !== null) return network;
    throw new AppError('BAD_REQUEST', `"${text}" is no network: write for example 203.0.113.0/24 or 2001:db8::/32`);
  });
  if (isAllowedFrom({ ...NO_LIMITS, networks }, from)) return networks;
  const own = from ?? 'not known';
  throw new AppError(
    'BAD_REQUEST',
    `the networks do not hold the address that asks, ${own}: with them this key could not be used from here any more`,
  );
}

/** Reads the body of `POST /api/account/keys`, if there is one. @throws AppError BAD_REQUEST. */
export function wantedKey(asked: unknown = {}): FurtherKey {
  if (isFurtherKey(asked)) return asked;
  throw new AppError('BAD_REQUEST', describe(isFurtherKey.errors?.[0]));
}

/** Reads the body of `POST /api/account/keys/rotate`, if there is one. Returns the hours of the overlap. @throws AppError BAD_REQUEST. */
export function wantedOverlap(asked: unknown = {}): number {
  if (isRotation(asked)) return asked.overlapHours ?? DEFAULT_OVERLAP_HOURS;
  throw new AppError('BAD_REQUEST', describe(isRotation.errors?.[0]));
}

function describe(error: ErrorObject | undefined): string {
  if (error?.keyword === 'additionalProperties') {
    return `the body must not have the member "${String(error.params['additionalProperty'])}"`;
  }
  if (error?.keyword === 'minProperties') return 'the body must have budgetPerMonth, networks or both';
  if (error?.keyword === 'pattern' && error.instancePath === '/name') return 'name must be printable characters';
  return `${error?.instancePath.slice(1) || 'the body'} ${error?.message ?? 'is not valid'}`;
}
