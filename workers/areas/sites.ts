import type { Box } from '../geometry/box.ts';
import { newFloats } from '../geometry/numbers.ts';
import type { AreaFeature } from './area-feature.ts';
import { boxDistance, eachSegment } from './separation.ts';

/** Segments and points, and how far from each its surroundings reach: flat, because an area has thousands of them. Centimetres. */
export interface Sites {
  /** Both ends of each: x, y, x, y. A point has the same place twice. */
  readonly ends: Float64Array;
  /** More than 0 each. */
  readonly limits: Float64Array;
}

/** A feature, and how far its surroundings reach. Centimetres. */
export interface Surrounded {
  readonly feature: Pick<AreaFeature, 'kind' | 'parts'>;
  /** More than 0. */
  readonly limit: number;
}

/** Returns the edges of features, except for those whose surroundings do not come near a box. */
export function sitesNear(box: Box, surrounded: readonly Surrounded[]): Sites {
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
