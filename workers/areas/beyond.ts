/**
 * Finds the parts of an area that are farther than a limit from all of some segments. A box round the area is halved until the limits' outlines
 * are straight in it, or so nearly straight that it makes no difference; then lines cut what the box has of the area.
 */
import type { Positions } from '../geometry/ring.ts';
import type { AreaInBox } from './area-in-box.ts';
import { cutRing } from './rings.ts';
import type { sitesNear } from './separation.ts';

interface Beyond {
  readonly sites: ReturnType<typeof sitesNear>;
  /** Centimetres that a cut may be away from a curved outline. */
  readonly tolerance: number;
  /** Says whether a place is in a polygon. Edges of polygons are sites. */
  readonly isCovered: (x: number, y: number) => boolean;
  /** Takes a part of the area in a convex ring, where no site lies: whatever sites bound is the same in all of it. Null: the area is around the ring. */
  readonly emit: (area: AreaInBox | null, convex: Positions) => void;
}

/** Calls `emit` with the pieces of an area that are beyond the limits of all sites, and in no polygon. */
export function eachBeyond(area: AreaInBox, wanted: Beyond): void {
  new Halving(wanted).start(area);
}

/** So many sites are never cut with at a time: halves have fewer. */
const MANY = 32;

/** More halvings than lead from the largest box to the smallest. */
const DEEPEST = 128;

/** The loops of this class take most of the time of an area, so they make no objects: each box that is halved has its depth, and what is known of it stands there. */
class Halving {
  readonly #ends: Float64Array;
  readonly #limits: Float64Array;
  readonly #tolerance: number;
  readonly #isCovered: Beyond['isCovered'];
  readonly #emit: Beyond['emit'];
  /** Boxes with a smaller radius are decided by their middle. */
  readonly #least: number;
  /** Of the last box: its middle, and the distance from there to its corners. */
  #x = 0;
  #y = 0;
  #radius = 0;
  /** Of the last box: whether lines can cut it, whether its middle is beyond all limits, and whether no site lies in it. */
  #isStraight = false;
  #isBeyond = false;
  #isApart = false;

  /** The last site that may stand for the next one. */
  #standing = -1;

  constructor({ sites: { ends, limits }, tolerance, isCovered, emit }: Beyond) {
    this.#ends = ends;
    this.#limits = limits;
    this.#tolerance = tolerance;
    this.#isCovered = isCovered;
    this.#emit = emit;
    this.#least = Math.max(LEAST, tolerance / 2);
  }

  start(area: AreaInBox): void {
    const count = this.#limits.length;
    if (near.length <= count) near = new Int32Array(8 * count);
    for (let i = 0; i < count; i++) near[i] = i;
    starts[1] = count;
    this.#visitPart(0, area, false);
  }

