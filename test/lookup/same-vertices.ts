/** Quick ways to see that two shapes are the same up to a distance. */
type Position = readonly number[];
type Path = readonly Position[];

export interface Shape {
  readonly type: string;
  readonly coordinates: unknown;
}

/**
 * Says that each path of one has a path of the other with the same vertices in their order, none farther than `mostM` from its twin. A path may
 * run the other way round, and a ring may begin elsewhere. Their edges are then no farther apart either. "No" says nothing: the same
 * shape may be written with other vertices.
 */
export function haveSameVertices(a: Shape, b: Shape, mostM: number): boolean {
  const [ours, theirs] = [pathsOf(a), pathsOf(b)];
  if (kindOf(a) !== kindOf(b) || ours.length !== theirs.length) return false;
  return ours.every((path) => {
    const twin = theirs.findIndex((other) => isSamePath(path, other, mostM));
    if (twin >= 0) theirs.splice(twin, 1);
    return twin >= 0;
  });
}

/** Without "Multi": one part may be written either way. */
function kindOf({ type }: Shape): string {
  return type.replace('Multi', '');
}

/** The lines, rings or single points of a shape. */
function pathsOf(shape: Shape): Path[] {
  const paths = pathsIn(shape.coordinates);
  return kindOf(shape) === 'Point' ? paths.flatMap((path) => path.map((position) => [position])) : paths;
}

/** Coordinates as GeoJSON nests them. */
function pathsIn(coordinates: unknown): Path[] {
  if (!Array.isArray(coordinates)) return [];
  if (typeof coordinates[0] === 'number') return [[coordinates as Position]];
  const isPath = Array.isArray(coordinates[0]) && typeof coordinates[0][0] === 'number';
  return isPath ? [coordinates as Path] : coordinates.flatMap(pathsIn);
}

/**
 * Says that lines are the same, of which one are divided where they cross: each edge of `divided` lies within `mostM` of one edge of `whole`, and
 * both are of the same length up to `mostLengthM`, so no more of `whole` is without a twin. "No" says nothing, as above.
 */
export function areSameLines(divided: Shape, whole: Shape, mostM: number, mostLengthM: number): boolean {
  if (kindOf(divided) !== 'LineString' || kindOf(whole) !== 'LineString') return false;
  const [parts, edges] = [edgesOf(divided), edgesOf(whole)];
  if (Math.abs(lengthOf(parts) - lengthOf(edges)) > mostLengthM) return false;
  return parts.every(([from, to]) => edges.some((edge) => isBeside(from, edge, mostM) && isBeside(to, edge, mostM)));
}

type Edge = readonly [from: Position, to: Position];

function edgesOf(shape: Shape): Edge[] {
  return pathsOf(shape).flatMap((path) => path.slice(1).map((to, i): Edge => [path[i]!, to]));
}

function lengthOf(edges: readonly Edge[]): number {
  return edges.reduce((sum, [a, b]) => sum + Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!), 0);
}

function isBeside([x = 0, y = 0]: Position, [[x1 = 0, y1 = 0], [x2 = 0, y2 = 0]]: Edge, mostM: number): boolean {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const along = ((x - x1) * dx + (y - y1) * dy) / (dx ** 2 + dy ** 2 || 1);
  const t = Math.min(1, Math.max(0, along));
  return Math.hypot(x1 + t * dx - x, y1 + t * dy - y) <= mostM;
}

function isSamePath(a: Path, b: Path, mostM: number): boolean {
  if (a.length !== b.length) return false;
  const isRing = a.length > 3 && isNear(a[0]!, a.at(-1)!, 0) && isNear(b[0]!, b.at(-1)!, 0);
  if (!isRing) return isSameFrom(a, b, mostM) || isSameFrom(a, b.toReversed(), mostM);
  const [ring, other] = [a.slice(1), b.slice(1)];
  return [other, other.toReversed()].some((way) =>
    way.some(
      (start, i) => isNear(start, ring[0]!, mostM) && isSameFrom(ring, [...way.slice(i), ...way.slice(0, i)], mostM),
    ),
  );
}

function isSameFrom(a: Path, b: Path, mostM: number): boolean {
  return a.every((position, i) => isNear(position, b[i]!, mostM));
}

function isNear(a: Position, b: Position, mostM: number): boolean {
  return Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!) <= mostM;
}
