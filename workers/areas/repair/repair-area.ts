/** Finds out whether an area is valid, and repairs it where it is not. */
import { reversed, signedArea } from '../../geometry/ring.ts';
import type { AreaPolygons } from '../../../src/messages/lookup.ts';
import { type Chain, chainsOf } from './chains.ts';
import { type Edges, edgesOf, STEPS_PER_DEGREE, type Places, meetingsOf } from './meetings.ts';
import { Sides } from './sides.ts';

/** Pairs of edges that meet, with which an area is taken. Finding and sorting so many takes 20 ms; GEOS's time cannot be foretold, nor interrupted. */
const MOST_MEETINGS = 30_000;

/** Parts into which edges may be cut where they meet. An answer takes longer the more edges are left. */
const MOST_CHAINS = 10_000;

export interface FaultAtPlace {
  readonly fault: 'meets itself too often' | 'runs twice along a line' | 'runs too near to itself';
  /** Degrees. */
  readonly lon: number;
  readonly lat: number;
}

export type Repaired =
  | {
      /** Outer ones counterclockwise, holes clockwise. */
      readonly rings: readonly (readonly number[])[];
      readonly isRepaired: boolean;
    }
  | FaultAtPlace
  | { readonly fault: 'has no area' };

/**
 * Returns the rings as they are when they are valid. Otherwise each ring bounds what it surrounds, also where it crosses itself (by the even-odd rule),
 * holes are cut out, and polygons that overlap are united.
 */
export function repairArea(polygons: AreaPolygons): Repaired {
  const edges = edgesOf(polygons.flat());
  const meetings = meetingsOf(edges, MOST_MEETINGS);
  if (meetings.count === 0 && edges.starts.length === 2) return { rings: oriented(polygons), isRepaired: false };
  const { places } = meetings;
  const chains = meetings.count > MOST_MEETINGS ? null : chainsOf(edges, meetings);
  if (chains === null || chains.length > MOST_CHAINS) {
    return faultAt(places, Math.floor(places.x.length / 2), 'meets itself too often');
  }
  const outline = outlineOf(polygons, edges, chains);
  if ('fault' in outline) return faultAt(places, outline.place, outline.fault);
  const rings = joinChains(outline.chains);
  if (typeof rings === 'number') return faultAt(places, rings, 'runs too near to itself');
  const outer = rings.filter((ring) => signedArea(ring) > 0).length;
  if (outer === 0) return { fault: 'has no area' };
  const isValid = outline.isWhole && !meetings.withinRing && outer === polygons.length;
  if (isValid) return { rings: oriented(polygons), isRepaired: false };
  return { rings: rings.map((ring) => ring.map((steps) => steps / STEPS_PER_DEGREE)), isRepaired: true };
}

function faultAt({ x, y }: Places, place: number, fault: FaultAtPlace['fault']): FaultAtPlace {
  return { fault, lon: x[place]! / STEPS_PER_DEGREE, lat: y[place]! / STEPS_PER_DEGREE };
}

function oriented(polygons: AreaPolygons): (readonly number[])[] {
  return polygons.flatMap((rings) =>
    rings.map((ring, i) => (signedArea(ring) > 0 === (i === 0) ? ring : reversed(ring))),
  );
}

// Joins the chains of an outline to rings.

/**
 * Returns rings that do not cross themselves or each other, with the area of the chains on their left. Where several rings meet, each goes on along the
 * area that it bounds, so parts that only touch get rings of their own. Returns the number of a place instead where chains do not fit together, because
 * they lie too near to each other to tell their sides.
 */
function joinChains(chains: readonly Chain[]): number[][] | number {
  const rings = chains.filter(({ ends }) => ends === null).map(({ xy }) => xy.slice(0, -2));
  const nextOf = followersOf(chains);
  if (typeof nextOf === 'number') return nextOf;
  const left = new Set(nextOf.keys());
  for (const first of left) {
    const ring: number[] = [];
    let chain = first;
    do {
      left.delete(chain);
      for (let i = 0; i < chain.xy.length - 2; i++) ring.push(chain.xy[i]!);
      chain = nextOf.get(chain)!;
    } while (chain !== first);
    rings.push(ring);
  }
  return rings;
}

/** A chain at a place. */
interface Arm {
  readonly chain: Chain;
  /** It leads away from the place. */
  readonly isOut: boolean;
  readonly angle: number;
}

/** Returns for each chain the one that goes on where it ends: the next one clockwise. */
function followersOf(chains: readonly Chain[]): Map<Chain, Chain> | number {
  const followers = new Map<Chain, Chain>();
  for (const [place, arms] of armsByPlace(chains)) {
    arms.sort((a, b) => b.angle - a.angle);
    for (const [i, { chain, isOut }] of arms.entries()) {
      const next = arms[(i + 1) % arms.length]!;
      if (next.isOut === isOut) return place;
      if (!isOut) followers.set(chain, next.chain);
    }
  }
  return followers;
}

function armsByPlace(chains: readonly Chain[]): Map<number, Arm[]> {
  const byPlace = new Map<number, Arm[]>();
  for (const chain of chains) {
    chain.ends?.forEach(({ place, angle }, i) => {
      const arm = { chain, isOut: i === 0, angle };
      const arms = byPlace.get(place);
      if (arms) arms.push(arm);
      else byPlace.set(place, [arm]);
    });
  }
  return byPlace;
}

// Finds the chains that bound an area: those that have it on one side only.

interface Outline {
  /** The area is on the left of each. */
  readonly chains: readonly Chain[];
  /** Whether all chains are among them, and none along another. */
  readonly isWhole: boolean;
}

interface OutlineFault {
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
function outlineOf(polygons: AreaPolygons, edges: Edges, chains: readonly Chain[]): Outline | OutlineFault {
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
