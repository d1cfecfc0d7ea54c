/** Gives rings of polygons the directions that say which side of them is inside. */
import { isWithin, type Box } from '../geometry/box.ts';
import { isInside } from '../geometry/clip.ts';
import { partOf, type Part } from '../geometry/path.ts';
import { reversed, signedArea } from '../geometry/ring.ts';
import { fills } from './rings.ts';

/** Centimetres from an edge, so that rings which touch are not taken for each other's holes. */
const HAIR = 0.5;

/**
 * Returns rings that were clipped to a box, of polygons that do not overlap: outer ones counterclockwise, holes clockwise. Sources have rings in any
 * direction, so the even-odd rule says which are holes.
 */
export function oriented(rings: readonly Part[], box: Box): readonly Part[] {
  if (rings.length === 1) return [directed(rings[0]!, true)];
  const whole = rings.filter((ring) => fills([ring], box));
  const others = rings.filter((ring) => !whole.includes(ring)).map((ring) => directed(ring, true));
  const outwards = others.map((ring) => directed(ring, (whole.length + countAround(others, ring, box)) % 2 === 0));
  return [...whole.map((ring, i) => directed(ring, i % 2 === 0)), ...outwards];
}

function directed(ring: Part, isOuter: boolean): Part {
  return signedArea(ring.xy) > 0 === isOuter ? ring : partOf(reversed(ring.xy));
}

/** How many of some counterclockwise rings are around one of them. */
function countAround(rings: readonly Part[], ring: Part, box: Box): number {
  const around = rings.filter((other) => other !== ring && isWithin(ring.box, other.box));
  if (around.length === 0) return 0;
  const [x, y] = placeWithin(ring, box);
  return around.filter((other) => isInside([other], x, y)).length;
}

/** Returns a place to the left of the longest edge that does not run along the box's border: those edges clipping has made. */
function placeWithin({ xy }: Part, { minX, minY, maxX, maxY }: Box): readonly [number, number] {
  let [longest, x, y] = [0, (minX + maxX) / 2, (minY + maxY) / 2];
  for (let i = 0, j = xy.length - 2; i < xy.length; j = i, i += 2) {
    const ax = xy[j]!;
    const ay = xy[j + 1]!;
    const bx = xy[i]!;
    const by = xy[i + 1]!;
    if ((ax === bx && (ax === minX || ax === maxX)) || (ay === by && (ay === minY || ay === maxY))) continue;
    const length = Math.hypot(bx - ax, by - ay);
    if (length <= longest) continue;
    longest = length;
    x = (ax + bx) / 2 - ((by - ay) / length) * HAIR;
    y = (ay + by) / 2 + ((bx - ax) / length) * HAIR;
  }
  return [x, y];
}
