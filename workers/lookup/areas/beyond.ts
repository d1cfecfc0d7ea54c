/**
 * Finds the parts of an area that are farther than a limit from all of some segments. The area is halved until the limits' outlines are straight
 * in each piece, or so nearly straight that it makes no difference; then lines cut the piece.
 */
import type { Box } from '../../geopackage/box.ts';
import type { Part } from '../../geopackage/flat-geometry.ts';
import { boundsOf, clipRings, keepSide } from './rings.ts';

/** A segment or a point, and how far from it its surroundings reach. Centimetres. */
export interface Site {
  readonly ax: number;
  readonly ay: number;
  readonly bx: number;
  readonly by: number;
  /** More than 0. */
  readonly limit: number;
}

export interface Beyond {
  readonly sites: readonly Site[];
  /** Centimetres that a cut may be away from a curved outline. */
  readonly tolerance: number;
  /** Takes a piece. No site lies in the hull of it, so whatever sites bound is the same in all of it. */
  readonly emit: (piece: readonly Part[]) => void;
}

/** Calls `emit` with the pieces of an area that are beyond the limits of all sites. */
export function eachBeyond(area: readonly Part[], wanted: Beyond): void {
  if (area.length > 0) visit(area, boundsOf(area), wanted);
}

function visit(rings: readonly Part[], box: Box, { sites, tolerance, emit }: Beyond): void {
  const around = aroundOf(box);
  const near = nearOf(sites, around);
  if (near === null) return;
  const cut = cutBeyond(rings, near, { radius: around.radius, tolerance });
  if (cut) {
    for (const piece of cut) if (piece.length > 0) emit(piece);
    return;
  }
  const sitesNear = near.map(({ site }) => site);
  for (const half of halves(box)) {
    const part = clipRings(rings, half);
    if (part.length > 0) visit(part, half, { sites: sitesNear, tolerance, emit });
  }
}

/** Returns the sites whose limits run through a box; null when the whole box is within one of them. */
function nearOf(sites: readonly Site[], around: Around): readonly Placed[] | null {
  const near: Placed[] = [];
  for (const site of sites) {
    const placed = placeOf(site, around);
    if (placed.distance + around.radius <= site.limit) return null;
    if (placed.distance - around.radius < site.limit) near.push(placed);
  }
  return near;
}

/** Returns what is left of rings in a box beyond the limits of sites; null when lines do not cut it well enough, and the box must be halved. */
function cutBeyond(
  rings: readonly Part[],
  near: readonly Placed[],
  { radius, tolerance }: { readonly radius: number; readonly tolerance: number },
): readonly (readonly Part[])[] | null {
  if (near.every((one) => isStraight(one, radius, tolerance))) {
    let left = rings;
    for (const one of near) left = keepSide(left, one.nx, one.ny, one.along + shifted(one, radius));
    return [left];
  }
  if (near.length === 1 && near[0]!.isInner) return bothSides(rings, near[0]!);
  if (radius >= LEAST) return null;
  return near.every(({ distance, site }) => distance > site.limit) ? [rings] : [];
}

/** Pieces with a smaller radius are decided by their middle. Centimetres. */
const LEAST = 1;

interface Around {
  readonly x: number;
  readonly y: number;
  /** From the middle of the box to its corners. */
  readonly radius: number;
}

function aroundOf({ minX, minY, maxX, maxY }: Box): Around {
  return { x: (minX + maxX) / 2, y: (minY + maxY) / 2, radius: Math.hypot(maxX - minX, maxY - minY) / 2 };
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
  const distance = Math.hypot(x - px, y - py);
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

function bothSides(rings: readonly Part[], { site, nx, ny, along }: Placed): readonly Part[][] {
  return [keepSide(rings, nx, ny, along + site.limit), keepSide(rings, -nx, -ny, site.limit - along)];
}

function halves({ minX, minY, maxX, maxY }: Box): readonly [Box, Box] {
  const [midX, midY] = [(minX + maxX) / 2, (minY + maxY) / 2];
  return maxX - minX > maxY - minY
    ? [
        { minX, minY, maxX: midX, maxY },
        { minX: midX, minY, maxX, maxY },
      ]
    : [
        { minX, minY, maxX, maxY: midY },
        { minX, minY: midY, maxX, maxY },
      ];
}
