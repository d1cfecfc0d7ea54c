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
