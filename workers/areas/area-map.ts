/** Writes `geometry` of an answer to an area: the area as it was answered, and the features in it and around it. */
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { Coordinate } from '../../src/messages/lookup.ts';
import type { MapPolygons } from '../../src/messages/wire/near-geometry.ts';
import { project } from '../geopackage/projection.ts';
import { nestRings } from '../geometry/nest-rings.ts';
import type { ServedSnapshot } from '../engine/feature.ts';
import type { PreparedArea } from './project-area.ts';

/** How far beyond the area a map shows features, as a share of its reach, and within which limits. Metres. */
const AROUND = 1.5;
const LEAST_M = 300;
/** A square of the largest area fits. A longer area is shown in part. */
const MOST_M = 6000;

/** To 11 cm. */
const DECIMALS = 6;

/** @param asked further answers that are asked for. */
export function areaMapText(
  from: ServedSnapshot,
  area: PreparedArea,
  { lat, lon, asked }: Coordinate & { asked: Catalogue['answers'] },
): string {
  const at = project({ lat, lon });
  const reachM = Math.max(...area.rings.map(({ xy }) => farthest(xy, at))) / at.scale;
  const radiusM = Math.round(Math.min(Math.max(reachM * AROUND, LEAST_M), MOST_M));
  const text = from.writeGeometry({ ...at, lat, lon, radiusM }, 'map', asked);
  return `${text.slice(0, -1)},"area":${JSON.stringify(polygonsOf(area.outline))}}`;
}

function farthest(xy: ArrayLike<number>, at: { readonly x: number; readonly y: number }): number {
  let most = 0;
  for (let i = 0; i < xy.length; i += 2) most = Math.max(most, Math.hypot(xy[i]! - at.x, xy[i + 1]! - at.y));
  return most;
}

function polygonsOf(outline: PreparedArea['outline']): MapPolygons {
  const polygons = nestRings(outline.map((ring) => [...ring])).map((rings) => rings.map(positionsOf));
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0]! }
    : { type: 'MultiPolygon', coordinates: polygons };
}

function positionsOf(ring: readonly number[]): number[][] {
  const positions: number[][] = [];
  for (let i = 0; i < ring.length; i += 2)
    positions.push([Number(ring[i]!.toFixed(DECIMALS)), Number(ring[i + 1]!.toFixed(DECIMALS))]);
  return [...positions, positions[0]!];
}
