/**
 * Finds the parts of an area that are farther than a limit from all of some segments. A box round the area is halved until the limits' outlines
 * are straight in it, or so nearly straight that it makes no difference; then lines cut what the box has of the area.
 */
import type { Box } from '../../geopackage/box.ts';
import type { Part, Positions } from '../../geopackage/flat-geometry.ts';
import { squaredToSegment } from '../cells/leaf-reader.ts';
import { boundsOf, boxRing, cutRing, signedArea } from './rings.ts';

/** A segment or a point, and how far from it its surroundings reach. Centimetres. */
export interface Site {
  readonly ax: number;
  readonly ay: number;
  readonly bx: number;
  readonly by: number;
  /** More than 0. */
  readonly limit: number;
}

/** Rings of a part of the area: outer ones and holes run in opposite directions. */
export type Piece = readonly Positions[];

export interface Beyond {
  readonly sites: readonly Site[];
  /** Centimetres that a cut may be away from a curved outline. */
  readonly tolerance: number;
  /** Takes a piece. No site lies in the hull of it, so whatever sites bound is the same in all of it. */
  readonly emit: (piece: Piece) => void;
}

/** Calls `emit` with the pieces of an area that are beyond the limits of all sites. */
export function eachBeyond(area: readonly Part[], wanted: Beyond): void {
  if (area.length === 0) return;
  visit(
    area.map(({ xy }) => xy),
    boundsOf(area),
    wanted,
  );
}

/** All of a box. Most boxes are, and need no rings until lines cut them. */
const WHOLE: Piece = [];

function visit(piece: Piece, box: Box, { sites, tolerance, emit }: Beyond): void {
  const around = aroundOf(box);
  const near = nearOf(sites, around);
  if (near === null) return;
  const rings = near.length > MANY ? null : cutBeyond(piece, near, { box, around, tolerance });
  if (rings) {
    for (const one of rings) if (one.length > 0) emit(one);
    return;
  }
  for (const half of halvesOf(box)) {
    const part = piece === WHOLE ? WHOLE : partIn(piece, half);
    if (part) visit(part, half.box, { sites: near, tolerance, emit });
  }
}

/** So many sites are never cut with at a time: halves have fewer. */
const MANY = 32;

/** Returns the sites whose limits run through a box; null when the whole box is within one of them. */
function nearOf(sites: readonly Site[], { x, y, radius }: Around): readonly Site[] | null {
  const near: Site[] = [];
  for (const site of sites) {
    const { limit } = site;
    const squared = squaredToSegment(site.ax - x, site.ay - y, site.bx - x, site.by - y);
    if (squared >= (limit + radius) * (limit + radius)) continue;
    if (limit >= radius && squared <= (limit - radius) * (limit - radius)) return null;
    near.push(site);
  }
  return near;
}

interface Place {
  readonly box: Box;
  readonly around: Around;
  readonly tolerance: number;
}

/** Returns what is left of a piece beyond the limits of sites; null when lines do not cut it well enough, and the box must be halved. */
function cutBeyond(piece: Piece, near: readonly Site[], { box, around, tolerance }: Place): readonly Piece[] | null {
  const ringsOf = (): Piece => (piece === WHOLE ? [boxRing(box)] : piece);
  if (near.length === 0) return [ringsOf()];
  const placed: Placed[] = [];
  for (const site of near) {
    const one = placeOf(site, around);
    placed.push(one);
    if (!isStraight(one, around.radius, tolerance) && (near.length > 1 || !one.isInner) && around.radius >= LEAST)
      return null;
  }
  const [only] = placed;
  if (placed.length === 1 && only!.isInner) return bothSides(ringsOf(), only!);
  if (around.radius < LEAST) return placed.every(({ distance, site }) => distance > site.limit) ? [ringsOf()] : [];
  let left = ringsOf();
  for (const one of placed) left = keep(left, one.nx, one.ny, one.along + shifted(one, around.radius));
  return [left];
}

/** Boxes with a smaller radius are decided by their middle. Centimetres. */
const LEAST = 1;

interface Around {
  readonly x: number;
  readonly y: number;
  /** From the middle of the box to its corners. */
  readonly radius: number;
}

