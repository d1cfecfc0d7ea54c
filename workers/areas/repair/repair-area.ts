/** Finds out whether an area is valid, and repairs it where it is not. */
import { reversed, signedArea } from '../../geometry/ring.ts';
import type { AreaPolygons } from '../../../src/messages/lookup.ts';
import { chainsOf } from './chains.ts';
import { edgesOf, STEPS_PER_DEGREE } from './edges.ts';
import { joinChains } from './join-chains.ts';
import { meetingsOf, type Places } from './meetings.ts';
import { outlineOf } from './outline.ts';

/** Pairs of edges that meet, with which an area is taken. Finding and sorting so many takes 20 ms. */
const MOST_MEETINGS = 30_000;

/** Parts into which edges may be cut where they meet. An answer takes longer the more edges are left. */
const MOST_CHAINS = 10_000;

export interface FaultAtPlace {
  readonly fault: 'meets itself too often' | 'runs twice along a line' | 'runs too near to itself';
  /** Degrees. */
  readonly lon: number;
  readonly lat: number;
}

export interface OrientedRings {
  /** Outer ones counterclockwise, holes clockwise. */
  readonly rings: readonly (readonly number[])[];
  readonly isRepaired: boolean;
}

export type Repaired = OrientedRings | FaultAtPlace | { readonly fault: 'has no area' };

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
