/** The way from an area to a feature. Centimetres of the projection. */
import type { Box } from '../geometry/box.ts';
import { isInside } from '../geometry/clip.ts';
import type { Part } from '../geometry/ring.ts';
import { squaredToSegment } from '../geometry/segment.ts';
import type { AreaFeature } from './rings.ts';
import { newFloats } from '../geometry/numbers.ts';

/** The part of an area in one cell. */
export interface AreaPart {
  /** Clipped to the cell, so some edges lie on its border. */
  readonly rings: readonly Part[];
  /** The area's own edges in the cell, as paths. */
  readonly borders: readonly Part[];
  readonly box: Box;
}

/**
 * Returns the least distance from a part of an area to a feature, 0 where they meet. Only distances below `most` are exact; others may be
 * any number from it.
 */
export function separation(area: AreaPart, feature: AreaFeature, most: number): number {
  if (feature.kind === 'full') return 0;
  if (!feature.parts.some((part) => boxDistance(part.box, area.box) < most)) return Infinity;
  if (holds(area, feature) || (feature.kind === 'polygon' && isWithin(area, feature))) return 0;
  let squared = most * most;
  for (const part of feature.parts) {
    eachSegment(part, feature.kind, (ax, ay, bx, by) => {
      if (segmentBoxSquared(ax, ay, bx, by, area.box) >= squared) return;
      for (const border of area.borders) squared = Math.min(squared, toPath(border, ax, ay, bx, by));
    });
    if (squared === 0) return 0;
  }
  return Math.sqrt(squared);
}

/** Whether a vertex of the feature is in the area. */
function holds({ rings, box }: AreaPart, { parts }: AreaFeature): boolean {
  return parts.some(({ xy }) => {
    for (let i = 0; i < xy.length; i += 2) {
      const x = xy[i]!;
      const y = xy[i + 1]!;
      if (x < box.minX || x > box.maxX || y < box.minY || y > box.maxY) continue;
      if (isInside(rings, x, y)) return true;
    }
    return false;
  });
}

/**
 * Whether the polygon contains a point of any part of the area. Vertices that clipping has added may lie outside of the area, so its own edges are
 * asked, each path of them, because an area may have several parts.
 */
function isWithin({ rings, borders }: AreaPart, { parts }: AreaFeature): boolean {
  const paths = borders.length > 0 ? borders : rings.slice(0, 1);
  return paths.some(({ xy }) => isInside(parts, xy[0]!, xy[1]!));
}

/** Takes the ends of a segment. */
type Segment = (ax: number, ay: number, bx: number, by: number) => void;

/** Calls `take` with the segments of a part; a point is one without length. */
function eachSegment({ xy }: Part, kind: AreaFeature['kind'], take: Segment): void {
  const last = xy.length - 2;
  if (kind === 'point' || last === 0) {
    for (let i = 0; i <= last; i += 2) take(xy[i]!, xy[i + 1]!, xy[i]!, xy[i + 1]!);
    return;
  }
  for (let i = 0; i < last; i += 2) take(xy[i]!, xy[i + 1]!, xy[i + 2]!, xy[i + 3]!);
  if (kind === 'polygon') take(xy[last]!, xy[last + 1]!, xy[0]!, xy[1]!);
}

/** The square of the least distance from a path to a segment. */
function toPath({ xy }: Part, ax: number, ay: number, bx: number, by: number): number {
  let squared = Infinity;
  for (let i = 0; i + 3 < xy.length; i += 2) {
    const cx = xy[i]!;
    const cy = xy[i + 1]!;
    const dx = xy[i + 2]!;
    const dy = xy[i + 3]!;
    if (crosses(ax, ay, bx, by, cx, cy, dx, dy)) return 0;
    squared = Math.min(
      squared,
      squaredToSegment(ax - cx, ay - cy, bx - cx, by - cy),
      squaredToSegment(ax - dx, ay - dy, bx - dx, by - dy),
      squaredToSegment(cx - ax, cy - ay, dx - ax, dy - ay),
      squaredToSegment(cx - bx, cy - by, dx - bx, dy - by),
    );
  }
  return squared;
}

function boxDistance(a: Box, b: Box): number {
  return Math.hypot(Math.max(a.minX - b.maxX, b.minX - a.maxX, 0), Math.max(a.minY - b.maxY, b.minY - a.maxY, 0));
}

/** A lower bound: from the segment's own box. */
function segmentBoxSquared(ax: number, ay: number, bx: number, by: number, box: Box): number {
  const dx = Math.max(Math.min(ax, bx) - box.maxX, box.minX - Math.max(ax, bx), 0);
  const dy = Math.max(Math.min(ay, by) - box.maxY, box.minY - Math.max(ay, by), 0);
  return dx * dx + dy * dy;
}

/** A feature, and how far its surroundings reach. Centimetres. */
export interface Surrounded {
  readonly feature: Pick<AreaFeature, 'kind' | 'parts'>;
  /** More than 0. */
  readonly limit: number;
}

/**
 * Returns the edges of features and how far from each its surroundings reach, except for those whose surroundings do not come near a box: flat, because an
 * area has thousands of them. Centimetres.
 */
export function sitesNear(
  box: Box,
  surrounded: readonly Surrounded[],
): {
  /** Both ends of each: x, y, x, y. A point has the same place twice. */
  readonly ends: Float64Array;
  /** More than 0 each. */
  readonly limits: Float64Array;
} {
  const ends: number[] = [];
  const limits: number[] = [];
  for (const { feature, limit } of surrounded) {
    for (const part of feature.parts) {
      if (boxDistance(part.box, box) >= limit) continue;
      eachSegment(part, feature.kind, (ax, ay, bx, by) => {
        if (Math.min(ax, bx) - box.maxX >= limit || box.minX - Math.max(ax, bx) >= limit) return;
        if (Math.min(ay, by) - box.maxY >= limit || box.minY - Math.max(ay, by) >= limit) return;
        ends.push(ax, ay, bx, by);
        limits.push(limit);
      });
    }
  }
  return { ends: flat(ends), limits: flat(limits) };
}

function flat(numbers: readonly number[]): Float64Array {
  const all = newFloats(numbers.length);
  all.set(numbers);
  return all;
}

/** Whether two segments cross; where one only touches the other, a distance of 0 says so. */
function crosses(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): boolean {
  const side = (px: number, py: number, qx: number, qy: number, x: number, y: number): boolean =>
    (qx - px) * (y - py) > (qy - py) * (x - px);
  return (
    side(ax, ay, bx, by, cx, cy) !== side(ax, ay, bx, by, dx, dy) &&
    side(cx, cy, dx, dy, ax, ay) !== side(cx, cy, dx, dy, bx, by)
  );
}
