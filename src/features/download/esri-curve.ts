import type { Position } from '../../messages/downloads/feature.ts';

/** A vertex, a circular arc (end, a point on it) or a cubic Bézier (end, two control points). */
export type EsriSegment = Position | EsriArc | EsriBezier;

interface EsriArc {
  readonly c: readonly [Position, Position];
}

interface EsriBezier {
  readonly b: readonly [Position, Position, Position];
}

/** Pieces of a curve: an arc of a quarter circle gets 32, which leaves 0.03 % of its radius. */
const PIECES = 32;

/** Replaces the curves of a path by vertices on them. @throws Error for an elliptic arc or an unknown segment. */
export function straightPath(segments: readonly EsriSegment[]): Position[] {
  const path: Position[] = [];
  for (const segment of segments) {
    const from = path.at(-1);
    if (Array.isArray(segment)) path.push(segment as Position);
    else if (!from) throw new Error('a curve has no start');
    else if ('c' in segment) path.push(...arc(from, ...segment.c));
    else if ('b' in segment) path.push(...bezier(from, ...segment.b));
    else throw new Error(`unknown kind of curve: ${Object.keys(segment).join(', ')}`);
  }
  return path;
}

function arc(from: Position, end: Position, through: Position): Position[] {
  const centre = centreOf(from, through, end);
  if (!centre) return [end];
  const [cx, cy] = centre;
  const angleOf = ([x = 0, y = 0]: Position) => Math.atan2(y - cy, x - cx);
  const radius = Math.hypot((from[0] ?? 0) - cx, (from[1] ?? 0) - cy);
  const [start, middle] = [angleOf(from), angleOf(through)];
  const turn = (angle: number) => (((angle - start) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
  // A whole circle ends where it starts; otherwise the point on the arc decides its direction.
  const isClosed = from[0] === end[0] && from[1] === end[1];
  const forward = isClosed ? 2 * Math.PI : turn(angleOf(end));
  const sweep = isClosed || turn(middle) <= forward ? forward : forward - 2 * Math.PI;
  const inner = Array.from({ length: PIECES - 1 }, (_, i): Position => {
    const angle = start + (sweep * (i + 1)) / PIECES;
    return [cx + radius * Math.cos(angle), cy + radius * Math.sin(angle)];
  });
  return [...inner, end];
}

/** Centre of the circle through three points; null when they lie on a line. */
function centreOf(a: Position, b: Position, c: Position): [number, number] | null {
  const [ax = 0, ay = 0] = a;
  const [bx, by] = [(b[0] ?? 0) - ax, (b[1] ?? 0) - ay];
  const [cx, cy] = [(c[0] ?? 0) - ax, (c[1] ?? 0) - ay];
  // A whole circle: the point on it lies opposite.
  if (cx === 0 && cy === 0) return [ax + bx / 2, ay + by / 2];
  const d = 2 * (bx * cy - by * cx);
  if (Math.abs(d) < 1e-18) return null;
  const [b2, c2] = [bx * bx + by * by, cx * cx + cy * cy];
  return [ax + (cy * b2 - by * c2) / d, ay + (bx * c2 - cx * b2) / d];
}

function bezier(from: Position, end: Position, first: Position, second: Position): Position[] {
  return Array.from({ length: PIECES }, (_, i): Position => {
    const t = (i + 1) / PIECES;
    const weights = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t ** 2, t ** 3] as const;
    const mix = (axis: 0 | 1) =>
      [from, first, second, end].reduce((sum, point, k) => sum + weights[k]! * (point[axis] ?? 0), 0);
    return i === PIECES - 1 ? end : [mix(0), mix(1)];
  });
}
