/** The part of a polygon inside a disc, from the parts of its rings inside. */
import type { Arc, Disc } from './disc.ts';

/** A corner where an arc meets the circle. */
interface Crossing {
  readonly arc: number;
  readonly isStart: boolean;
  readonly side: number;
}

/**
 * Returns the rings of the part inside, without repeated vertices. The circle's pieces between crossings are inside and outside in turns, so the
 * direction of rings does not matter.
 * @param isStartInside whether the polygon contains the disc's start.
 */
export function clippedRings(disc: Disc, arcs: readonly Arc[], isStartInside: boolean): number[][] {
  const rings = arcs.filter(({ isRing }) => isRing).map(({ xy }) => xy);
  const open = arcs.filter(({ isRing }) => !isRing).map(({ xy }) => xy);
  if (open.length > 0) return [...rings, ...joinedRings(disc, open, isStartInside)];
  return isStartInside ? [disc.ring, ...rings] : rings;
}

function joinedRings(disc: Disc, arcs: readonly number[][], isStartInside: boolean): number[][] {
  const crossings = crossingsOf(disc, arcs);
  const isUsed = arcs.map(() => false);
  const rings: number[][] = [];
  for (const first of arcs.keys()) {
    if (isUsed[first]) continue;
    const ring: number[] = [];
    let [arc, isForward] = [first, true];
    while (!isUsed[arc]) {
      isUsed[arc] = true;
      append(ring, isForward ? arcs[arc]! : reversed(arcs[arc]!));
      const from = crossings.findIndex((one) => one.arc === arc && one.isStart !== isForward);
      // Before the first crossing it is as at the start, and each crossing changes it.
      const isInsideAfter = isStartInside === (from % 2 === 1);
      const to = (from + (isInsideAfter ? 1 : crossings.length - 1)) % crossings.length;
      append(ring, isInsideAfter ? corners(disc, crossings, from, to) : reversed(corners(disc, crossings, to, from)));
      ({ arc, isStart: isForward } = crossings[to]!);
    }
    if (ring[0] === ring.at(-2) && ring[1] === ring.at(-1)) ring.splice(-2);
    if (ring.length >= 6) rings.push(ring);
  }
  return rings;
}

/** The ends of arcs, counterclockwise from the disc's start. */
function crossingsOf(disc: Disc, arcs: readonly number[][]): Crossing[] {
  const crossings = arcs.flatMap((xy, arc): Crossing[] => [
    { arc, isStart: true, side: disc.sideAt(xy[0]!, xy[1]!) },
    { arc, isStart: false, side: disc.sideAt(xy.at(-2)!, xy.at(-1)!) },
  ]);
  return crossings.sort((a, b) => a.side - b.side);
}

/** The disc's corners from one crossing to the next. */
function corners(disc: Disc, crossings: readonly Crossing[], from: number, to: number): number[] {
  const [start, end] = [crossings[from]!.side, crossings[to]!.side];
  // From the last crossing to the first it is all the way round, also where both are at one place.
  return start === end && to !== 0 ? [] : disc.cornersBetween(start, end);
}

function append(ring: number[], xy: readonly number[]): void {
  for (let i = 0; i < xy.length; i += 2) {
    const end = ring.length;
    if (end === 0 || ring[end - 2] !== xy[i] || ring[end - 1] !== xy[i + 1]) ring.push(xy[i]!, xy[i + 1]!);
  }
}

function reversed(xy: readonly number[]): number[] {
  const back: number[] = [];
  for (let i = xy.length - 2; i >= 0; i -= 2) back.push(xy[i]!, xy[i + 1]!);
  return back;
}
