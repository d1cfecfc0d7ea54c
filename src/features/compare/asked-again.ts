/** The question that an answer is to, as a lookup of now. */
import { Type } from 'typebox';
import { distanceM } from '../../addresses/distance.ts';
import type { Services } from '../../core/http/services.ts';
import { invalidBody } from '../../core/http/invalid.ts';
import { badRequest } from '../../messages/problems.ts';
import type { AreaPolygons, AskedTask } from '../../messages/lookup.ts';
import { validatorOf } from '../../project/validators.ts';
import { checkAgainst, keptAnswerOf, kindOfAnswer, type KeptAnswer } from './kept-answer.ts';
import { closed } from '../../schema.ts';
import { compareRequestSchema } from './wire.ts';

/** The geometry has its own reader, with better words. */
const isRequest = validatorOf<{ readonly before: object; readonly geometry?: unknown }>(
  closed({ before: compareRequestSchema.properties.before, geometry: Type.Optional(Type.Unsafe<unknown>({})) }),
);

export interface AskedAgain {
  readonly before: KeptAnswer;
  /** The same question with detail=full. */
  readonly task: AskedTask;
}

/** Reads the body of a comparison. @param noun what errors call it. @throws AppError BAD_REQUEST that names the place of the error. */
export function askedAgainBy(
  sent: unknown,
  services: Pick<Services, 'catalogue' | 'furtherKeys' | 'readArea'>,
  noun = 'the body',
): AskedAgain {
  if (!isRequest(sent)) throw invalidBody(isRequest.errors, { noun });
  const before = keptAnswerOf(sent.before);
  checkAgainst(services.catalogue, before);
  const keys = services.furtherKeys.filter((key) => Object.hasOwn(before.layers, key));
  const detail = { full: true, ...(keys.length > 0 ? { further: keys } : {}) };
  return { before, task: { ...questionOf(before, sent.geometry, services), ...detail } };
}

function questionOf(before: KeptAnswer, geometry: unknown, { readArea }: Pick<Services, 'readArea'>): AskedTask {
  const kind = kindOfAnswer(before);
  if (kind !== 'area' && geometry !== undefined)
    throw badRequest('geometry belongs to the answer of an area, and "before" is none', { param: '/geometry' });
  const { lat, lon } = before;
  if (kind === 'address') return { kind, address: before.address!, full: true };
  if (kind === 'point') return { kind, lat, lon, uncertaintyM: before.geocode!.uncertaintyM!, full: true };
  if (readArea === null) throw badRequest('this service looks up no areas', { param: '/before' });
  const area = readArea({ geometry });
  checkIsOf(before, area.polygons);
  return { kind, ...area };
}

/** A valid geometry has nearly the size that the answer says: here the Earth is a ball. */
const MOST_OTHER_SIZE = 0.02;

/** Degrees: the point of an answer lies in its area, to the centimetre. */
const MOST_BESIDE = 1e-6;

/** @throws AppError BAD_REQUEST for another geometry than the one that was answered: its answer would be compared with that of other land. */
function checkIsOf({ lat, lon, areaM2, repaired }: KeptAnswer, polygons: AreaPolygons): void {
  const isNear = polygons.some(([outer]) => {
    const lons = outer!.filter((_, i) => i % 2 === 0);
    const lats = outer!.filter((_, i) => i % 2 === 1);
    return isBetween(lon, lons) && isBetween(lat, lats);
  });
  const sizes = polygons.flatMap((rings) => rings.map((ring, i) => (i === 0 ? 1 : -1) * sizeM2(ring)));
  const size = sizes.reduce((sum, one) => sum + one, 0);
  const isOfSize = repaired === true || Math.abs(size - areaM2!) <= MOST_OTHER_SIZE * areaM2! + 1;
  if (!isNear || !isOfSize)
    throw badRequest('geometry is another one than the area of "before"', { param: '/geometry' });
}

function isBetween(degrees: number, all: readonly number[]): boolean {
  return degrees >= Math.min(...all) - MOST_BESIDE && degrees <= Math.max(...all) + MOST_BESIDE;
}

/** Ground square metres of a ring of longitudes and latitudes in turns. */
function sizeM2(ring: readonly number[]): number {
  const [lon, lat] = [ring[0]!, ring[1]!];
  let twice = 0;
  for (let i = 0; i < ring.length; i += 2) {
    const next = (i + 2) % ring.length;
    twice += (ring[i]! - lon) * (ring[next + 1]! - lat) - (ring[next]! - lon) * (ring[i + 1]! - lat);
  }
  const [east, north] = [
    distanceM({ lat, lon }, { lat, lon: lon + 1 }),
    distanceM({ lat, lon }, { lat: lat + 1, lon }),
  ];
  return (Math.abs(twice) / 2) * east * north;
}
