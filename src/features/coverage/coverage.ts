import type { Response } from 'express';
import type { BodyWords } from '../../core/http/invalid.ts';
import { ANYBODY, type NetworkLimit } from '../../core/http/key.ts';
import { addressOf, pointOf } from '../../core/http/lookup-request.ts';
import type { Services } from '../../core/http/services.ts';
import { NO_LIMITS } from '../../core/keys/key-store.ts';
import { counted } from '../../core/limits/limit-words.ts';
import { tooMany } from '../../core/pool/gate.ts';
import type { LookupRequest } from '../../messages/wire/lookup.ts';
import type { PointRequest } from '../../messages/wire/point-lookup.ts';

/** Somebody who tries addresses by hand does not reach it, and neither does a program that asks before each of its lookups. */
export const coverageLimit: NetworkLimit = {
  counts: { name: 'coverage', may: (limit) => `ask about coverage ${counted(limit, 'time')}`, holder: 'network' },
  most: 1000,
};

/** All networks together have the turn of one key, and so many places in it. */
const asker = { ...ANYBODY, limits: { ...NO_LIMITS, inFlight: 4 } };

/** A place, as its lookup would name it. */
export type Place = ({ readonly kind: 'address' } & LookupRequest) | ({ readonly kind: 'point' } & PointRequest);

/** Reads the body of a lookup of an address, or of a point. @throws AppError BAD_REQUEST that names the error. */
export function placeOf(sent: unknown, words?: BodyWords): Place {
  const isPoint = typeof sent === 'object' && sent !== null && ('lat' in sent || 'lon' in sent);
  return isPoint ? { kind: 'point', ...pointOf(sent, words) } : { kind: 'address', ...addressOf(sent, words) };
}

/**
 * Answers a place with a `CoverageBody`, by the address register alone: nobody pays for the answer, and a remote geocoder may want money for each address.
 * @throws AppError as a lookup of the place; DB_ERROR when others wait.
 */
export async function askCoverage({ gate }: Services, res: Response, place: Place): Promise<string> {
  // The words of the gate are for keys.
  if (gate.refusalOf(asker, 'plain') !== null) throw tooMany;
  const task = { ...place, full: false, writer: 'coverage' };
  const caller = { keyId: asker.id, kind: 'plain', isGone: () => res.destroyed } as const;
  const { json } = await gate.during(asker, 'plain', () => gate.lookup(task, caller));
  return json;
}
