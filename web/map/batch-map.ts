/** The results of a batch on the map: a point for each row that has a place, by outcome or by what it has of a layer. */
import { drawingAround } from './drawings.ts';
import { circles, styleWith, type Look } from './map-style.ts';
import { circle, geojson, point } from './near-features.ts';
import { looks } from './palette.ts';

/** A row: its outcome, or what it has of a layer. */
export type Point = { lat: number; lon: number; kind: keyof typeof looks };

/** The view holds at least so much around the points, in metres. */
const AROUND_M = 250;

export function drawingOfPoints(points: readonly Point[]) {
  const around = cornersOf(points).flatMap((corner) => circle(corner, AROUND_M));
  return drawingAround(pointsStyle(points), around);
}

function pointsStyle(points: readonly Point[]) {
  const features = points.map(({ kind, ...at }) =>
    point(at, { ...looks[kind], order: Object.keys(looks).indexOf(kind) }),
  );
  const got = (name: string) => ['get', name];
  const paint = { radius: got('radius'), color: got('colour'), 'stroke-color': got('edge'), 'stroke-width': 1.5 };
  const layer = circles('results', 'results', paint, { layout: { 'circle-sort-key': got('order') } });
  return (look: Look) => styleWith(look, { sources: { results: geojson(features) }, layers: [layer] });
}

/** The south-west and the north-east corner around all points. */
function cornersOf(points: readonly { lat: number; lon: number }[]) {
  const from = { lat: Infinity, lon: Infinity };
  const to = { lat: -Infinity, lon: -Infinity };
  for (const one of points)
    for (const axis of ['lat', 'lon'] as const) {
      from[axis] = Math.min(from[axis], one[axis]);
      to[axis] = Math.max(to[axis], one[axis]);
    }
  return [from, to];
}
