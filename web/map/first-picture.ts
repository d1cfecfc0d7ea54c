/**
 * A picture of a map on a plain canvas, from the same style as the map itself, without a map beneath. It stands at once, before the map's library is there;
 * browsers that cannot draw the map keep it, and paper gets it.
 */
import { hatchCanvas, labelCanvas, SHARPNESS } from './map-labels.ts';
import { HATCH, type Filter, type Layer } from './map-style.ts';
import { linesOf, type Feature } from './near-features.ts';
import type { Bounds, Drawing } from './drawings.ts';
import type { Position } from '../shared/area.ts';
import type { Ground } from './palette.ts';

/** `at`: the pixel of a position. */
type View = { at: (position: Position) => Position; zoom: number };

/** Pixels that are left at each edge of the map. */
export const PADDING_PX = 12;

/** The nearest that a map goes. */
export const MOST_ZOOM = 19;

/** Pixels of the whole world at zoom 0. */
const WORLD_PX = 512;

/** `lit`: the data sets that somebody points at. `padding`: pixels that are left at each edge. */
export type PictureOptions = {
  bounds: Bounds;
  ground: Ground;
  width: number;
  height: number;
  sharpness: number;
  padding?: number;
  lit?: readonly string[] | null;
};

export function drawFirst(canvas: HTMLCanvasElement, { styleOf }: Drawing, options: PictureOptions) {
  const { bounds, ground, width, height, sharpness, padding = PADDING_PX, lit = null } = options;
  Object.assign(canvas, { width: width * sharpness, height: height * sharpness });
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.scale(sharpness, sharpness);
  const view = viewOf(bounds, { width, height, padding });
  const { sources, layers } = styleOf({ base: { sources: {}, layers: [] }, ground, lit });
  const drawn = layers.filter(({ layout, minzoom = 0 }) => layout?.['visibility'] !== 'none' && view.zoom >= minzoom);
  const featuresOf = ({ source = '', filter }: Layer) =>
    (sources[source]?.data?.features ?? []).filter((feature) => passes(filter, feature));
  for (const layer of drawn) {
    context.save();
    if (layer.type === 'background') {
      context.fillStyle = layer.paint?.['background-color'] as string;
      context.fillRect(0, 0, width, height);
    }
    drawLayer(context, layer, { features: featuresOf(layer), view });
    context.restore();
  }
  // What is above has the room.
  const names = drawn.filter(({ type }) => type === 'symbol').reverse();
  drawNames(
    context,
    names.flatMap((layer) => featuresOf(layer).map((feature) => ({ feature, layer }))),
    { view, ground },
  );
}

/** Draws each name that has room: what comes first takes it. */
function drawNames(
  context: CanvasRenderingContext2D,
  names: readonly { feature: Feature; layer: Layer }[],
  { view, ground }: { view: View; ground: Ground },
) {
  const taken: Box[] = [];
  for (const { feature, layer } of names) {
    const picture = labelCanvas(feature.properties['picture'] as string, ground);
    if (!picture) continue;
    const [x, y] = view.at(linesOf(feature.geometry)[0]?.[0] as Position);
    const [width, height] = [picture.width / SHARPNESS, picture.height / SHARPNESS];
    const { 'icon-offset': [, down] = [0, 0], 'icon-anchor': anchor, ...layout } = (layer.layout ?? {}) as NameLayout;
    const turn = layout['icon-rotate'] ? ((feature.properties['turn'] as number) * Math.PI) / 180 : 0;
    const middle = y + down - (anchor === 'bottom' ? height / 2 : 0);
    const [cos, sin] = [Math.abs(Math.cos(turn)), Math.abs(Math.sin(turn))];
    const [halfWidth, halfHeight] = [(width * cos + height * sin) / 2, (width * sin + height * cos) / 2];
    const box = { west: x - halfWidth, east: x + halfWidth, north: middle - halfHeight, south: middle + halfHeight };
    if (!layout['icon-allow-overlap'] && taken.some((other) => meet(box, other))) continue;
    taken.push(box);
    context.save();
    context.translate(x, middle);
    context.rotate(turn);
    context.drawImage(picture, -width / 2, -height / 2, width, height);
    context.restore();
  }
}

type NameLayout = {
  'icon-offset'?: Position;
  'icon-anchor'?: string;
  'icon-rotate'?: unknown;
  'icon-allow-overlap'?: boolean;
};
type Box = { west: number; east: number; north: number; south: number };

const meet = (a: Box, b: Box) => a.west < b.east && b.west < a.east && a.north < b.south && b.north < a.south;

function drawLayer(
  context: CanvasRenderingContext2D,
  { type, layout = {}, paint = {} }: Layer,
  { features, view }: { features: readonly Feature[]; view: View },
) {
  for (const feature of features) painters[type]?.(context, { feature, paint: paintFor(feature, paint), layout, view });
}

/** As the map fits bounds into its frame. */
function viewOf(
  [west, south, east, north]: Bounds,
  { width, height, padding }: { width: number; height: number; padding: number },
): View {
  const [[left, bottom], [right, top]] = [project([west, south]), project([east, north])];
  const fitting = [(width - 2 * padding) / (right - left), (height - 2 * padding) / (bottom - top)];
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
  'line-opacity'?: number;
  'line-width'?: number;
  'line-dasharray'?: readonly number[];
  'circle-color': string;
  'circle-opacity'?: number;
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
    context.globalAlpha = paint['line-opacity'] ?? 1;
    context.lineWidth = width;
    context.lineJoin = layout['line-join'] ?? 'miter';
    context.lineCap = layout['line-cap'] ?? 'butt';
    context.setLineDash((paint['line-dasharray'] ?? []).map((part) => part * width));
    context.stroke(pathOf(feature, view));
  },
  circle: (context, { feature, paint, view }) => {
    const border = paint['circle-stroke-width'] ?? 0;
    context.globalAlpha = paint['circle-opacity'] ?? 1;
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
