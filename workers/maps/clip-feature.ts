/** Converts a feature to GeoJSON, clipped to a disc. */
import type Gdal from 'gdal-async';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import type { NearFeature } from '../../src/messages/wire/near-geometry.ts';
import { gdal } from '../geopackage/gdal.ts';
import { signedArea } from '../geometry/ring.ts';
import { toDegrees } from '../geopackage/spatial-reference.ts';
import type { Attribute } from '../geopackage/attribute.ts';

/** Tolerance of simplified outlines, below what a map of this scale can show. Metres. */
export const SIMPLIFY_M = 0.5;
/** Decimals of a degree: 0.1 m. */
const DECIMALS = 6;

export interface FoundFeature {
  readonly dataSet: DataSetDefinition;
  readonly geometry: Gdal.Geometry;
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Ground metres. */
  readonly distanceM: number;
}

/**
 * Returns the part of the feature inside the disc, in degrees; null when only a corner of its box is inside.
 * @param toleranceM metres that outlines may be away from the vertices that are left out.
 */
export function clipFeature(
  { dataSet, geometry, distanceM }: FoundFeature,
  label: string | null,
  { disc, toleranceM }: { disc: Gdal.Geometry; toleranceM: number },
): NearFeature | null {
  const part = disc.contains(geometry) ? geometry : geometry.intersection(disc);
  const parts = partsInDegrees(part, { like: geometry, toleranceM });
  const [first] = parts;
  if (!first) return null;
  return {
    type: 'Feature',
    properties: { dataSet: dataSet.id, label, distanceM: roundDistance(distanceM) },
    geometry:
      parts.length === 1 ? first : { type: `Multi${first.type}`, coordinates: parts.map((one) => one.coordinates) },
  };
}

/** To decimetres. */
export function roundDistance(distanceM: number): number {
  return Math.round(distanceM * 10) / 10;
}

/** Returns what a geometry has of the dimension of another one, simplified. */
export function partsInDegrees(
  part: Gdal.Geometry,
  { like, toleranceM }: { readonly like: Gdal.Geometry; readonly toleranceM: number },
): SinglePart[] {
  return sameDimension(part.simplifyPreserveTopology(toleranceM), like);
}

interface SinglePart {
  readonly type: 'Point' | 'LineString' | 'Polygon';
  readonly coordinates: readonly unknown[];
}

/**
 * Keeps the single parts with the dimension of the whole. Where a polygon only touches the circle, clipping also
 * returns points and lines.
 */
function sameDimension(part: Gdal.Geometry, whole: Gdal.Geometry): SinglePart[] {
  if (part.isEmpty()) return [];
  if (part instanceof gdal.GeometryCollection) {
    return Array.from({ length: part.children.count() }, (_, i) => part.children.get(i)).flatMap((child) =>
      sameDimension(child, whole),
    );
  }
  return part.dimension === whole.dimension ? [inDegrees(part)] : [];
}

function inDegrees(part: Gdal.Geometry): SinglePart {
  const copy = part.clone();
  copy.transform(toDegrees());
  const { type, coordinates } = roundCoordinates(JSON.parse(copy.toJSON()) as SinglePart);
  return { type, coordinates: type === 'Polygon' ? (coordinates as number[][][]).map(turned) : coordinates };
}

/** Turns a ring of a polygon as RFC 7946 has it: the outer one counterclockwise, holes clockwise. Circles and sources turn either way. */
function turned(ring: readonly number[][], place: number): readonly number[][] {
  return signedArea(ring.flat()) > 0 === (place === 0) ? ring : ring.toReversed();
}

function roundCoordinates({ type, coordinates }: SinglePart): SinglePart {
  const round = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.slice(0, isPosition(value) ? 2 : value.length).map(round)
      : Number(Number(value).toFixed(DECIMALS));
  return { type, coordinates: round(coordinates) as unknown[] };
}

/** A position may have a height, which the map does not need. */
function isPosition(value: readonly unknown[]): boolean {
  return typeof value[0] === 'number';
}

export function countVertices(coordinates: readonly unknown[]): number {
  if (isPosition(coordinates)) return 1;
  return coordinates.reduce<number>((sum, inner) => sum + (Array.isArray(inner) ? countVertices(inner) : 0), 0);
}
