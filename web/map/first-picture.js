/**
 * The first picture of a map, on a plain canvas, from the same style as the map itself. It stands at once; the map's library takes half a second
 * without a graphics card, and more until it is loaded. It has no names, and nothing of a base map.
 */
import { hatchCanvas, SHARPNESS } from './map-labels.js';
import { HATCH } from './map-style.js';
import { linesOf } from './near-features.js';

/**
 * @typedef {import('./drawings.js').Bounds} Bounds
 * @typedef {import('./drawings.js').Drawing} Drawing
 * @typedef {import('../shared/geojson-input.js').Position} Position
 * @typedef {{ type: string, geometry: any, properties: Record<string, any> }} Feature
 * @typedef {{ at: (position: Position) => Position, zoom: number }} View at: the pixel of a position
 */

/** Pixels that are left at each edge of the map. */
export const PADDING_PX = 12;

/** The nearest that a map goes. */
export const MOST_ZOOM = 19;

/** Pixels of the whole world at zoom 0. */
const WORLD_PX = 512;

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Drawing} drawing
 */
export function drawFirst(canvas, { styleOf, bounds }) {
  canvas.hidden = false;
  const { clientWidth: width, clientHeight: height } = canvas;
  Object.assign(canvas, { width: width * devicePixelRatio, height: height * devicePixelRatio });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.scale(devicePixelRatio, devicePixelRatio);
  const view = viewOf(bounds, width, height);
  const { sources, layers } = styleOf({ sources: {}, layers: [] });
  for (const { type, source, filter, minzoom = 0, layout = {}, paint = {} } of layers) {
    if (layout.visibility === 'none' || view.zoom < minzoom) continue;
    context.save();
    if (type === 'background') {
      context.fillStyle = paint['background-color'];
      context.fillRect(0, 0, width, height);
    }
    for (const feature of source ? sources[source].data.features : [])
      if (passes(filter, feature))
        painters[type]?.(context, { feature, paint: paintFor(feature, paint), layout, view });
    context.restore();
  }
}

/**
 * As the map fits bounds into its frame.
 * @param {Bounds} bounds
 * @param {number} width
 * @param {number} height
 * @returns {View}
 */
function viewOf([west, south, east, north], width, height) {
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

/**
 * The Mercator projection of the whole world onto a square with sides of 1, from the north-west.
 * @param {Position} position
 * @returns {Position}
 */
function project([lon, lat]) {
  return [(lon + 180) / 360, 0.5 - Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / (2 * Math.PI)];
}

/**
 * Whether a layer draws a feature. It knows the filters of this page's styles.
 * @param {any} filter
 * @param {Feature} feature
 * @returns {boolean}
 */
function passes(filter, feature) {
  if (filter === undefined) return true;
  const [operator, left, right] = filter;
  if (operator === 'all') return filter.slice(1).every((/** @type {any} */ one) => passes(one, feature));
  if (left[0] === 'geometry-type') return feature.geometry.type.endsWith(right);
  return feature.properties[left[1]] === right;
}

/**
 * @param {Feature} feature
 * @param {Record<string, any>} paint
 */
const paintFor = ({ properties }, paint) =>
  Object.fromEntries(
    Object.entries(paint).map(([name, value]) => [name, value[0] === 'get' ? properties[value[1]] : value]),
  );

/**
 * @typedef {{ feature: Feature, paint: Record<string, any>, layout: Record<string, any>, view: View }} Painted
 * @type {Record<string, (context: CanvasRenderingContext2D, painted: Painted) => void>}
 */
const painters = {
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
    context.setLineDash((paint['line-dasharray'] ?? []).map((/** @type {number} */ part) => part * width));
    context.stroke(pathOf(feature, view));
  },
  circle: (context, { feature, paint, view }) => {
    const border = paint['circle-stroke-width'] ?? 0;
    for (const position of linesOf(feature.geometry).flat()) {
      const [x, y] = view.at(position);
      for (const [colour, radius] of [
        [paint['circle-stroke-color'], paint['circle-radius'] + border],
        [paint['circle-color'], paint['circle-radius']],
      ]) {
        context.fillStyle = colour;
        context.beginPath();
        context.arc(x, y, radius, 0, 2 * Math.PI);
        context.fill();
      }
    }
  },
};

/** @param {CanvasRenderingContext2D} context */
function stripes(context) {
  const pattern = /** @type {CanvasPattern} */ (context.createPattern(hatchCanvas(), 'repeat'));
  pattern.setTransform(new DOMMatrix().scale(1 / SHARPNESS));
  return pattern;
}

/**
 * @param {Feature} feature
 * @param {View} view
 */
function pathOf(feature, view) {
  const path = new Path2D();
  for (const line of linesOf(feature.geometry))
    line.forEach((position, i) => path[i === 0 ? 'moveTo' : 'lineTo'](...view.at(position)));
  return path;
}
