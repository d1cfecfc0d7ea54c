import { straightPath, type EsriSegment } from './esri-curve.ts';
import type { GeoJsonGeometry, Position } from '../shared/downloads/feature.ts';

type Ring = readonly Position[];

interface EsriGeometry {
  readonly x?: unknown;
  readonly y?: unknown;
  readonly points?: readonly Position[];
  readonly paths?: readonly Ring[];
  readonly rings?: readonly Ring[];
  readonly curvePaths?: readonly (readonly EsriSegment[])[];
  readonly curveRings?: readonly (readonly EsriSegment[])[];
}

/**
 * Converts an Esri JSON geometry to GeoJSON; null when it is empty or not a geometry. Curves become short straight
 * edges. Format: "Geometry objects" of the ArcGIS REST API.
 * @throws Error for an unknown kind of curve.
 */
export function fromEsri(json: unknown): GeoJsonGeometry | null {
  if (typeof json !== 'object' || json === null) return null;
  const geometry = json as EsriGeometry;
  const rings = geometry.rings ?? geometry.curveRings?.map(straightPath);
  if (rings) return polygonOf(rings.filter((ring) => ring.length >= 4));
  const paths = geometry.paths ?? geometry.curvePaths?.map(straightPath);
  if (paths) return orNull({ type: 'MultiLineString', coordinates: paths });
  if (geometry.points) return orNull({ type: 'MultiPoint', coordinates: geometry.points });
  return pointOf(geometry);
}

function orNull<T extends GeoJsonGeometry>(geometry: T): T | null {
  return geometry.coordinates.length > 0 ? geometry : null;
}

function pointOf({ x, y }: EsriGeometry): GeoJsonGeometry | null {
  // An empty point is written as null or "NaN".
  return typeof x === 'number' && typeof y === 'number' ? { type: 'Point', coordinates: [x, y] } : null;
}

/** Clockwise rings are shells, and the others are holes. A hole that is in no shell counts as a shell. */
function polygonOf(rings: readonly Ring[]): GeoJsonGeometry | null {
  const shells = rings.filter((ring) => signedArea(ring) <= 0).map((ring) => ({ rings: [ring], box: boxOf(ring) }));
  for (const hole of rings.filter((ring) => signedArea(ring) > 0)) {
    const [x = NaN, y = NaN] = hole[0] ?? [];
    const around = shells.filter(({ box }) => x >= box.minX && x <= box.maxX && y >= box.minY && y <= box.maxY);
    const owner = around.length > 1 ? smallestAround(around, hole) : around[0];
    if (owner) owner.rings.push(hole);
    else shells.push({ rings: [hole], box: boxOf(hole) });
  }
  if (shells.length === 0) return null;
  return { type: 'MultiPolygon', coordinates: shells.map((shell) => shell.rings) };
}

interface Shell {
  readonly rings: Ring[];
  readonly box: ReturnType<typeof boxOf>;
}

/** Finds the innermost shell that contains the hole, because there are islands in lakes on islands. */
function smallestAround(shells: readonly Shell[], hole: Ring): Shell | undefined {
  return shells
    .filter(({ rings }) => holds(rings[0]!, hole))
    .sort((a, b) => Math.abs(signedArea(a.rings[0]!)) - Math.abs(signedArea(b.rings[0]!)))[0];
}

/** Says whether most of the hole's vertices are in the shell; some may be on its edge. */
function holds(shell: Ring, hole: Ring): boolean {
  const inside = hole.filter((position) => isInside(shell, position)).length;
  return inside * 2 > hole.length;
}

function isInside(ring: Ring, [x = NaN, y = NaN]: Position): boolean {
  let inside = false;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [xi = NaN, yi = NaN] = ring[i]!;
    const [xj = NaN, yj = NaN] = ring[j]!;
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

/** Returns twice the area; negative when clockwise. Relative to the first vertex, for precision. */
function signedArea(ring: Ring): number {
  const [x0 = 0, y0 = 0] = ring[0] ?? [];
  let sum = 0;
  for (let i = 1; i < ring.length; i++) {
    const [xa = 0, ya = 0] = ring[i - 1]!;
    const [xb = 0, yb = 0] = ring[i]!;
    sum += (xa - x0) * (yb - y0) - (xb - x0) * (ya - y0);
  }
  return sum;
}

function boxOf(ring: Ring) {
  const box = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity };
  for (const [x = NaN, y = NaN] of ring) {
    box.minX = Math.min(box.minX, x);
    box.maxX = Math.max(box.maxX, x);
    box.minY = Math.min(box.minY, y);
    box.maxY = Math.max(box.maxY, y);
  }
  return box;
}
