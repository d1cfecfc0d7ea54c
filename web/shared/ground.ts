/** Lengths and areas on the ground, near enough for a map. */

type Position = [number, number];

/** Metres in a degree to the north and to the east, on the ellipsoid. */
export function metresPerDegree(lat: number) {
  const cos = (times: number) => Math.cos((times * lat * Math.PI) / 180);
  return { north: 111_132.95 - 559.85 * cos(2) + 1.17 * cos(4), east: 111_412.88 * cos(1) - 93.5 * cos(3) };
}

/** Square metres in a ring. */
export function ringArea(corners: readonly Position[]) {
  const [[lon, lat] = [0, 0]] = corners;
  const { north, east } = metresPerDegree(lat);
  const twice = corners.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = nextTo(corners, i);
    return sum + (x - lon) * (nextY - lat) - (nextX - lon) * (y - lat);
  }, 0);
  return Math.abs(twice / 2) * north * east;
}

/** Where a ring crosses itself. */
export function crossingsOf(corners: readonly Position[]): Position[] {
  const edges = corners.map((from, i) => [from, nextTo(corners, i)] as const);
  // Neighbours meet at a corner.
  return edges.flatMap((edge, i) =>
    edges.slice(i + 2, i === 0 ? -1 : undefined).flatMap((other) => crossing(edge, other) ?? []),
  );
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
