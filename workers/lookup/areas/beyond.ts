/**
 * Finds the parts of an area that are farther than a limit from all of some segments. A box round the area is halved until the limits' outlines
 * are straight in it, or so nearly straight that it makes no difference; then lines cut what the box has of the area.
 */
import type { Box } from '../../geometry/box.ts';
import type { Positions } from '../../geometry/path.ts';
import { halfBoxes, type AreaInBox } from './area-in-box.ts';
import { boxRing, cutRing } from './rings.ts';
import type { Sites } from './sites.ts';

export interface Beyond {
  readonly sites: Sites;
  /** Centimetres that a cut may be away from a curved outline. */
  readonly tolerance: number;
  /** Takes a part of the area in a convex ring, where no site lies: whatever sites bound is the same in all of it. Null: the area is around the ring. */
  readonly emit: (area: AreaInBox | null, convex: Positions) => void;
}

/** Calls `emit` with the pieces of an area that are beyond the limits of all sites. */
export function eachBeyond(area: AreaInBox, wanted: Beyond): void {
  new Halving(wanted).start(area);
}

/** So many sites are never cut with at a time: halves have fewer. */
const MANY = 32;

/** The loops of this class take most of the time of an area, so they make few objects. */
class Halving {
  readonly #ends: Float64Array;
  readonly #limits: Float64Array;
  readonly #tolerance: number;
  readonly #emit: Beyond['emit'];
  /** Boxes with a smaller radius are decided by their middle. */
  readonly #least: number;
  /** Numbers of the sites that may matter in a box; those of each box follow those of the box around it. */
  #near: Int32Array;
  /** Of the last box: whether lines can cut it, and whether its middle is beyond all limits. */
  #isStraight = false;
  #isBeyond = false;

  constructor({ sites: { ends, limits }, tolerance, emit }: Beyond) {
    this.#ends = ends;
    this.#limits = limits;
    this.#tolerance = tolerance;
    this.#emit = emit;
    this.#least = Math.max(LEAST, tolerance / 2);
    this.#near = new Int32Array(8 * limits.length);
  }

  start(area: AreaInBox): void {
    const count = this.#limits.length;
    for (let i = 0; i < count; i++) this.#near[i] = i;
    this.#visitPart(area, 0, count);
  }

