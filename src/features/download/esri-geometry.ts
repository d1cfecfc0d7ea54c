import { straightPath, type EsriSegment } from './esri-curve.ts';
import { nestRings } from './nest-rings.ts';
import type { GeoJsonGeometry, Position } from '../../messages/downloads/feature.ts';

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
 * Converts an Esri JSON geometry to GeoJSON; null when it is empty or not a geometry. Curves become short straight
 * edges. Where a coordinate is no finite number, it is null in the result, so that the whole feature is left out and counted: without a ring or a vertex
 * it would be another area. Format: "Geometry objects" of the ArcGIS REST API.
 * @throws Error for an unknown kind of curve.
 */
export function fromEsri(json: unknown): GeoJsonGeometry | null {
  if (typeof json !== 'object' || json === null) return null;
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

function pointOf({ x, y }: EsriGeometry): GeoJsonGeometry | null {
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
