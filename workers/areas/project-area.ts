/** Makes what a request gives as an area ready for its answers: repaired, measured and projected. */
import { type Part, partOf } from '../geometry/ring.ts';
import type { AreaPolygons } from '../../src/messages/lookup.ts';
import { MOST_BORDER_KM, LEAST_AREA_M2, MOST_AREA_KM2 } from '../../src/messages/area-limits.ts';
import { project } from '../geopackage/lambert.ts';
import type { ProjectedRings } from './area-pieces.ts';
import { crossingsAt, pointInside } from './rings.ts';
import { isInside } from '../geometry/clip.ts';
import { type FaultAtPlace, repairArea } from './repair/repair-area.ts';

export interface PreparedArea extends ProjectedRings {
  /** On the ground. */
  readonly areaM2: number;
  readonly isRepaired: boolean;
  /** Its rings as they are answered, longitude and latitude in turns. */
  readonly outline: readonly (readonly number[])[];
}

/**
 * Edges are straight between longitudes and latitudes (RFC 7946). A straight line of the projection is less than 2 mm away from an edge of
 * this length.
 */
const LONGEST_EDGE_M = 250;

const M_PER_DEGREE = 111_320;

/** Degrees round Ontario beyond which nothing is projected, because the projection has no place for the other pole. No border that meets Ontario
 * is long enough to lead there and back. */
const AROUND_ONTARIO = { west: -105, south: 36, east: -65, north: 62 } as const;

/** Repairs, measures and projects an area. What lies far from Ontario counts for its size only. */
export function prepareArea(given: AreaPolygons): PreparedArea | { readonly fault: string } {
  const borderKm = given.flat().reduce((sum, ring) => sum + ringLength(ring), 0) / 1000;
  if (borderKm > MOST_BORDER_KM)
    return fault(`has a border of ${Math.round(borderKm)} km; it may have ${MOST_BORDER_KM} km: ask for its parts`);
  const repaired = repairArea(given);
  if ('fault' in repaired) return fault(sayingWhere(repaired, given));
  const beside = repaired.isRepaired ? given.map(ringBesideFirst).find((ring) => ring !== null) : undefined;
  if (beside) {
    const { x, y } = pointInside([beside]);
    return fault(
      `has a ring near longitude ${x.toFixed(7)}, latitude ${y.toFixed(7)} that lies beside the first ring of its polygon, and only the first is land, ` +
        'the others are holes in it: send a MultiPolygon',
    );
  }
  const short = repaired.rings.map(withShortEdges);
  const areaM2 = short.reduce((sum, ring) => sum + groundArea(ring), 0);
  if (areaM2 > MOST_AREA_KM2 * 1e6) {
    return fault(`has ${(areaM2 / 1e6).toFixed(1)} km²; it may have ${MOST_AREA_KM2} km²: ask for its parts`);
  }
  if (areaM2 < LEAST_AREA_M2) {
    return fault(
      `has ${areaM2.toPrecision(2)} m²; it must have ${LEAST_AREA_M2} m²: ask for the point at POST /api/lookup/point`,
    );
  }
  const rings = short.filter(isNearOntario).map(projected);
  const borders = rings.map(({ xy }) => partOf([...(xy as number[]), xy[0]!, xy[1]!]));
  return { rings, borders, areaM2, isRepaired: repaired.isRepaired, outline: repaired.rings };
}

/** Returns a ring that cuts nothing out of the first one of its polygon: whoever sent it means land, which no answer would be about. */
function ringBesideFirst([first, ...others]: AreaPolygons[number]): Part | null {
  const shell = partOf(first!);
  return others.map(partOf).find((ring) => cutsNothing(ring, shell)) ?? null;
}

/** Level lines on which a ring is compared with another one. */
const LEVELS = 16;
/** Shares of the way through it on such a line. */
const PLACES = [0.1, 0.3, 0.5, 0.7, 0.9] as const;

/** Whether a ring has land inside, and the other one is nowhere around that. A corner that cuts a little may be missed. */
function cutsNothing(ring: Part, shell: Part): boolean {
  const { minY, maxY } = ring.box;
  let hasLand = false;
  for (let level = 0.5; level < LEVELS; level++) {
    const y = minY + (level / LEVELS) * (maxY - minY);
    const ends = crossingsAt(ring, y).sort((a, b) => a - b);
    for (let i = 0; i + 1 < ends.length; i += 2) {
      if (ends[i + 1]! <= ends[i]!) continue;
      hasLand = true;
      if (PLACES.some((share) => isInside([shell], ends[i]! + share * (ends[i + 1]! - ends[i]!), y))) return false;
    }
  }
  return hasLand;
}