  #visitPart(area: AreaInBox, from: number, to: number): void {
    if (area.segments.length > 0) this.#visit(area.box, area.isAll ? null : area, from, to);
  }

  /**
   * `#near` has the sites of the box around this one between `from` and `to`.
   *  area Null: all of the box. Most boxes are.
   */
  #visit(box: Box, area: AreaInBox | null, from: number, to: number): void {
    const around = aroundOf(box);
    const end = this.#select(around, from, to);
    if (end < 0) return;
    if (end === to) this.#emit(area, boxRing(box));
    else if (this.#isStraight && end - to <= MANY) this.#cut(area, around, to, end);
    else if (around.radius >= this.#least) this.#halve(box, area, to, end);
    else if (this.#isBeyond) this.#emit(area, boxRing(box));
  }

  /** Puts the sites whose limits run through a box behind `to`, and returns where they end; -1 when the whole box is within one of them. */
  #select({ x, y, radius }: Around, from: number, to: number): number {
    if (this.#near.length < 2 * to - from) this.#near = doubled(this.#near);
    const near = this.#near;
    const ends = this.#ends;
    const squaredRadius = radius * radius;
    // From this limit on, a curve is as good as a line in a box this small.
    const leastLimit = Math.max(radius, squaredRadius / (2 * this.#tolerance));
    let end = to;
    let across = 0;
    let isStraight = true;
    let isBeyond = true;
    for (let k = from; k < to; k++) {
      const site = near[k]!;
      const limit = this.#limits[site]!;
      const ax = ends[4 * site]! - x;
      const ay = ends[4 * site + 1]! - y;
      const dx = ends[4 * site + 2]! - x - ax;
      const dy = ends[4 * site + 3]! - y - ay;
      const length = dx * dx + dy * dy;
      const along = -(ax * dx + ay * dy);
      const t = nearestOn(along, length);
      const px = ax + t * dx;
      const py = ay + t * dy;
      const squared = px * px + py * py;
      if (squared >= (limit + radius) * (limit + radius)) continue;
      if (limit >= radius && squared <= (limit - radius) * (limit - radius)) return -1;
      near[end++] = site;
      if (squared <= limit * limit) isBeyond = false;
      if (!isStraight) continue;
      const inner = Math.min(along, length - along);
      const isInner = inner > 0 && inner * inner > squaredRadius * length;
      isStraight = squared > squaredRadius ? isInner || limit >= leastLimit : isInner && ++across === 1;
    }
    this.#isStraight = isStraight;
    this.#isBeyond = isBeyond;
    return end;
  }

  /** Cuts off what is within the limits of sites, of which each has a line as its outline in the box, and one may have two. */
  #cut(area: AreaInBox | null, around: Around, from: number, to: number): void {
    let count = 0;
    let across = -1;
    for (let k = from; k < to; k++) {
      if (this.#placeLine(this.#near[k]!, around, 3 * count) > around.radius) count++;
      else across = this.#near[k]!;
    }
    if (across < 0) {
      this.#emitCut(area, around.box, count);
      return;
    }
    const distance = this.#placeLine(across, around, 3 * count);
    this.#emitCut(area, around.box, count + 1);
    const limit = this.#limits[across]!;
    // The other side: as far from the segment, the other way.
    const at = 3 * count;
    const middle = lines[at + 2]! - limit + distance;
    lines[at] = -lines[at]!;
    lines[at + 1] = -lines[at + 1]!;
    lines[at + 2] = limit + distance - middle;
    this.#emitCut(area, around.box, count + 1);
  }

  #emitCut(area: AreaInBox | null, box: Box, count: number): void {
    const left = cutRing(boxRing(box), lines, count);
    if (left.length >= 6) this.#emit(area, left);
  }

  /** Writes the line that is a site's outline in a box to `lines`, and returns the distance from the site to the middle. */
  #placeLine(site: number, { x, y, radius }: Around, at: number): number {
    const ends = this.#ends;
    const limit = this.#limits[site]!;
    const ax = ends[4 * site]! - x;
    const ay = ends[4 * site + 1]! - y;
    const dx = ends[4 * site + 2]! - x - ax;
    const dy = ends[4 * site + 3]! - y - ay;
    const length = Math.sqrt(dx * dx + dy * dy);
    const along = length === 0 ? 0 : -(ax * dx + ay * dy) / length;
    const t = nearestOn(along, length);
    const px = ax + t * dx;
    const py = ay + t * dy;
    const distance = Math.sqrt(px * px + py * py);
    const isInner = along > radius && length - along > radius;
    // On the segment itself any direction across it will do: both sides are cut.
    const nx = distance > 0 ? -px / distance : -dy / length;
    const ny = distance > 0 ? -py / distance : dx / length;
    // A line cuts off as much as a curve does that is the mean height of the curve over a chord of the box's width nearer.
    const shifted = isInner ? limit : limit - (radius * radius) / (12 * limit);
    lines[at] = nx;
    lines[at + 1] = ny;
    lines[at + 2] = nx * x + ny * y + shifted - distance;
    return distance;
  }

  #halve(box: Box, area: AreaInBox | null, from: number, to: number): void {
    if (area) for (const half of area.halves) this.#visitPart(half, from, to);
    else for (const half of halfBoxes(box)) this.#visit(half, null, from, to);
  }
}

/** Lines that cut a box: nx, ny and limit of each, as `cutRing` takes them. */
const lines = new Float64Array(3 * MANY);

/** Where on a segment of a length the nearest point to a place is, as a share: `along` it, or at an end. */
function nearestOn(along: number, length: number): number {
  return along <= 0 ? 0 : along >= length ? 1 : along / length;
}

interface Around {
  readonly box: Box;
  readonly x: number;
  readonly y: number;
  /** From the middle of the box to its corners. */
  readonly radius: number;
}

function aroundOf(box: Box): Around {
  const { minX, minY, maxX, maxY } = box;
  const width = maxX - minX;
  const height = maxY - minY;
  return { box, x: (minX + maxX) / 2, y: (minY + maxY) / 2, radius: Math.sqrt(width * width + height * height) / 2 };
}

/** Centimetres. */
const LEAST = 1;

function doubled(numbers: Int32Array): Int32Array {
  const larger = new Int32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