function aroundOf({ minX, minY, maxX, maxY }: Box): Around {
  const [width, height] = [maxX - minX, maxY - minY];
  return { x: (minX + maxX) / 2, y: (minY + maxY) / 2, radius: Math.sqrt(width * width + height * height) / 2 };
}

/** A site as it is seen from the middle of a box. */
interface Placed {
  readonly site: Site;
  readonly distance: number;
  /** Direction from the nearest point of the site to the middle, and where the nearest point is in this direction. */
  readonly nx: number;
  readonly ny: number;
  readonly along: number;
  /** Whether every point of the box has its nearest point between the ends of the site. */
  readonly isInner: boolean;
}

function placeOf(site: Site, { x, y, radius }: Around): Placed {
  const { ax, ay, bx, by } = site;
  const [dx, dy] = [bx - ax, by - ay];
  const squared = dx * dx + dy * dy;
  const length = Math.sqrt(squared);
  const dot = (x - ax) * dx + (y - ay) * dy;
  const t = dot <= 0 || squared === 0 ? 0 : dot >= squared ? 1 : dot / squared;
  const [px, py] = [ax + t * dx, ay + t * dy];
  const distance = Math.sqrt((x - px) * (x - px) + (y - py) * (y - py));
  const isInner = length > 2 * radius && t * length > radius && (1 - t) * length > radius;
  // On the segment itself any direction across it will do: both sides are cut.
  const [nx, ny] = distance > 0 ? [(x - px) / distance, (y - py) / distance] : [-dy / length, dx / length];
  return { site, distance, nx, ny, along: nx * px + ny * py, isInner };
}

/** Whether a line is the outline of the site's surroundings in the box, and the whole box lies on one side of the site. */
function isStraight({ site, distance, isInner }: Placed, radius: number, tolerance: number): boolean {
  if (distance <= radius) return false;
  return isInner || (radius <= site.limit / 2 && radius * radius <= 2 * site.limit * tolerance);
}

/** The distance of the line that cuts off as much as a curved outline does: by the mean height of the curve over a chord of the box's width. */
function shifted({ site, isInner }: Placed, radius: number): number {
  return isInner ? site.limit : site.limit - (radius * radius) / (12 * site.limit);
}

function bothSides(rings: Piece, { site, nx, ny, along }: Placed): readonly Piece[] {
  return [keep(rings, nx, ny, along + site.limit), keep(rings, -nx, -ny, site.limit - along)];
}

function keep(rings: Piece, nx: number, ny: number, limit: number): Piece {
  const kept: Positions[] = [];
  for (const ring of rings) {
    const part = cutRing(ring, nx, ny, limit);
    if (part.length >= 6) kept.push(part);
  }
  return kept;
}

/** A half of a box, and the side of the line between the halves on which it lies. */
interface Half {
  readonly box: Box;
  readonly nx: number;
  readonly ny: number;
  readonly limit: number;
}

function halvesOf({ minX, minY, maxX, maxY }: Box): readonly Half[] {
  const [midX, midY] = [(minX + maxX) / 2, (minY + maxY) / 2];
  return maxX - minX > maxY - minY
    ? [
        { box: { minX, minY, maxX: midX, maxY }, nx: -1, ny: 0, limit: -midX },
        { box: { minX: midX, minY, maxX, maxY }, nx: 1, ny: 0, limit: midX },
      ]
    : [
        { box: { minX, minY, maxX, maxY: midY }, nx: 0, ny: -1, limit: -midY },
        { box: { minX, minY: midY, maxX, maxY }, nx: 0, ny: 1, limit: midY },
      ];
}

/** Returns what a piece has in a half of its box; null for nothing. */
function partIn(piece: Piece, { box, nx, ny, limit }: Half): Piece | null {
  const part = keep(piece, nx, ny, limit);
  if (part.length === 0) return null;
  const [only] = part;
  if (part.length > 1 || only!.length > 10) return part;
  const size = (box.maxX - box.minX) * (box.maxY - box.minY);
  return Math.abs(signedArea(only!)) > size * (1 - SAME) ? WHOLE : part;
}

/** A share of a box that makes no difference. */
const SAME = 1e-9;