function fault(text: string): { readonly fault: string } {
  return { fault: `the geometry ${text}` };
}

function sayingWhere(found: FaultAtPlace | { readonly fault: 'has no area' }, given: AreaPolygons): string {
  if (found.fault === 'has no area') {
    if (given.every((polygon) => polygon.length === 1)) return 'has no area: its positions lie on a line';
    return 'has no area: every ring of a polygon but the first is a hole, and nothing is left between them';
  }
  const where = `near longitude ${found.lon.toFixed(7)}, latitude ${found.lat.toFixed(7)}`;
  switch (found.fault) {
    case 'meets itself too often':
      return `has edges that cross, touch or overlap each other too often, for example ${where}: check the order of its positions`;
    case 'runs twice along a line':
      return `has a ring that runs more than once along the same line in the same direction ${where}: send each position once`;
    case 'runs too near to itself':
      return `has edges ${where} that are too near to each other to tell what they surround: simplify it`;
  }
}

function ringLength(ring: readonly number[]): number {
  let length = 0;
  for (let i = 0; i < ring.length; i += 2) length += edgeLength(ring, i, nextOf(ring, i));
  return length;
}

function nextOf(ring: readonly number[], i: number): number {
  return i + 2 === ring.length ? 0 : i + 2;
}

/** Metres between two positions, on a sphere: it decides about limits only. */
function edgeLength(ring: readonly number[], from: number, to: number): number {
  const shrink = Math.cos((((ring[from + 1]! + ring[to + 1]!) / 2) * Math.PI) / 180);
  const [east, north] = [(ring[to]! - ring[from]!) * shrink, ring[to + 1]! - ring[from + 1]!];
  return Math.sqrt(east * east + north * north) * M_PER_DEGREE;
}

function withShortEdges(ring: readonly number[]): number[] {
  const positions: number[] = [];
  for (let i = 0; i < ring.length; i += 2) {
    const to = nextOf(ring, i);
    const pieces = Math.max(1, Math.ceil(edgeLength(ring, i, to) / LONGEST_EDGE_M));
    for (let piece = 0; piece < pieces; piece++) {
      const share = piece / pieces;
      positions.push(ring[i]! + share * (ring[to]! - ring[i]!), ring[i + 1]! + share * (ring[to + 1]! - ring[i + 1]!));
    }
  }
  return positions;
}

function isNearOntario(ring: readonly number[]): boolean {
  const { west, south, east, north } = AROUND_ONTARIO;
  for (let i = 0; i < ring.length; i += 2) {
    const lon = ring[i]!;
    const lat = ring[i + 1]!;
    if (!(lon > west && lon < east && lat > south && lat < north)) return false;
  }
  return true;
}

function projected(ring: readonly number[]): Part {
  const xy: number[] = [];
  for (let at = 0; at < ring.length; at += 2) {
    const { x, y } = project({ lat: ring[at + 1]!, lon: ring[at]! });
    xy.push(x, y);
  }
  return partOf(xy);
}

/** Areas on the ellipsoid GRS 80, by the authalic latitude (Snyder, USGS PP 1395, formula 3-12). */

const SEMI_MAJOR_M = 6_378_137;
const FLATTENING = 1 / 298.257222101;
const E2 = FLATTENING * (2 - FLATTENING);
const E = Math.sqrt(E2);

/**
 * Returns the square metres in a ring of degrees, longitude first, without a repeated first vertex; positive for a counterclockwise ring. Its edges
 * must be short, because they count as straight in a projection that keeps areas: below 1 km that makes no difference.
 */
export function groundArea(degrees: ArrayLike<number>): number {
  // From the first vertex, so that a small ring costs no digits.
  const base = q(degrees[1]!);
  let sum = 0;
  let lastLon = degrees[degrees.length - 2]!;
  let last = q(degrees[degrees.length - 1]!) - base;
  for (let i = 0; i < degrees.length; i += 2) {
    const lon = degrees[i]!;
    const here = q(degrees[i + 1]!) - base;
    sum -= (lon - lastLon) * (last + here);
    lastLon = lon;
    last = here;
  }
  return (sum * (Math.PI / 180) * SEMI_MAJOR_M ** 2) / 4;
}

function q(latDegrees: number): number {
  const sine = Math.sin((latDegrees * Math.PI) / 180);
  return (1 - E2) * (sine / (1 - E2 * sine * sine) - Math.log((1 - E * sine) / (1 + E * sine)) / (2 * E));
}
