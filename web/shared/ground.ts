/** Lengths and areas on the ground, near enough for a map. */
import { polygonsOf, type AreaGeometry, type Position } from './area.ts';

/** Metres in a degree to the north and to the east, on the ellipsoid. */
export function metresPerDegree(lat: number) {
  const cos = (times: number) => Math.cos((times * lat * Math.PI) / 180);
  return { north: 111_132.95 - 559.85 * cos(2) + 1.17 * cos(4), east: 111_412.88 * cos(1) - 93.5 * cos(3) };
}

/** About how large an area is on the ground, in square metres. */
export function aboutM2(geometry: AreaGeometry) {
  const areaOfRings = ([outer = [], ...holes]: Position[][]) =>
    holes.reduce((left, hole) => left - ringArea(hole), ringArea(outer));
  return polygonsOf(geometry).reduce((sum, rings) => sum + areaOfRings(rings), 0);
}

/** Square metres in a ring; of one that crosses itself, what a repair leaves: all that it goes around an odd number of times. */
export function ringArea(corners: readonly Position[]) {
  const [[lon, lat] = [0, 0]] = corners;
  const { north, east } = metresPerDegree(lat);
  const crossings = crossingsOf(corners);
  if (crossings.length > 0) return crossedArea(corners, crossings) * north * east;
  const twice = corners.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = nextTo(corners, i);
    return sum + (x - lon) * (nextY - lat) - (nextX - lon) * (y - lat);
  }, 0);
  return Math.abs(twice / 2) * north * east;
}

/** The area in square degrees, in strips in which no edges cross: each is as wide as in its middle. */
function crossedArea(corners: readonly Position[], crossings: readonly Position[]) {
  const levels = [...corners, ...crossings].map(([, y]) => y).sort((a, b) => a - b);
  return levels.slice(1).reduce((sum, to, i) => {
    const from = levels[i] ?? to;
    const middle = (from + to) / 2;
    const at = corners.flatMap(([x, y], j) => {
      const [nextX, nextY] = nextTo(corners, j);
      return y < middle === nextY < middle ? [] : [x + ((middle - y) / (nextY - y)) * (nextX - x)];
    });
    at.sort((a, b) => a - b);
    const width = at.reduce((wide, x, j) => wide + (j % 2 === 0 ? -x : x), 0);
    return sum + width * (to - from);
  }, 0);
}

/** Where a ring crosses itself. Its last corner may be its first one again. */
export function crossingsOf(ring: readonly Position[]): Position[] {
  const [first, last] = [ring[0], ring.at(-1)];
  const corners = first?.[0] === last?.[0] && first?.[1] === last?.[1] ? ring.slice(0, -1) : ring;
  const edges = corners.map((from, i) => {
    const to = nextTo(corners, i);
    return { i, ends: [from, to] as const, west: Math.min(from[0], to[0]), east: Math.max(from[0], to[0]) };
  });
  // From west to east, so that each edge meets only those that begin before it ends.
  edges.sort((a, b) => a.west - b.west);
  // Neighbours meet at a corner.
  const areNeighbours = (a: number, b: number) => [1, corners.length - 1].includes(Math.abs(a - b));
  return edges.flatMap(({ i, ends, east }, place) => {
    const found: Position[] = [];
    for (let next = place + 1; next < edges.length; next++) {
      const other = edges[next];
      if (!other || other.west > east) break;
      if (!areNeighbours(i, other.i)) found.push(...(crossing(ends, other.ends) ?? []));
    }
    return found;
  });
}

const nextTo = (corners: readonly Position[], i: number) => corners[(i + 1) % corners.length] as Position;

/** Where two edges cross between their ends. */
function crossing(
  [[ax, ay], [bx, by]]: readonly [Position, Position],
  [[cx, cy], [dx, dy]]: readonly [Position, Position],
): [Position] | null {
  const across = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx);
  const along = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / across;
  const alongOther = ((cx - ax) * (by - ay) - (cy - ay) * (bx - ax)) / across;
  const isBetween = [along, alongOther].every((share) => share > 0 && share < 1);
  return isBetween ? [[ax + along * (bx - ax), ay + along * (by - ay)]] : null;
}

/** The place of a segment that is nearest to another place. */
export function nearestOnSegment(
  { lat, lon }: { lat: number; lon: number },
  [ax, ay]: Position,
  [bx, by]: Position,
): { at: Position; metres: number } {
  const { north, east } = metresPerDegree(lat);
  const [x, y, dx, dy] = [(ax - lon) * east, (ay - lat) * north, (bx - ax) * east, (by - ay) * north];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(x * dx + y * dy) / length));
  return { at: [ax + share * (bx - ax), ay + share * (by - ay)], metres: Math.hypot(x + share * dx, y + share * dy) };
}
