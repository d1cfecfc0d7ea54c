/** Finds the chains that bound an area: those that have it on one side only. */
import { reversed } from '../../geometry/ring.ts';
import type { AreaPolygons } from '../../../src/messages/lookup.ts';
import type { Chain } from './chains.ts';
import type { Edges } from './edges.ts';
import { Sides } from './sides.ts';

export interface Outline {
  /** The area is on the left of each. */
  readonly chains: readonly Chain[];
  /** Whether all chains are among them, and none along another. */
  readonly isWhole: boolean;
}

export interface OutlineFault {
  /**
   * A ring that runs along a line twice in the same direction does not bound anything there by the even-odd rule, and nobody means that.
   */
  readonly fault: 'meets itself too often' | 'runs twice along a line';
  /** The number of a place. */
  readonly place: number;
}

/** Edges that are looked at to find what is beside all chains: some 50 ms. */
const MOST_COMPARISONS = 3_000_000;

/** Returns the chains that bound what is in one of the polygons, and in none of its holes, where each ring bounds its inside by the even-odd rule. */
export function outlineOf(polygons: AreaPolygons, edges: Edges, chains: readonly Chain[]): Outline | OutlineFault {
  const sides = new Sides(polygons, edges);
  const outline: Chain[] = [];
  let isWhole = true;
  for (const same of alongEachOther(chains)) {
    const [first] = same as readonly [Chain];
    const place = first.ends?.[0].place;
    if (place !== undefined) {
      if (isWoundTwice(same)) return { fault: 'runs twice along a line', place };
      if (sides.comparisons > MOST_COMPARISONS) return { fault: 'meets itself too often', place };
    }
    const { left, right } = sides.of(same);
    if (same.length > 1 || left === right) isWhole = false;
    if (left !== right) outline.push(left ? first : turned(first));
  }
  return { chains: outline, isWhole };
}

/** Straight chains between the same places are along each other. */
function alongEachOther(chains: readonly Chain[]): (readonly Chain[])[] {
  const groups: Chain[][] = [];
  const straight = new Map<string, Chain[]>();
  for (const chain of chains) {
    const { ends, xy } = chain;
    if (ends === null || xy.length > 4) {
      groups.push([chain]);
      continue;
    }
    const [a, b] = [ends[0].place, ends[1].place];
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    const group = straight.get(key);
    if (group) group.push(chain);
    else straight.set(key, [chain]);
  }
  return [...groups, ...straight.values()];
}

/** Whether a ring runs along a line more often in one direction than in the other, by more than one. */
function isWoundTwice(same: readonly Chain[]): boolean {
  if (same.length === 1) return false;
  const balance = new Map<number, number>();
  for (const { ring, ends } of same) {
    const turn = ends![0].place === same[0]!.ends![0].place ? 1 : -1;
    balance.set(ring, (balance.get(ring) ?? 0) + turn);
  }
  return [...balance.values()].some((turns) => Math.abs(turns) > 1);
}

function turned(chain: Chain): Chain {
  return { ...chain, xy: reversed(chain.xy), ends: chain.ends && [chain.ends[1], chain.ends[0]] };
}
