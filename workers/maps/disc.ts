/** Cuts lines and rings to a disc round the origin: a polygon of 96 corners, as GEOS makes one with 24 segments a quarter. Centimetres. */
import { squaredToSegment } from '../geometry/segment.ts';
import type { Path } from './read-outlines.ts';
import type { Position } from './parity.ts';

/** Segments of a quarter of the circle. */
export const QUARTER_SEGMENTS = 24;
const CORNERS = 4 * QUARTER_SEGMENTS;
const STEP = (2 * Math.PI) / CORNERS;
/** Where the start is on the first side, as a share of its angle. */
const START = 0.3819;

/** Directions of the corners, and of the middles of the sides. */
const COS = Float64Array.from({ length: CORNERS }, (_, i) => Math.cos(i * STEP));
const SIN = Float64Array.from({ length: CORNERS }, (_, i) => Math.sin(i * STEP));
const SIDE_COS = COS.map((_, i) => Math.cos((i + 0.5) * STEP));
const SIDE_SIN = COS.map((_, i) => Math.sin((i + 0.5) * STEP));

export class Disc {
  /** The whole disc as a ring. */
  readonly ring: number[];
  /** A point of the circle on no corner, so that edges along round coordinates do not run through it. */
  readonly start: Position;
  /** From the centre to the sides. */
  readonly #inner: number;

  /** From the centre to the corners. */
  readonly #radius: number;

  constructor(radius: number) {
    this.#radius = radius;
    this.ring = [];
    for (let i = 0; i < CORNERS; i++) this.ring.push(radius * COS[i]!, radius * SIN[i]!);
    this.#inner = radius * Math.cos(STEP / 2);
    const distance = this.#inner / Math.cos((START - 0.5) * STEP);
    this.start = { x: distance * Math.cos(START * STEP), y: distance * Math.sin(START * STEP) };
  }

  contains(x: number, y: number): boolean {
    if (x * x + y * y <= this.#inner * this.#inner) return true;
    return SIDE_COS.every((cos, i) => x * cos + y * SIDE_SIN[i]! <= this.#inner);
  }

  /** Returns the parts of a path inside. Each begins and ends on the circle, unless the path itself does so inside. */
  arcsOf({ xy, isClosed }: Path): {
    readonly xy: number[];
    /** A ring that is inside as a whole; it does not repeat its first vertex. */
    readonly isRing: boolean;
  }[] {
    const arcs: number[][] = [];
    let open: number[] | null = null;
    let isAllInside = true;
    const least = this.#inner * this.#inner;
    let ax = xy[0]!;
    let ay = xy[1]!;
    let isNear = ax * ax + ay * ay <= least;
    for (let i = 2; i + 1 < xy.length; i += 2) {
      const bx = xy[i]!;
      const by = xy[i + 1]!;
      const wasNear = isNear;
      isNear = bx * bx + by * by <= least;
      const span = wasNear && isNear ? WHOLE : this.#spanInside(ax, ay, bx, by);
      isAllInside &&= span === WHOLE;
      if (!span) open = null;
      else {
        const from = span[0];
        const to = span[1];
        if (!open || from > 0) arcs.push((open = [ax + from * (bx - ax), ay + from * (by - ay)]));
        if (to < 1) {
          open.push(ax + to * (bx - ax), ay + to * (by - ay));
          open = null;
        } else open.push(bx, by);
      }
      ax = bx;
      ay = by;
    }
    if (isClosed) {
      if (isAllInside) return arcs.map((arc) => ({ xy: arc.slice(0, -2), isRing: true }));
      if (open === arcs.at(-1)) joinEnds(arcs, xy);
    }
    return arcs.map((arc) => ({ xy: arc, isRing: false }));
  }

  /** Where on the circle a point is, in sides counterclockwise from the start. */
  sideAt(x: number, y: number): number {
    const side = Math.atan2(y, x) / STEP - START;
    return side < 0 ? side + CORNERS : side;
  }

  /** Returns the corners from one place of the circle counterclockwise to another. */
  cornersBetween(fromSide: number, toSide: number): number[] {
    const end = (toSide > fromSide ? toSide : toSide + CORNERS) + START;
    const corners: number[] = [];
    for (let i = Math.floor(fromSide + START) + 1; i < end; i++)
      corners.push(this.ring[(i % CORNERS) * 2]!, this.ring[(i % CORNERS) * 2 + 1]!);
    return corners;
  }

  /** Returns the parameters between which a segment is inside that is not so near the centre (Cyrus and Beck); null when it never is or only touches. */
  #spanInside(ax: number, ay: number, bx: number, by: number): readonly [number, number] | null {
    if (isBeyond(this.#radius, ax, ay, bx, by)) return null;
    let from = 0;
    let to = 1;
    for (let i = 0; i < CORNERS; i++) {
      const cos = SIDE_COS[i]!;
      const sin = SIDE_SIN[i]!;
      const room = this.#inner - (ax * cos + ay * sin);
      const outward = (bx - ax) * cos + (by - ay) * sin;
      if (outward === 0) {
        if (room < 0) return null;
      } else if (outward > 0) to = Math.min(to, room / outward);
      else from = Math.max(from, room / outward);
      if (from >= to) return null;
    }
    return from === 0 && to === 1 ? WHOLE : [from, to];
  }
}

const WHOLE = [0, 1] as const;

/** A quick look: both ends on the far side of the same tangent, or the whole segment beyond the corners. */
function isBeyond(radius: number, ax: number, ay: number, bx: number, by: number): boolean {
  return (
    (ax > radius && bx > radius) ||
    (ax < -radius && bx < -radius) ||
    (ay > radius && by > radius) ||
    (ay < -radius && by < -radius) ||
    squaredToSegment(ax, ay, bx, by) > radius * radius
  );
}

/** Makes one arc of the last and the first one where the first vertex of a ring is between them. */
function joinEnds(arcs: number[][], xy: Float64Array): void {
  const [first] = arcs;
  if (!first || arcs.length < 2 || first[0] !== xy[0] || first[1] !== xy[1]) return;
  arcs.shift();
  arcs.at(-1)!.push(...first.slice(2));
}
