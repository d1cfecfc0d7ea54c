/**
 * The first picture of a map, on a plain canvas, from the same style as the map itself. It stands at once; the map's library takes half a second
 * without a graphics card, and more until it is loaded. It has no names, and nothing of a base map.
 */
import { hatchCanvas, SHARPNESS } from './map-labels.ts';
import { HATCH, type Feature, type Filter, type Layer } from './map-style.ts';
import { linesOf } from './near-features.ts';
import type { Bounds, Drawing } from './drawings.ts';
import type { Position } from '../shared/geojson-input.ts';

/** `at`: the pixel of a position. */
type View = { at: (position: Position) => Position; zoom: number };

/** Pixels that are left at each edge of the map. */
export const PADDING_PX = 12;

/** The nearest that a map goes. */
export const MOST_ZOOM = 19;

/** Pixels of the whole world at zoom 0. */
const WORLD_PX = 512;

export function drawFirst(canvas: HTMLCanvasElement, { styleOf, bounds }: Drawing) {
  canvas.hidden = false;
  const { clientWidth: width, clientHeight: height } = canvas;
  Object.assign(canvas, { width: width * devicePixelRatio, height: height * devicePixelRatio });
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.scale(devicePixelRatio, devicePixelRatio);
  const view = viewOf(bounds, width, height);
  const { sources, layers } = styleOf({ sources: {}, layers: [] });
  for (const layer of layers) {
    if (layer.layout?.['visibility'] === 'none' || view.zoom < (layer.minzoom ?? 0)) continue;
    context.save();
    if (layer.type === 'background') {
      context.fillStyle = layer.paint?.['background-color'] as string;
      context.fillRect(0, 0, width, height);
    }
    drawLayer(context, layer, { features: sources[layer.source ?? '']?.data?.features ?? [], view });
    context.restore();
  }
}

function drawLayer(
  context: CanvasRenderingContext2D,
  { type, filter, layout = {}, paint = {} }: Layer,
  { features, view }: { features: readonly Feature[]; view: View },
) {
  for (const feature of features)
    if (passes(filter, feature)) painters[type]?.(context, { feature, paint: paintFor(feature, paint), layout, view });
}

/** As the map fits bounds into its frame. */
function viewOf([west, south, east, north]: Bounds, width: number, height: number): View {
  const [[left, bottom], [right, top]] = [project([west, south]), project([east, north])];
  const fitting = [(width - 2 * PADDING_PX) / (right - left), (height - 2 * PADDING_PX) / (bottom - top)];
  const scale = Math.min(...fitting, WORLD_PX * 2 ** MOST_ZOOM);
  const [x0, y0] = [(left + right) / 2 - width / 2 / scale, (top + bottom) / 2 - height / 2 / scale];
  return {
    zoom: Math.log2(scale / WORLD_PX),
    at: (position) => {
      const [x, y] = project(position);
      return [(x - x0) * scale, (y - y0) * scale];
    },
  };
}

/** The Mercator projection of the whole world onto a square with sides of 1, from the north-west. */
function project([lon, lat]: Position): Position {
  return [(lon + 180) / 360, 0.5 - Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / (2 * Math.PI)];
}

/** Whether a layer draws a feature. It knows the filters of this page's styles. */
function passes(filter: Filter | undefined, feature: Feature): boolean {
  if (filter === undefined) return true;
  const [operator, left, right] = filter as readonly [string, readonly [string, string], string];
  if (operator === 'all') return filter.slice(1).every((one) => passes(one as Filter, feature));
  if (left[0] === 'geometry-type') return feature.geometry.type.endsWith(right);
  return feature.properties[left[1]] === right;
}

const paintFor = ({ properties }: Feature, paint: NonNullable<Layer['paint']>) =>
  Object.fromEntries(
    Object.entries(paint).map(([name, value]) => {
      const [operator, member] = Array.isArray(value) ? (value as [unknown, string]) : [];
      return [name, operator === 'get' ? properties[member ?? ''] : value];
    }),
  ) as Paint;

/** Properties of layers that this picture knows. Those of circles stand in every layer of circles. */
type Paint = {
  'fill-color': string;
  'fill-opacity'?: number;
  'fill-pattern'?: string;
  'line-color': string;
  'line-width'?: number;
  'line-dasharray'?: readonly number[];
  'circle-color': string;
  'circle-radius': number;
  'circle-stroke-color': string;
  'circle-stroke-width'?: number;
};
type Layout = { 'line-join'?: CanvasLineJoin; 'line-cap'?: CanvasLineCap };
type Painted = { feature: Feature; paint: Paint; layout: Layout; view: View };
const painters: Record<string, (context: CanvasRenderingContext2D, painted: Painted) => void> = {
  fill: (context, { feature, paint, view }) => {
    context.fillStyle = paint['fill-pattern'] === HATCH ? stripes(context) : paint['fill-color'];
    context.globalAlpha = paint['fill-opacity'] ?? 1;
    context.fill(pathOf(feature, view), 'evenodd');
  },
  line: (context, { feature, paint, layout, view }) => {
    const width = paint['line-width'] ?? 1;
    context.strokeStyle = paint['line-color'];
    context.lineWidth = width;
    context.lineJoin = layout['line-join'] ?? 'miter';
    context.lineCap = layout['line-cap'] ?? 'butt';
    context.setLineDash((paint['line-dasharray'] ?? []).map((part) => part * width));
    context.stroke(pathOf(feature, view));
  },
  circle: (context, { feature, paint, view }) => {
    const border = paint['circle-stroke-width'] ?? 0;
    for (const position of linesOf(feature.geometry).flat()) {
      const [x, y] = view.at(position);
      for (const [colour, radius] of [
        [paint['circle-stroke-color'], paint['circle-radius'] + border],
        [paint['circle-color'], paint['circle-radius']],
      ] as const) {
        context.fillStyle = colour;
        context.beginPath();
        context.arc(x, y, radius, 0, 2 * Math.PI);
        context.fill();
      }
    }
  },
};

function stripes(context: CanvasRenderingContext2D) {
  const pattern = context.createPattern(hatchCanvas(), 'repeat') as CanvasPattern;
  pattern.setTransform(new DOMMatrix().scale(1 / SHARPNESS));
  return pattern;
}

function pathOf(feature: Feature, view: View) {
  const path = new Path2D();
  for (const line of linesOf(feature.geometry))
    line.forEach((position, i) => {
      path[i === 0 ? 'moveTo' : 'lineTo'](...view.at(position));
    });
  return path;
}