  #visitPart(depth: number, area: AreaInBox, wasApart: boolean): void {
    if (area.segments.length === 0) return;
    const { minX, minY, maxX, maxY } = area.box;
    this.#place(depth, minX, minY, maxX, maxY);
    this.#visit(depth, area.isAll ? null : area, wasApart);
  }

  #place(depth: number, minX: number, minY: number, maxX: number, maxY: number): void {
    const at = 4 * depth;
    boxes[at] = minX;
    boxes[at + 1] = minY;
    boxes[at + 2] = maxX;
    boxes[at + 3] = maxY;
  }

  /**
   * Visits the box at a depth.
   *  area Null: all of the box. Most boxes are.
   *  wasApart Whether no site lies in the box around it, which no polygon covers.
   */
  #visit(depth: number, area: AreaInBox | null, wasApart: boolean): void {
    const count = this.#select(depth);
    if (count < 0) return;
    const isApart = this.#isApart;
    // Then all of it is in a polygon, or nothing.
    if (isApart && !wasApart && this.#isCovered(this.#x, this.#y)) return;
    if (count === 0) this.#give(area, this.#ringAt(depth));
    else if (this.#isStraight && count <= MANY) this.#cut(depth, area);
    else if (this.#radius >= this.#least) this.#halve(depth, area, isApart);
    else if (this.#isBeyond) this.#give(area, this.#ringAt(depth));
  }

  /** Finds the sites whose limits run through a box, for the next depth, and returns how many; -1 when the whole box is within one of them. */
  #select(depth: number): number {
    this.#lookAt(depth);
    const from = starts[depth]!;
    const to = starts[depth + 1]!;
    const ends = this.#ends;
    const x = this.#x;
    const y = this.#y;
    const radius = this.#radius;
    const squaredRadius = radius * radius;
    // From this limit on, a curve is as good as a line in a box this small.
    const leastLimit = Math.max(radius, squaredRadius / (2 * this.#tolerance));
    let end = to;
    let across = 0;
    let nearest = Infinity;
    let leastBeyond = Infinity;
    let isStraight = true;
    this.#standing = -1;
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
      const distance = Math.sqrt(px * px + py * py);
      if (distance >= limit + radius) continue;
      if (distance + radius <= limit) return -1;
      // More than 0 beside the segment, less before its start and behind its end.
      const inner = Math.min(along, length - along);
      const isClear = inner * inner > squaredRadius * length;
      if (isClear && inner < 0 && this.#isHidden(k, along > 0)) continue;
      this.#standing = site;
      near[end++] = site;
      nearest = Math.min(nearest, distance);
      leastBeyond = Math.min(leastBeyond, distance - limit);
      if (!isStraight) continue;
      const isInner = isClear && inner > 0;
      isStraight = distance > radius ? isInner || limit >= leastLimit : isInner && ++across === 1;
    }
    this.#isStraight = isStraight;
    this.#isBeyond = leastBeyond > 0;
    this.#isApart = nearest > radius;
    starts[depth + 2] = end;
    return end - to;
  }

  #lookAt(depth: number): void {
    const at = 4 * depth;
    this.#x = (boxes[at]! + boxes[at + 2]!) / 2;
    this.#y = (boxes[at + 1]! + boxes[at + 3]!) / 2;
    const width = boxes[at + 2]! - boxes[at]!;
    const height = boxes[at + 3]! - boxes[at + 1]!;
    this.#radius = Math.sqrt(width * width + height * height) / 2;
    const from = starts[depth]!;
    const to = starts[depth + 1]!;
    if (near.length <= 2 * to - from) {
      const larger = new Int32Array(2 * near.length);
      larger.set(near);
      near = larger;
    }
    // No site comes after the last one.
    near[to] = -1;
  }

  /**
   * Says whether a site, of which one end is the nearest to all of the box, goes on from there: to the next one, or from the one before it when that
   * does not count on this one in turn. What goes on is nowhere farther.
   */
  #isHidden(k: number, isByEnd: boolean): boolean {
    const site = near[k]!;
    if (isByEnd) return this.#joins(site, near[k + 1]!);
    if (!this.#joins(this.#standing, site)) return false;
    this.#standing = site;
    return true;
  }

  /** Says whether a site begins where the one before it ends, with the same limit. */
  #joins(before: number, site: number): boolean {
    const ends = this.#ends;
    return (
      site === before + 1 &&
      this.#limits[site] === this.#limits[before] &&
      ends[4 * site] === ends[4 * before + 2] &&
      ends[4 * site + 1] === ends[4 * before + 3]
    );
  }

  /** Cuts off what is within the limits of sites, of which each has a line as its outline in the box, and one may have two. */
  #cut(depth: number, area: AreaInBox | null): void {
    const from = starts[depth + 1]!;
    const to = starts[depth + 2]!;
    let count = 0;
    let across = -1;
    for (let k = from; k < to; k++) {
      if (this.#placeLine(near[k]!, 3 * count) > this.#radius) count++;
      else across = near[k]!;
    }
    const ring = this.#ringAt(depth);
    if (across < 0) {
      this.#giveCut(area, ring, count);
      return;
    }
    const distance = this.#placeLine(across, 3 * count);
    this.#giveCut(area, ring, count + 1);
    const limit = this.#limits[across]!;
    // The other side: as far from the segment, the other way.
    const at = 3 * count;
    const middle = lines[at + 2]! - limit + distance;
    lines[at] = -lines[at]!;
    lines[at + 1] = -lines[at + 1]!;
    lines[at + 2] = limit + distance - middle;
    this.#giveCut(area, ring, count + 1);
  }

  #giveCut(area: AreaInBox | null, ring: Positions, count: number): void {
    const left = cutRing(ring, lines, count);
    if (left.length >= 6) this.#give(area, left);
  }

  /** A box apart from all sites was looked at as a whole. */
  #give(area: AreaInBox | null, convex: Positions): void {
    // A place off the border of the area's box, where clipped rings have edges.
    const x = (convex[0]! + convex[2]! + convex[4]!) / 3;
    const y = (convex[1]! + convex[3]! + convex[5]!) / 3;
    if (this.#isApart || !this.#isCovered(x, y)) this.#emit(area, convex);
  }

  /** Writes the line that is a site's outline in the last box to `lines`, and returns the distance from the site to the middle. */
  #placeLine(site: number, at: number): number {
    const x = this.#x;
    const y = this.#y;
    const radius = this.#radius;
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

  #ringAt(depth: number): Positions {
    const at = 4 * depth;
    const minX = boxes[at]!;
    const minY = boxes[at + 1]!;
    const maxX = boxes[at + 2]!;
    const maxY = boxes[at + 3]!;
    return [minX, minY, maxX, minY, maxX, maxY, minX, maxY];
  }

  #halve(depth: number, area: AreaInBox | null, isApart: boolean): void {
    if (area) {
      for (const half of area.halves) this.#visitPart(depth + 1, half, isApart);
      return;
    }
    const x = this.#x;
    const y = this.#y;
    const at = 4 * depth;
    const minX = boxes[at]!;
    const minY = boxes[at + 1]!;
    const maxX = boxes[at + 2]!;
    const maxY = boxes[at + 3]!;
    const isWide = maxX - minX > maxY - minY;
    this.#place(depth + 1, minX, minY, isWide ? x : maxX, isWide ? maxY : y);
    this.#visit(depth + 1, null, isApart);
    this.#place(depth + 1, isWide ? x : minX, isWide ? minY : y, maxX, maxY);
    this.#visit(depth + 1, null, isApart);
  }
}

/** minX, minY, maxX, maxY of the box at each depth. */
const boxes = new Float64Array(4 * DEEPEST);

/** Numbers of the sites that may matter in a box; those of each box follow those of the box around it. */
let near = new Int32Array(1024);

/** Where the sites begin that may matter at each depth; they end where those of the next one begin. */
const starts = new Int32Array(DEEPEST + 2);

/** Lines that cut a box: nx, ny and limit of each, as `cutRing` takes them. */
const lines = new Float64Array(3 * MANY);

/** Where on a segment of a length the nearest point to a place is, as a share: `along` it, or at an end. */
function nearestOn(along: number, length: number): number {
  return along <= 0 ? 0 : along >= length ? 1 : along / length;
}

/** Centimetres. */
const LEAST = 1;
