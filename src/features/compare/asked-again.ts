/** The question that an answer is to, as a lookup of now. */
import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import { invalidBody } from '../../core/http/invalid.ts';
import type { SentText } from '../../core/http/read-body.ts';
import type { Services } from '../../core/http/services.ts';
import type { AreaPolygons, AskedTask } from '../../messages/lookup.ts';
import { badRequest, type AppError } from '../../messages/problems.ts';
import { validatorOf } from '../../project/validators.ts';
import { closed } from '../../schema.ts';
import {
  answerOf,
  answerTextIn,
  isSameText,
  keysIn,
  questionIn,
  snapshotIn,
  unlessRefused,
  type AnswerText,
} from './answer-text.ts';
import { compareAnswers, isOtherSize, SAME, unchanged } from './compare-answers.ts';
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
  return askedAgain(keptAnswerOf(sent.before), services, sent.geometry);
}

function askedAgain(before: KeptAnswer, services: Given, geometry?: unknown): AskedAgain {
  checkAgainst(services.catalogue, before);
  const compare = (json: string): Comparison => {
    const now = JSON.parse(json) as KeptAnswer;
    if (isOtherSize(before, now)) throw otherGeometry();
    return compareAnswers(before, now);
  };
  return { task: taskOf(before, Object.keys(before.layers), services, geometry), compare };
}

const OPEN = '{"before":';

/**
 * The same of the body of a request. Of an answer that came as the service wrote it, the layers are read once the answer of now is there, and only if that says anything
 * else.
 */
export function askedAgainIn({ bytes, value }: SentText, services: Given): AskedAgain {
  const body = bytes?.toString() ?? '';
  // With another member, or written otherwise, it is no answer between these two.
  const sent = body.slice(OPEN.length, -1);
  const text = body.startsWith(OPEN) && body.endsWith('}') ? answerTextIn(sent) : null;
  const asked = text && unlessRefused(() => ({ before: questionIn(text, '/before'), keys: keysOf(text, services) }));
  if (!asked || kindOfAnswer(asked.before) === 'area') return askedAgainBy(value(), services);
  const { before, keys } = asked;
  const task = taskOf(before, keys, services);
  const compare = (json: string): Comparison => {
    const now = json === sent ? text : answerTextIn(json);
    if (now && isSameText(text, now))
      return unchanged(before, snapshotIn(now, ''), Object.fromEntries(keys.map((key) => [key, SAME])));
    const whole =
      unlessRefused(() => askedAgain(answerOf(text, '/before'), services)) ?? askedAgainBy(value(), services);
    if (isDeepStrictEqual(whole.task, task)) return whole.compare(json);
    throw badRequest('before must be written as it came', { param: '/before' });
  };
  return { task, compare };
}

/** Keys of the layers of an answer: those of every answer, unless it may have further ones. */
function keysOf(text: AnswerText, { catalogue, furtherKeys }: Given): string[] {
  const mayHaveFurther = furtherKeys.some((key) => text.head.includes(`"${key}":`));
  return mayHaveFurther ? keysIn(text) : catalogue.answers.map(({ answer }) => answer.key);
}

/** @param keys of the layers of the answer. @throws AppError BAD_REQUEST where the geometry is not that of the answer. */
function taskOf(
  before: KeptAnswer,
  keys: readonly string[],
  { furtherKeys, readArea }: Given,
  geometry?: unknown,
): AskedTask {
  const kind = kindOfAnswer(before);
  const further = furtherKeys.filter((key) => keys.includes(key));
  const asked = { full: true, ...(further.length > 0 ? { further } : {}) } as const;
  if (kind !== 'area' && geometry !== undefined)
    throw badRequest('geometry belongs to the answer of an area, and "before" is none', { param: '/geometry' });
  const { lat, lon } = before;
  if (kind === 'address') return { kind, address: before.address!, ...asked };
  if (kind === 'point') return { kind, lat, lon, uncertaintyM: before.geocode!.uncertaintyM!, ...asked };
  if (readArea === null) throw badRequest('this service looks up no areas', { param: '/before' });
  const area = readArea({ geometry });
  if (!isNear(before, area.polygons)) throw otherGeometry();
  return { kind, ...area, ...asked };
}

/** Of another geometry than the one that was answered the answer would be compared with that of other land. */
function otherGeometry(): AppError {
  return badRequest('geometry is another one than the area of "before"', { param: '/geometry' });
}

/** Degrees: the point of an answer lies in its area, to the centimetre. */
const MOST_BESIDE = 1e-6;

function isNear({ lat, lon }: KeptAnswer, polygons: AreaPolygons): boolean {
  return polygons.some(([outer]) =>
    [lon, lat].every((degrees, axis) => {
      const all = outer!.filter((_, i) => i % 2 === axis);
      return degrees >= Math.min(...all) - MOST_BESIDE && degrees <= Math.max(...all) + MOST_BESIDE;
    }),
  );
}
