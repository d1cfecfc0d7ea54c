/**
 * The edges of rings as they matter to areas by upright slabs: without upright ones, and cut to boxes. What lies beyond a lower or upper side of a box is
 * pressed on that side, where edges that lie on each other cancel out; so a part of a spiral has only the edges that run through it.
 */
import type { Box } from '../geometry/box.ts';
import type { Part } from '../geometry/ring.ts';

/** ax, ay, bx, by of one segment after another, in the direction of their rings. */
export type Segments = readonly number[];

export function segmentsOf(rings: readonly Part[]): Segments {
  const segments: number[] = [];
  for (const { xy } of rings) {
    let ax = xy[xy.length - 2]!;
    let ay = xy[xy.length - 1]!;
    for (let i = 0; i < xy.length; i += 2) {
      const bx = xy[i]!;
      const by = xy[i + 1]!;
      if (ax !== bx) segments.push(ax, ay, bx, by);
      ax = bx;
      ay = by;
    }
  }
  return segments;
}

/** Returns what of segments is in a box. */
export function segmentsIn(segments: Segments, { minX, minY, maxX, maxY }: Box): Segments {
  const within = besideUpright(besideUpright(segments, minX)[1], maxX)[0];
  return besideLevel(besideLevel(within, minY)[1], maxY)[0];
}

/** Returns what of segments is on both sides of a line: to the left of an upright one and to the right, or below a level one and above. */
export function halvesOf(
  segments: Segments,
  { axis, limit }: { readonly axis: 'x' | 'y'; readonly limit: number },
): readonly [Segments, Segments] {
  return axis === 'x' ? besideUpright(segments, limit) : besideLevel(segments, limit);
}

function besideUpright(segments: Segments, limit: number): readonly [Segments, Segments] {
  const left: number[] = [];
  const right: number[] = [];
  for (let i = 0; i < segments.length; i += 4) {
    const ax = segments[i]!;
    const ay = segments[i + 1]!;
    const bx = segments[i + 2]!;
    const by = segments[i + 3]!;
    if (ax <= limit && bx <= limit) left.push(ax, ay, bx, by);
    else if (ax >= limit && bx >= limit) right.push(ax, ay, bx, by);
    else {
      const y = ay + ((limit - ax) / (bx - ax)) * (by - ay);
      (ax < limit ? left : right).push(ax, ay, limit, y);
      (ax < limit ? right : left).push(limit, y, bx, by);
    }
  }
  return [left, right];
}

/** Presses what is beyond the line on it, and what is on it already. */
function besideLevel(segments: Segments, limit: number): readonly [Segments, Segments] {
  const below: number[] = [];
  const above: number[] = [];
  const [top, bottom] = [new LevelLine(limit), new LevelLine(limit)];
  for (let i = 0; i < segments.length; i += 4) {
    const ax = segments[i]!;
    const ay = segments[i + 1]!;
    const bx = segments[i + 2]!;
    const by = segments[i + 3]!;
    if (ay === limit && by === limit) {
      top.press(ax, bx);
      bottom.press(ax, bx);
      continue;
    }
    const x = ay < limit === by < limit ? bx : ax + ((limit - ay) / (by - ay)) * (bx - ax);
    pushHalf(ay < limit ? below : above, ax, ay, x, x === bx ? by : limit);
    (ay < limit ? bottom : top).press(ax, x);
    if (x === bx) continue;
    pushHalf(by < limit ? below : above, x, limit, bx, by);
    (by < limit ? bottom : top).press(x, bx);
  }
  top.addTo(below);
  bottom.addTo(above);
  return [below, above];
}

function pushHalf(segments: number[], ax: number, ay: number, bx: number, by: number): void {
  if (ax !== bx) segments.push(ax, ay, bx, by);
}

/** A level line on which segments are pressed. */
class LevelLine {
  readonly #y: number;
  /** Where runs of segments begin and end. A ring that leaves a box and comes back far away makes one run. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  constructor(y: number) {
    this.#y = y;
  }

  press(from: number, to: number): void {
    const last = this.#to.length - 1;
    if (last >= 0 && this.#to[last] === from) this.#to[last] = to;
    else {
      this.#from.push(from);
      this.#to.push(to);
    }
  }

  /** Adds segments where an odd number lie on each other. */
  addTo(segments: number[]): void {
    if (this.#from.length > 1) this.#addOdd(segments);
    else if (this.#from[0] !== this.#to[0]) segments.push(this.#from[0]!, this.#y, this.#to[0]!, this.#y);
  }

  #addOdd(segments: number[]): void {
    const from = sort(this.#from);
    const to = sort(this.#to);
    // How many segments lead to the right, less those to the left, from x on.
    let count = 0;
    let x = 0;
    for (let i = 0, j = 0; i < from.length || j < to.length;) {
      const next = Math.min(from[i] ?? Infinity, to[j] ?? Infinity);
      let after = count;
      for (; from[i] === next; i++) after++;
      for (; to[j] === next; j++) after--;
      if (after === count) continue;
      if (count % 2 !== 0) segments.push(count > 0 ? x : next, this.#y, count > 0 ? next : x, this.#y);
      count = after;
      x = next;
    }
  }
}

/** Sorts numbers in their place. Mostly they are two or three. */
function sort(numbers: number[]): readonly number[] {
  if (numbers.length > FEW) return numbers.sort((a, b) => a - b);
  for (let i = 1; i < numbers.length; i++) {
    const one = numbers[i]!;
    let at = i;
    for (; at > 0 && numbers[at - 1]! > one; at--) numbers[at] = numbers[at - 1]!;
    numbers[at] = one;
  }
  return numbers;
}

const FEW = 16;

/** Returns the area of segments of rings that do not overlap, of which holes run against outer rings. */
export function areaIn(segments: Segments): number {
  // From the first place, so that large coordinates cost no digits.
  const base = segments[1] ?? 0;
  let twice = 0;
  for (let i = 0; i < segments.length; i += 4) {
    twice += (segments[i]! - segments[i + 2]!) * (segments[i + 1]! - base + segments[i + 3]! - base);
  }
  return Math.abs(twice) / 2;
}

export function boundsIn(segments: Segments): Box {
  let minX = Infinity;
  let minY = Infinity;
  let maxX = -Infinity;
  let maxY = -Infinity;
  for (let i = 0; i < segments.length; i += 2) {
    const x = segments[i]!;
    const y = segments[i + 1]!;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  return { minX, minY, maxX, maxY };
}

/** Whether segments in a box surround all of it; no in doubt. */
export function surround(segments: Segments, { minX, minY, maxX, maxY }: Box): boolean {
  let width = 0;
  for (let i = 0; i < segments.length; i += 4) {
    const y = segments[i + 1]!;
    if (y !== segments[i + 3] || (y !== minY && y !== maxY)) return false;
    if (y === minY) width += segments[i + 2]! - segments[i]!;
  }
  return Math.abs(Math.abs(width) / (maxX - minX) - 1) < SAME;
}

/** A share of a width that makes no difference. */
const SAME = 1e-9;

/** Whether a place is surrounded, by the even-odd rule. */
export function areAround(segments: Segments, x: number, y: number): boolean {
  let isAround = false;
  for (let i = 0; i < segments.length; i += 4) {
    const ax = segments[i]!;
    const ay = segments[i + 1]!;
    const bx = segments[i + 2]!;
    const by = segments[i + 3]!;
    if (ax > x === bx > x) continue;
    if (ay + ((x - ax) / (bx - ax)) * (by - ay) < y) isAround = !isAround;
  }
  return isAround;
}
