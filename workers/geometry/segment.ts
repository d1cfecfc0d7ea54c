/**
 * A place so near to an edge is on it, and so inside, on either side (docs/decisions/0003): the index rounds vertices by up to 7 mm. Metres of the
 * projection.
 */
export const ON_EDGE_M = 0.01;

/** Returns the squared distance from the origin to a segment. */
export function squaredToSegment(ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  const length = dx * dx + dy * dy;
  const along = -(ax * dx + ay * dy);
  const t = along <= 0 ? 0 : along >= length ? 1 : along / length;
  const nx = ax + t * dx;
  const ny = ay + t * dy;
  return nx * nx + ny * ny;
}

/** Whether two segments cross; where one only touches the other, a distance of 0 says so. */
export function crosses(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): boolean {
  const side = (px: number, py: number, qx: number, qy: number, x: number, y: number): boolean =>
    (qx - px) * (y - py) > (qy - py) * (x - px);
  return (
    side(ax, ay, bx, by, cx, cy) !== side(ax, ay, bx, by, dx, dy) &&
    side(cx, cy, dx, dy, ax, ay) !== side(cx, cy, dx, dy, bx, by)
  );
}
