import { addressOf } from '../../../../src/core/http/lookup-request.ts';
import { distanceM } from '../../../../src/addresses/distance.ts';
import type { Gazetteer } from '../../../../workers/engine/gazetteer/open.ts';
import type { GeocodeResult, Refusal, Coordinate } from '../../../../src/messages/lookup.ts';
import { AppError } from '../../../../src/messages/problems.ts';
import { seededRandom } from '../../../../workers/verify/seeded-random.ts';
import type { KnownRegister } from './known-register.ts';
import type { Question, QuestionClass, Truth } from './question.ts';

/** A point may be so far from the truth, or farther when the answer says so. */
const RIGHT_M = 150;

const FAR_WRONG_M = 2000;

/** How the questions of a class were answered. */
export interface Tally {
  readonly name: string;
  readonly shows: string;
  asked: number;
  right: number;
  /** Refused as the only right answer, or as one of two. */
  refused: number;
  /** Refused although the geocoder has the address. */
  lost: number;
  /** Refusals, right ones too, that suggest the address which the question was made of. */
  suggested: number;
  wrong: number;
  /** Wrong by more than 2 km, or where there was no right answer, so that no distance says how wrong. */
  farWrong: number;
  readonly wrongSamples: string[];
  readonly lostSamples: string[];
}

/** Least part of the addresses of a register, written in all ways, that must be found. */
export const WAYS_FOUND_SHARE = 0.8;

/** Least part of the refusals of addresses that the register has which must suggest the address. */
export const SUGGESTED_SHARE = 0.95;

/** Whether the questions of a class are known addresses in one way of writing. */
export function isWay({ name }: { readonly name: string }): boolean {
  return name.startsWith('way: ');
}

export type Counted = 'asked' | 'right' | 'refused' | 'lost' | 'suggested' | 'wrong' | 'farWrong';

export function total(tallies: readonly Tally[], column: Counted): number {
  return tallies.reduce((sum, tally) => sum + tally[column], 0);
}

/** Asks up to `count` questions of a class. */
export function ask(
  { name, shows, expects, questions }: QuestionClass,
  register: KnownRegister,
  gazetteer: Gazetteer,
  options: { readonly count: number; readonly seed: number },
): Tally {
  const tally: Tally = {
    ...{ name, shows, asked: 0, right: 0, refused: 0, lost: 0, suggested: 0, wrong: 0, farWrong: 0 },
    ...{ wrongSamples: [], lostSamples: [] },
  };
  for (const question of questions(register, seededRandom(options.seed))) {
    if (tally.asked === options.count) break;
    tally.asked++;
    const result = answerTo(question.text, gazetteer);
    if ('found' in result) countAnswer(tally, question, result.found);
    else countRefusal(tally, question, { ...result.refused, isRight: expects === 'either', gazetteer });
  }
  return tally;
}

type AnyRefusal = Pick<Refusal, 'suggestions'> & { readonly reason: string };

/** What the service says: a request that is not valid does not reach the geocoder. */
function answerTo(
  text: string,
  gazetteer: Gazetteer,
): Extract<GeocodeResult, { found: unknown }> | { refused: AnyRefusal } {
  try {
    return gazetteer.geocode(addressOf({ address: text }).address);
  } catch (cause) {
    return { refused: { reason: AppError.from(cause).code, suggestions: [] } };
  }
}

function countAnswer(
  tally: Tally,
  { text, truth }: Question,
  found: Extract<GeocodeResult, { found: unknown }>['found'],
): void {
  const errorM = truth === null ? Infinity : errorOf(found, truth);
  if (errorM <= Math.max(RIGHT_M, found.uncertaintyM)) {
    tally.right++;
    return;
  }
  tally.wrong++;
  if (errorM > FAR_WRONG_M) tally.farWrong++;
  const faults = found.faults.map(({ code }) => code);
  const said = [found.address, found.score, found.accuracy, `${found.uncertaintyM} m`, ...faults].join(' · ');
  const error = truth === null ? 'must be refused' : `${Math.round(errorM)} m from ${truth.address}`;
  tally.wrongSamples.push(`${text}  →  ${said}  (${error})`);
}

function countRefusal(
  tally: Tally,
  { text, about }: Question,
  {
    reason,
    suggestions,
    isRight,
    gazetteer,
  }: AnyRefusal & { readonly isRight: boolean; readonly gazetteer: Gazetteer },
): void {
  const isSuggested = about !== undefined && suggestions.some((suggestion) => isNear(suggestion, about, gazetteer));
  if (isSuggested) tally.suggested++;
  if (isRight) {
    tally.refused++;
    return;
  }
  tally.lost++;
  tally.lostSamples.push(`${text}  →  ${reason}${isSuggested ? ', suggested' : ''}`);
}

/** A suggestion is the address when asking it gives the address. */
function isNear(suggestion: string, about: Truth, gazetteer: Gazetteer): boolean {
  const result = gazetteer.geocode(suggestion);
  return 'found' in result && nearestM(result.found, about) <= RIGHT_M;
}

function errorOf(at: Coordinate, truth: Truth): number {
  return truth.isAll ? Math.max(...truth.points.map((point) => distanceM(at, point))) : nearestM(at, truth);
}

function nearestM(at: Coordinate, { points }: Truth): number {
  return points.reduce((least, point) => Math.min(least, distanceM(at, point)), Infinity);
}
