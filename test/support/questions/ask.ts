import { distanceM } from '../../../src/shared/addresses/distance.ts';
import type { Gazetteer } from '../../../src/shared/contract/geocode.ts';
import { seededRandom } from '../../../src/shared/seeded-random.ts';
import type { KnownRegister } from './known-register.ts';
import type { Question, QuestionClass } from './question.ts';

/** A point may be so far from the truth, or farther when the answer says so. */
const RIGHT_M = 150;

export const FAR_WRONG_M = 2000;

/** How the questions of a class were answered. */
export interface Tally {
  readonly name: string;
  readonly shows: string;
  readonly expects: QuestionClass['expects'];
  asked: number;
  right: number;
  /** Refused as the only right answer, or as one of two. */
  refused: number;
  /** Refused although the geocoder has the address. */
  lost: number;
  /** Of those, with the right address among the suggestions. */
  suggested: number;
  wrong: number;
  /** Wrong by more than `FAR_WRONG_M`, or where there was no right answer, so that no distance says how wrong. */
  farWrong: number;
  readonly wrongSamples: string[];
  readonly lostSamples: string[];
}

/** Asks up to `count` questions of a class. */
export function ask(
  questionClass: QuestionClass,
  register: KnownRegister,
  gazetteer: Gazetteer,
  options: { readonly count: number; readonly seed: number },
): Tally {
  const { name, shows, expects } = questionClass;
  const tally: Tally = {
    ...{ name, shows, expects, asked: 0, right: 0, refused: 0, lost: 0, suggested: 0, wrong: 0, farWrong: 0 },
    ...{ wrongSamples: [], lostSamples: [] },
  };
  for (const question of questionClass.questions(register, seededRandom(options.seed))) {
    if (tally.asked === options.count) break;
    tally.asked++;
    count(tally, question, gazetteer);
  }
  return tally;
}

function count(tally: Tally, { text, truth }: Question, gazetteer: Gazetteer): void {
  const result = gazetteer.geocode(text);
  if ('refused' in result) {
    if (tally.expects === 'either') tally.refused++;
    else {
      tally.lost++;
      const isSuggested = result.refused.suggestions.some((suggestion) => isRight(gazetteer, suggestion, truth));
      if (isSuggested) tally.suggested++;
      tally.lostSamples.push(`${text}  ->  ${result.refused.reason}${isSuggested ? ', suggested' : ''}`);
    }
    return;
  }
  const { lat, lon, uncertaintyM, address, score, accuracy, faults } = result.found;
  const errorM = truth === null ? Infinity : nearestM({ lat, lon }, truth.points);
  if (errorM <= Math.max(RIGHT_M, uncertaintyM)) {
    tally.right++;
    return;
  }
  tally.wrong++;
  if (errorM > FAR_WRONG_M) tally.farWrong++;
  const codes = faults.map(({ code }) => code).join(' ');
  const error = truth === null ? 'must be refused' : `${Math.round(errorM)} m from ${truth.address}`;
  tally.wrongSamples.push(`${text}  ->  ${address} [${score} ${accuracy} ${uncertaintyM} m ${codes}] (${error})`);
}

/** A suggestion is right when asking it gives the right point. */
function isRight(gazetteer: Gazetteer, suggestion: string, truth: Question['truth']): boolean {
  const result = gazetteer.geocode(suggestion);
  return 'found' in result && truth !== null && nearestM(result.found, truth.points) <= RIGHT_M;
}

function nearestM(at: { lat: number; lon: number }, points: readonly { lat: number; lon: number }[]): number {
  return points.reduce((least, point) => Math.min(least, distanceM(at, point)), Infinity);
}
