/** An axis-aligned box in projection metres. */
export interface Box {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

/** Whether two closed boxes have a point in common. */
export function meets(a: Box, b: Box): boolean {
  return a.minX <= b.maxX && a.maxX >= b.minX && a.minY <= b.maxY && a.maxY >= b.minY;
}

export function isWithin(inner: Box, outer: Box): boolean {
  return inner.minX >= outer.minX && inner.maxX <= outer.maxX && inner.minY >= outer.minY && inner.maxY <= outer.maxY;
}

export function grow(box: Box, by: number): Box {
  return { minX: box.minX - by, minY: box.minY - by, maxX: box.maxX + by, maxY: box.maxY + by };
}

/** Returns the least box that contains both. */
export function union(a: Box, b: Box): Box {
  return {
    minX: Math.min(a.minX, b.minX),
    minY: Math.min(a.minY, b.minY),
    maxX: Math.max(a.maxX, b.maxX),
    maxY: Math.max(a.maxY, b.maxY),
  };
}

/** Returns the parameters between which a segment is in the closed box (Liang and Barsky); null when it never is. */
export function spanInside(ax: number, ay: number, bx: number, by: number, box: Box): readonly [number, number] | null {
  const dx = bx - ax;
  const dy = by - ay;
  let from = 0;
  let to = 1;
  if (dx !== 0) {
    const west = (box.minX - ax) / dx;
    const east = (box.maxX - ax) / dx;
    from = Math.max(from, Math.min(west, east));
    to = Math.min(to, Math.max(west, east));
  } else if (ax < box.minX || ax > box.maxX) return null;
  if (dy !== 0) {
    const south = (box.minY - ay) / dy;
    const north = (box.maxY - ay) / dy;
    from = Math.max(from, Math.min(south, north));
    to = Math.min(to, Math.max(south, north));
  } else if (ay < box.minY || ay > box.maxY) return null;
  return from <= to ? [from, to] : null;
}

/** Returns the bounds of flat coordinates: x0, y0, x1, y1, … */
export function boundsOf(xy: ArrayLike<number>): Box {
  let minX = Infinity;
  let minY = Infinity;
  let maxX = -Infinity;
  let maxY = -Infinity;
  for (let i = 0; i < xy.length; i += 2) {
    const x = xy[i]!;
    const y = xy[i + 1]!;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  return { minX, minY, maxX, maxY };
}

/** Returns the bounds of at least one thing that has its own. */
export function boundsOfAll(things: readonly { readonly box: Box }[]): Box {
  let { minX, minY, maxX, maxY } = things[0]!.box;
  for (const { box } of things) {
    minX = Math.min(minX, box.minX);
    minY = Math.min(minY, box.minY);
    maxX = Math.max(maxX, box.maxX);
    maxY = Math.max(maxY, box.maxY);
  }
  return { minX, minY, maxX, maxY };
}
