/** Addresses with several numbers before the street: which of the ways to read them the register bears out. */
import { distanceM } from '../../../src/addresses/distance.ts';
import type { Among, Reading } from '../../../src/addresses/reading.ts';
import type { Candidate } from './candidate.ts';
import { registerUncertaintyM } from './match.ts';
import { DETOUR, neighboursOf, type Missing } from './rivals.ts';
import type { Street } from './street-record.ts';

/**
 * Returns the candidates without those numbers of several that the register does not bear out: it must have all of them unless they are a
 * range, and none between those that a hyphen joins.
 */
export function borneOut(candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ reading: { among } }) => {
    if (among === null || among.isRange) return true;
    const isComplete = among.numbers.every((number) => candidates.some((other) => isOf(other, among, number)));
    return isComplete && (among.isList || areNext(among, candidates));
  });
}

type AnyNumber = Among['numbers'][number];

function isOf({ reading }: Candidate, among: Among, { civic, suffix }: AnyNumber): boolean {
  return reading.among === among && reading.civic === civic && reading.suffix === suffix;
}

/** Whether none of the streets that have one of the numbers has another between them. A street may go on in the next subdivision. */
function areNext(among: Among, candidates: readonly Candidate[]): boolean {
  const civics = among.numbers.map(({ civic }) => civic);
  const [least, most] = [Math.min(...civics), Math.max(...civics)];
  return candidates.every(({ reading, street }) => reading.among !== among || !hasBetween(street, least, most));
}

function hasBetween(street: Street, least: number, most: number): boolean {
  for (const { civic } of street.from(least + 1)) return civic < most;
  return false;
}

/** Says whether a reading takes one of several numbers. */
export function isOneOfSeveral({ reading }: { readonly reading: Reading }): boolean {
  return reading.among !== null;
}

/**
 * Returns what is compared: other readings where there are any, with the places of the same number, otherwise the places of one of the
 * numbers, because the others are within what the answer says (`reachM`). That goes for number and unit exchanged, too: "37-16" next to each
 * other.
 */
export function withoutOtherNumbers(candidates: readonly Candidate[]): readonly Candidate[] {
  const several = candidates.filter(isOneOfSeveral);
  if (several.length === 0) return candidates;
  const others = candidates.filter((found) => !isOneOfSeveral(found) && !isExchanged(found));
  const civics = others.length > 0 ? others.map(({ reading }) => reading.civic) : [best(several).reading.civic];
  return [...others, ...several.filter(({ reading }) => civics.includes(reading.civic))];
}

/** Says whether a reading takes the second of two numbers as the unit of the first. */
export function isExchanged({ reading }: { readonly reading: Reading }): boolean {
  return reading.faults.some(({ code }) => code === 'UNIT_BEHIND');
}

function best(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((a, b) => (b.score > a.score ? b : a));
}

/** Metres from the answer to the farthest of several numbers, those too that the register lacks; 0 where the text has one. */
export function reachM(answer: Candidate, candidates: readonly Candidate[]): number {
  let mostM = 0;
  if (!candidates.some(isOneOfSeveral)) return mostM;
  const amongs = new Set(candidates.flatMap(({ reading: { among } }) => among ?? []));
  for (const among of amongs) {
    for (const number of among.numbers) {
      const known = candidates.filter((found) => isOf(found, among, number));
      const least = known.map((found) => distanceM(answer.point, found.point) + extraM(found));
      // Where another reading is the answer, a missing number is the unit.
      if (least.length > 0) mostM = Math.max(mostM, Math.min(...least));
      else if (answer.reading.among !== null) mostM = Math.max(mostM, missingM(answer, number.civic));
    }
  }
  return Math.ceil(mostM);
}

/** Says whether a missing number is one of those on the answer's own street, which its uncertainty reaches. */
export function isReached({ reading, street }: Missing, { reading: { among }, street: own }: Candidate): boolean {
  if (among === null || !among.numbers.some(({ civic }) => civic === reading.civic)) return false;
  const isSame = street.key === own.key && street.csd === own.csd && street.mail === own.mail;
  return isSame && street.type === own.type && street.direction === own.direction;
}

/** How far a number may be from its point: of one that was placed, or has several points. */
function extraM({ accuracy, uncertaintyM }: Candidate): number {
  const ownM = accuracy === 'interpolated' ? 0 : registerUncertaintyM[accuracy];
  return uncertaintyM > ownM ? uncertaintyM : 0;
}

/** A number that the street lacks lies between its neighbours, on a road that may bend. Behind the end of the known numbers it may be anywhere. */
function missingM({ street, point, uncertaintyM }: Candidate, civic: number): number {
  const neighbours = neighboursOf(street, civic);
  if (neighbours.length < 2) return Infinity;
  return uncertaintyM + DETOUR * Math.max(...neighbours.map((other) => distanceM(other, point)));
}
