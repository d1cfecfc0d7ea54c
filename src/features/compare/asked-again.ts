/** The question that an answer is to, as a lookup of now. */
import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import { invalidBody } from '../../core/http/invalid.ts';
import type { SentText } from '../../core/http/read-body.ts';
import type { Services } from '../../core/http/services.ts';
import { withFurther } from '../../core/lookup/further-keys.ts';
import type { AreaPolygons, AskedTask } from '../../messages/lookup.ts';
import { badRequest, type AppError } from '../../messages/problems.ts';
import { validatorOf } from '../../project/validators.ts';
import { closed } from '../../schema.ts';
import { AnswerReader, answerTextIn, readDiffering, unlessNoJson, type AnswerText } from './answer-text.ts';
import { compareAnswers, SAME, unchanged } from './compare-answers.ts';
import { checkAgainst, keptAnswerOf, kindOfAnswer, type KeptAnswer } from './kept-answer.ts';
import { compareRequestSchema, type Comparison } from './wire.ts';

/** The geometry has its own reader, with better words. */
const isRequest = validatorOf<{ readonly before: object; readonly geometry?: unknown }>(
  closed({ before: compareRequestSchema.properties.before, geometry: Type.Optional(Type.Unsafe<unknown>({})) }),
);

type Given = Pick<Services, 'catalogue' | 'furtherKeys' | 'readArea'>;

export interface AskedAgain {
  /** The same question with detail=full. */
  readonly task: AskedTask;
  /** Compares with the answer to it, as JSON. @throws AppError BAD_REQUEST that names what was read only then, and cannot be understood. */
  readonly compare: (json: string) => Comparison;
}

/** Reads what a comparison is asked with. @param noun what errors call it. @throws AppError BAD_REQUEST that names the place of the error. */
export function askedAgainBy(sent: unknown, services: Given, noun = 'the body'): AskedAgain {
  if (!isRequest(sent)) throw invalidBody(isRequest.errors, { noun });
  const before = keptAnswerOf(sent.before);
  checkAgainst(services.catalogue, before);
  const further = services.furtherKeys.filter((key) => Object.hasOwn(before.layers, key));
  const task = taskOf(before, services, { further, geometry: sent.geometry });
  const compare = (json: string): Comparison => {
    const now = JSON.parse(json) as KeptAnswer;
    checkSize(before, now);
    return compareAnswers(before, now);
  };
  return { task, compare };
}

function taskOf(
  before: KeptAnswer,
  services: Given,
  { further, geometry }: { readonly further: readonly string[]; readonly geometry?: unknown },
): AskedTask {
  return { ...questionOf(before, geometry, services), full: true, ...(further.length > 0 ? { further } : {}) };
}

/** Remember what the last answers rested on. */
const readers = { before: new AnswerReader('/before'), now: new AnswerReader('') };

/**
 * The same of the body of a request. Of an answer that came as the service wrote it, the layers are read once the answer of now is there, and only those that
 * differ.
 */
export function askedAgainIn({ bytes, value }: SentText, services: Given): AskedAgain {
  const text = bytes && writtenIn(bytes.toString());
  const before = text && unlessNoJson(() => readers.before.read(text));
  if (!before || kindOfAnswer(before) === 'area') return askedAgainBy(value(), services);
  const usual = usualOf(services);
  // Others surely are not among its layers, where names are written as the service writes them.
  const further = usual.further.test(text.layers)
    ? services.furtherKeys.filter((key) => text.layers.includes(`"${key}":`))
    : [];
  const task = taskOf(before, services, { further });
  const compare = (json: string): Comparison => {
    const now = answerTextIn(json);
    const differing = now ? readDiffering(text, now, (side, ...part) => readers[side].read(...part)) : undefined;
    if (differing === undefined) {
      const whole = askedAgainBy(value(), services);
      if (isDeepStrictEqual(whole.task, task)) return whole.compare(json);
      throw badRequest('before must be written as it came', { param: '/before' });
    }
    const same = further.length === 0 ? usual.same : sameLayers(services, further);
    if (differing === null) return unchanged(before, readers.now.snapshotOf(now!), same);
    checkAgainst(services.catalogue, differing[0], false);
    return compareAnswers(...differing, same);
  };
  return { task, compare };
}

/** What questions to one service have in common. */
interface Usual {
  /** Finds the name of a further layer. */
  readonly further: RegExp;
  /** All other layers, none of which has changed. */
  readonly same: Comparison['layers'];
}

const usual = new WeakMap<Given['catalogue'], Usual>();

function usualOf(services: Given): Usual {
  let known = usual.get(services.catalogue);
  if (known === undefined) {
    const further = new RegExp(`"(?:${services.furtherKeys.join('|') || 'x^'})":`);
    usual.set(services.catalogue, (known = { further, same: sameLayers(services, []) }));
  }
  return known;
}

function sameLayers({ catalogue }: Given, further: readonly string[]): Comparison['layers'] {
  return Object.fromEntries(withFurther(catalogue, further).answers.map(({ answer }) => [answer.key, SAME]));
}

const OPEN = '{"before":';

/** The answer of a body that has nothing else; null where it is not written as the service would. */
function writtenIn(body: string): AnswerText | null {
  return body.startsWith(OPEN) && body.endsWith('}') ? answerTextIn(body.slice(OPEN.length, -1)) : null;
}

function questionOf(before: KeptAnswer, geometry: unknown, { readArea }: Given): AskedTask {
  const kind = kindOfAnswer(before);
  if (kind !== 'area' && geometry !== undefined)
    throw badRequest('geometry belongs to the answer of an area, and "before" is none', { param: '/geometry' });
  const { lat, lon } = before;
  if (kind === 'address') return { kind, address: before.address!, full: true };
  if (kind === 'point') return { kind, lat, lon, uncertaintyM: before.geocode!.uncertaintyM!, full: true };
  if (readArea === null) throw badRequest('this service looks up no areas', { param: '/before' });
  const area = readArea({ geometry });
  if (!isNear(before, area.polygons)) throw otherGeometry();
  return { kind, ...area };
}

/** Of another geometry than the one that was answered the answer would be compared with that of other land. */
function otherGeometry(): AppError {
  return badRequest('geometry is another one than the area of "before"', { param: '/geometry' });
}

/** Degrees: the point of an answer lies in its area, to the centimetre. */
const MOST_BESIDE = 1e-6;

function isNear({ lat, lon }: KeptAnswer, polygons: AreaPolygons): boolean {
  const isBetween = (degrees: number, all: readonly number[]): boolean =>
    degrees >= Math.min(...all) - MOST_BESIDE && degrees <= Math.max(...all) + MOST_BESIDE;
  return polygons.some(([outer]) =>
    [lon, lat].every((degrees, axis) =>
      isBetween(
        degrees,
        outer!.filter((_, i) => i % 2 === axis),
      ),
    ),
  );
}

/** A later version may repair an outline otherwise. */
const MOST_OTHER_SIZE = 0.02;

/** @throws AppError BAD_REQUEST for areas of different sizes. */
function checkSize({ areaM2, repaired }: KeptAnswer, now: KeptAnswer): void {
  if (areaM2 === undefined || repaired === true) return;
  if (Math.abs(now.areaM2! - areaM2) > MOST_OTHER_SIZE * areaM2 + 1) throw otherGeometry();
}
