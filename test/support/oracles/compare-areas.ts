import type { AnswerDefinition, CountAnswer } from '../../../src/catalogue/definition.ts';
import type { AreaValue } from '../../../src/messages/wire/area-lookup.ts';
import type { PlainShares } from './area-oracle.ts';

/** What shares may differ by: the acceptance of areas, and half of it is the rounding to four decimals. */
export const SHARE = 0.001;
const DISTANCE_M = 0.02;

/** Returns how an answer differs from the plain one, in words; none when it does not. */
export function differences(answer: AnswerDefinition, got: AreaValue, expected: PlainShares | null): string[] {
  if (expected === null) return got === null ? [] : ['a value without a data set'];
  if (got === null) return expected.unknownShare > 1 - SHARE ? [] : [`null, but ${expected.unknownShare} is not known`];
  const found = sharesOf(got);
  const keys = new Set([...found.keys(), ...expected.shares.keys()]);
  const wrong = [...keys].flatMap((key) => unequal(key, found.get(key) ?? 0, expected.shares.get(key) ?? 0, SHARE));
  wrong.push(...unequal('unknown', got['unknownShare'] as number, expected.unknownShare, SHARE));
  const sum = [...found.values()].reduce((a, b) => a + b, 0) + (got['unknownShare'] as number);
  if (sum > 1.0001) wrong.push(`sum ${sum}`);
  return [...wrong, ...otherDifferences(answer, got, expected)];
}

/** Differences of what is no share. */
function otherDifferences(
  answer: AnswerDefinition,
  got: NonNullable<AreaValue>,
  { distances }: PlainShares,
): readonly string[] {
  switch (answer.kind) {
    case 'boolean':
    case 'value':
    case 'object':
      return [];
    case 'proximity':
      return distance('distanceM', got['distanceM'], Math.min(...distances));
    case 'count':
      return countDifferences(answer, got, distances);
  }
}

function countDifferences(
  { radiusM, members }: CountAnswer,
  got: NonNullable<AreaValue>,
  distances: readonly number[],
): string[] {
  const { count, nearestDistanceM } = members;
  const wrong = distance(nearestDistanceM, got[nearestDistanceM], Math.min(...distances));
  const isAtEdge = distances.some((d) => (d > 0 && d < DISTANCE_M) || d > radiusM - DISTANCE_M);
  if (isAtEdge) return wrong;
  const inside = distances.filter((d) => d === 0).length;
  if (got['count'] !== inside) wrong.push(`count ${got['count'] as number}, expected ${inside}`);
  if (got[count] !== distances.length) wrong.push(`${count} ${got[count] as number}, expected ${distances.length}`);
  return wrong;
}

function sharesOf(got: NonNullable<AreaValue>): Map<string, number> {
  if ('share' in got) return new Map([['share', got['share'] as number]]);
  if ('bands' in got) return new Map(Object.entries(got['bands'] as Record<string, number>));
  const parts = (got['parts'] ?? []) as readonly { readonly value: unknown; readonly share: number }[];
  return new Map(parts.map(({ value, share }) => [JSON.stringify(value), share]));
}

function distance(name: string, got: unknown, expected: number): string[] {
  if (expected === Infinity) return got === null ? [] : [`${name} ${got as number}, expected none`];
  return got === null ? [`${name} null, expected ${expected}`] : unequal(name, got as number, expected, DISTANCE_M);
}

function unequal(name: string, got: number, expected: number, tolerance: number): string[] {
  return Math.abs(got - expected) <= tolerance ? [] : [`${name} ${got}, expected ${expected}`];
}
