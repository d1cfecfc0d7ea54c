import { nestRings } from './nest-rings.ts';
import type { GeoJsonGeometry, Position } from '../../messages/import.ts';

type Path = readonly Position[];

interface EsriGeometry {
  readonly x?: unknown;
  readonly y?: unknown;
  readonly points?: readonly Position[];
  readonly paths?: readonly Path[];
  readonly rings?: readonly Path[];
  readonly curvePaths?: readonly (readonly EsriSegment[])[];
  readonly curveRings?: readonly (readonly EsriSegment[])[];
}

/**
 * Converts an Esri JSON geometry to GeoJSON; null when it is empty. Curves become short straight
 * edges. Where a coordinate is no finite number, it is null in the result, so that the whole feature is left out and counted: without a ring or a vertex
 * it would be another area. Format: "Geometry objects" of the ArcGIS REST API.
 * @throws Error for an unknown kind of curve or of geometry.
 */
export function fromEsri(json: unknown): GeoJsonGeometry | null {
  if (json === null || json === undefined) return null;
  if (typeof json !== 'object') throw new Error(`a geometry that is no object: ${JSON.stringify(json).slice(0, 40)}`);
  const geometry = json as EsriGeometry;
  const rings = geometry.rings ?? geometry.curveRings?.map(straight);
  if (rings) return polygonOf(rings.map(flat));
  const paths = geometry.paths ?? geometry.curvePaths?.map(straight);
  if (paths) return orNull({ type: 'MultiLineString', coordinates: paths.map(flat) });
  if (geometry.points) return orNull({ type: 'MultiPoint', coordinates: flat(geometry.points) });
  return pointOf(geometry);
}

function orNull<T extends GeoJsonGeometry>(geometry: T): T | null {
  return geometry.coordinates.length > 0 ? geometry : null;
}

/** Members that say how a geometry is written. */
const descriptions: readonly string[] = ['spatialReference', 'hasZ', 'hasM', 'x', 'y', 'z', 'm', 'id'];

function pointOf({ x, y, ...others }: EsriGeometry): GeoJsonGeometry | null {
  const unknown = Object.keys(others).filter((name) => !descriptions.includes(name));
  if (x === undefined && y === undefined && unknown.length > 0)
    throw new Error(`unknown kind of geometry: ${unknown.join(', ')}`);
  // An empty point is written as null or "NaN".
  if ([x, y].every((one) => one === undefined || one === null || one === 'NaN')) return null;
  return { type: 'Point', coordinates: position([x, y]) };
}

/** Without height and measure, which are often "NaN". */
function flat(path: Path): Path {
  return path.map(position);
}

/** Numbers alone go into the arithmetic, which would take null for 0. */
function straight(segments: readonly EsriSegment[]): Path {
  return straightPath(segments.map(asNumbers));
}

function asNumbers(segment: EsriSegment): EsriSegment {
  if (typeof segment !== 'object' || Array.isArray(segment)) return position(segment);
  return Object.fromEntries(
    Object.entries(segment).map(([kind, places]) => [kind, (places as readonly unknown[]).map(position)]),
  ) as unknown as EsriSegment;
}

function position(given: unknown): Position {
  const [x, y] = Array.isArray(given) ? (given as readonly unknown[]) : [];
  return [coordinate(x), coordinate(y)];
}

/** NaN, which JSON writes as null, for what is no finite number. */
function coordinate(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : NaN;
}

/** A ring without an area is no ring: two places, or one that goes there and back. */
const FEWEST_POSITIONS = 4;

function polygonOf(given: readonly Path[]): GeoJsonGeometry | null {
  if (given.flat().some((one) => one.includes(NaN))) return { type: 'Polygon', coordinates: given };
  const rings = given.map(closed).filter(({ length }) => length >= FEWEST_POSITIONS);
  return orNull({ type: 'MultiPolygon', coordinates: nestRings(rings) });
}

function closed(ring: Path): Path {
  const [first, last] = [ring[0], ring.at(-1)];
  return first && last && (first[0] !== last[0] || first[1] !== last[1]) ? [...ring, first] : ring;
}

/** A vertex, a circular arc (end, a point on it) or a cubic Bézier (end, two control points). */
type EsriSegment =
  | Position
  | { readonly c: readonly [Position, Position] }
  | { readonly b: readonly [Position, Position, Position] };

/** Radians of an arc that a straight piece spans: half a degree, which leaves 0.001 % of the radius, 5 cm of one of 5 km. */
const ARC_STEP = Math.PI / 360;

/** Pieces of a Bézier curve, which seldom turns by more than a quarter of a circle. */
const BEZIER_PIECES = 180;

/** Replaces the curves of a path by vertices on them. @throws Error for an elliptic arc or an unknown segment. */
function straightPath(segments: readonly EsriSegment[]): Position[] {
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
  const pieces = Math.max(1, Math.ceil(Math.abs(sweep) / ARC_STEP));
  const inner = Array.from({ length: pieces - 1 }, (_, i): Position => {
    const angle = start + (sweep * (i + 1)) / pieces;
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
  return Array.from({ length: BEZIER_PIECES }, (_, i): Position => {
    const t = (i + 1) / BEZIER_PIECES;
    const weights = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t ** 2, t ** 3] as const;
    const mix = (axis: 0 | 1) =>
      [from, first, second, end].reduce((sum, point, k) => sum + weights[k]! * (point[axis] ?? 0), 0);
    return i === BEZIER_PIECES - 1 ? end : [mix(0), mix(1)];
  });
}
