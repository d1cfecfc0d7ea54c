/** House numbers and street names of the address register, where no other map is beneath. Pictures of texts, because a map draws texts from fonts of a server. */
import { metresPerDegree } from './ground.js';

/**
 * @typedef {import('./map-style.js').MapBody} MapBody
 * @typedef {import('../src/shared/wire/near-geometry.ts').AddressNear} AddressNear
 */

/** A picture has this many pixels for one of the map. */
const SHARPNESS = 2;

/** Streets with fewer numbers have no direction. */
const LEAST_NUMBERS = 3;

/**
 * @param {MapBody | null} body null: another map has names
 */
export function addressSource(body) {
  const addresses = body?.geometry?.addresses ?? [];
  const streets = [...new Set(addresses.map(({ street }) => street))];
  const features = [
    ...addresses.map(({ number, lat, lon }, order) => label({ lat, lon }, { text: `number:${number}`, order })),
    ...streets.map((street, order) =>
      label(middleOf(addresses.filter((one) => one.street === street)), { text: `street:${street}`, order }),
    ),
  ];
  return { addresses: { type: 'geojson', data: { type: 'FeatureCollection', features } } };
}

/**
 * @param {{ lat: number, lon: number, turn?: number }} place
 * @param {{ text: string, order: number }} what order: what comes first has the room
 */
const label = ({ lat, lon, turn = 0 }, { text, order }) => ({
  type: 'Feature',
  properties: { text, order, turn, isStreet: text.startsWith('street:') },
  geometry: { type: 'Point', coordinates: [lon, lat] },
});

/**
 * The middle of the numbers along a street, and how the street runs there.
 * @param {readonly AddressNear[]} along
 */
function middleOf(along) {
  const mean = (/** @type {'lat' | 'lon'} */ axis) => along.reduce((sum, one) => sum + one[axis], 0) / along.length;
  const [lat, lon] = [mean('lat'), mean('lon')];
  const { north, east } = metresPerDegree(lat);
  let [xx, xy, yy] = [0, 0, 0];
  for (const one of along) {
    const [x, y] = [(one.lon - lon) * east, (one.lat - lat) * north];
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  // Clockwise, as the map turns pictures; between -90 and 90 degrees, so that no name stands on its head.
  const turn = along.length < LEAST_NUMBERS ? 0 : (-0.5 * Math.atan2(2 * xy, xx - yy) * 180) / Math.PI;
  return { lat, lon, turn };
}

/**
 * Streets first: their names have the room.
 * @param {boolean} hasBase
 */
export function addressLayers(hasBase) {
  if (hasBase) return [];
  const layer = (/** @type {string} */ id, /** @type {unknown[]} */ filter, /** @type {object} */ layout) => ({
    ...{ id, type: 'symbol', source: 'addresses', filter },
    layout: { 'icon-image': ['get', 'text'], 'symbol-sort-key': ['get', 'order'], ...layout },
  });
  const isStreet = ['get', 'isStreet'];
  return [
    {
      id: 'house-points',
      type: 'circle',
      source: 'addresses',
      filter: ['!', isStreet],
      minzoom: 15,
      paint: { 'circle-radius': 1.5, 'circle-color': '#55626a' },
    },
    layer('house-numbers', ['!', isStreet], { 'icon-anchor': 'bottom', 'icon-offset': [0, -7] }),
    layer('street-names', isStreet, {
      'icon-rotate': ['get', 'turn'],
      'icon-rotation-alignment': 'map',
      // Beside the numbers, and beside the place that the map is about.
      'icon-offset': [0, 16],
    }),
  ];
}

/**
 * The picture that a label asks for; null when it is none.
 * @param {string} id
 */
export function labelImage(id) {
  const [kind, text = ''] = [id.slice(0, 6), id.slice(7)];
  if (kind !== 'number' && kind !== 'street') return null;
  const context = contextOf(1, 1);
  const font = kind === 'street' ? 'italic 600 12px system-ui, sans-serif' : '600 11px system-ui, sans-serif';
  context.font = font;
  const width = Math.ceil(context.measureText(text).width) + 6;
  const drawn = contextOf(width, 16);
  Object.assign(drawn, { font, lineWidth: 3, lineJoin: 'round', textBaseline: 'middle' });
  Object.assign(drawn, { strokeStyle: '#fffdf8', fillStyle: kind === 'street' ? '#55626a' : '#1f2a30' });
  drawn.strokeText(text, 3, 8.5);
  drawn.fillText(text, 3, 8.5);
  return imageOf(drawn);
}

/** Stripes where the data of hazards do not reach, as in the rows of what is not known. */
export function hatchImage() {
  const context = contextOf(16, 16);
  Object.assign(context, { strokeStyle: 'rgb(138 90 0 / 35%)', lineWidth: 1.5 });
  for (const start of [-16, 0, 16]) {
    context.moveTo(start - 1, 17);
    context.lineTo(start + 17, -1);
  }
  context.stroke();
  return imageOf(context);
}

/**
 * @param {number} width
 * @param {number} height
 */
function contextOf(width, height) {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: width * SHARPNESS, height: height * SHARPNESS });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.scale(SHARPNESS, SHARPNESS);
  return context;
}

/** @param {CanvasRenderingContext2D} context */
const imageOf = (context) => ({
  image: context.getImageData(0, 0, context.canvas.width, context.canvas.height),
  options: { pixelRatio: SHARPNESS },
});
