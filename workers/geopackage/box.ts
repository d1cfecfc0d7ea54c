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
  let [from, to] = [0, 1];
  const cut = (direction: number, room: number): boolean => {
    if (direction === 0) return room >= 0;
    const t = room / direction;
    if (direction < 0) from = Math.max(from, t);
    else to = Math.min(to, t);
    return from <= to;
  };
  const [dx, dy] = [bx - ax, by - ay];
  const isInside =
    cut(-dx, ax - box.minX) && cut(dx, box.maxX - ax) && cut(-dy, ay - box.minY) && cut(dy, box.maxY - ay);
  return isInside ? [from, to] : null;
}
