import { type Part, signedArea } from '../geometry/ring.ts';

/** Returns a point in the largest part of an area, far from its edges to the left and to the right: the middle of the widest span on a level line. */
export function pointInside(rings: readonly Part[]): { readonly x: number; readonly y: number } {
  const areas = rings.map(({ xy }) => signedArea(xy));
  const largest = rings[areas.indexOf(Math.max(...areas))]!;
  const y = levelThrough(largest);
  const places = rings.flatMap((ring) => crossingsAt(ring, y)).sort((a, b) => a - b);
  let [x, widest] = [largest.xy[0]!, -1];
  for (let i = 0; i + 1 < places.length; i += 2) {
    const width = places[i + 1]! - places[i]!;
    if (width > widest) [x, widest] = [(places[i]! + places[i + 1]!) / 2, width];
  }
  return { x, y };
}

/** A level near the middle that runs through no vertex of the ring. */
function levelThrough({ xy, box: { minY, maxY } }: Part): number {
  const middle = (minY + maxY) / 2;
  let [below, above] = [minY, maxY];
  for (let i = 1; i < xy.length; i += 2) {
    const y = xy[i]!;
    if (y <= middle) below = Math.max(below, y);
    else above = Math.min(above, y);
  }
  return (below + above) / 2;
}

function crossingsAt({ xy }: Part, y: number): number[] {
  const places: number[] = [];
  for (let i = 0, j = xy.length - 2; i < xy.length; j = i, i += 2) {
    const ay = xy[j + 1]!;
    const by = xy[i + 1]!;
    if (ay > y !== by > y) places.push(xy[j]! + ((y - ay) / (by - ay)) * (xy[i]! - xy[j]!));
  }
  return places;
}
