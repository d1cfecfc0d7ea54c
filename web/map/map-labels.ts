/**
 * House numbers and street names of the address register, where no other map is beneath. Pictures of texts, because a map draws texts from fonts of a
 * server.
 */
import { geojson, point } from './near-features.ts';
import { metresPerDegree } from '../shared/ground.ts';
import type { Look, MapBody } from './map-style.ts';
import type { Ground } from './palette.ts';
import type { AddressNear } from '../../src/messages/wire/near-geometry.ts';

/** A picture has this many pixels for one of the map. */
export const SHARPNESS = 2;

/** Of a street with fewer numbers one cannot say how it runs. */
const LEAST_NUMBERS = 3;

/** `address`: its number is named with its street. */
export function addressSource(body: MapBody & { address?: string | null }) {
  const addresses = body.geometry?.addresses ?? [];
  const own = addresses.find(({ number, street }) => isOf(body.address ?? '', `${number} ${street},`));
  const others = addresses.filter((one) => one !== own);
  const streets = [...new Set(addresses.map(({ street }) => street))]
    .map((street) => addresses.filter((one) => one.street === street))
    .filter((along) => along.length >= LEAST_NUMBERS);
  const features = [
    ...('address' in body ? [label('mark', body, '')] : []),
    ...(own ? [label('place', own, `${own.number} ${own.street}`)] : []),
    ...others.map((one, order) => label('number', { ...one, order }, one.number)),
    ...streets.map((along, order) => label('street', { ...middleOf(along), order }, along[0]?.street ?? '')),
  ];
  return { addresses: geojson(features) };
}

/** Whether an address begins so; a unit may stand before it. */
const isOf = (address: string, beginning: string) => address.startsWith(beginning) || address.includes(`-${beginning}`);

/** `order`: what comes first has the room. */
const label = (
  kind: 'mark' | 'place' | 'number' | 'street',
  { lat, lon, turn = 0, order = 0 }: { lat: number; lon: number; turn?: number; order?: number },
  text: string,
) => point({ lat, lon }, { kind, turn, order, picture: `${kind}:${text}` });

/** The number nearest to the middle of a street, and how the street runs there. The middle itself is off the street where this is a crescent. */
function middleOf(along: readonly AddressNear[]) {
  const mean = (axis: 'lat' | 'lon') => along.reduce((sum, one) => sum + one[axis], 0) / along.length;
  const centre = { lat: mean('lat'), lon: mean('lon') };
  const { north, east } = metresPerDegree(centre.lat);
  const nearestFirst: (place: { lat: number; lon: number }, numbers: readonly AddressNear[]) => AddressNear[] = (
    { lat, lon },
    numbers,
  ) => {
    const metres = (one: AddressNear) => Math.hypot((one.lon - lon) * east, (one.lat - lat) * north);
    return numbers.toSorted((a, b) => metres(a) - metres(b));
  };
  const [middle, ...others] = nearestFirst(centre, along) as [AddressNear, ...AddressNear[]];
  // Even numbers are on one side of a street, odd ones on the other. A line across the street does not run along it.
  const beside = others.filter(({ number }) => isOdd(number) === isOdd(middle.number));
  const [from = middle, to = middle] = nearestFirst(middle, beside.length > 0 ? beside : others);
  const slope = ((to.lat - from.lat) * north) / ((to.lon - from.lon) * east);
  // Clockwise, as the map turns pictures; between -90 and 90 degrees, so that no name stands on its head. Numbers at one place have no slope.
  return { lat: middle.lat, lon: middle.lon, turn: (-Math.atan(slope) * 180) / Math.PI || 0 };
}

const isOdd = (number: string) => Number.parseInt(number, 10) % 2 === 1;

/** Names of places; what comes first has the room. */
export const namesSource = (places: readonly { text: string; lat: number; lon: number }[]) =>
  geojson(places.map(({ text, ...at }, order) => label('place', { ...at, order }, text)));

/** Another map beneath has names of its own. */
export function namesLayers({ base }: Look) {
  if (base.layers.length > 0) return [];
  const layout = { 'icon-image': ['get', 'picture'], 'symbol-sort-key': ['get', 'order'] };
  const above = { 'icon-anchor': 'bottom', 'icon-offset': [0, -6] };
  return [{ id: 'names', type: 'symbol', source: 'names', layout: { ...layout, ...above } }];
}

/** What is above is placed first, and has the room. Another map beneath has names of its own. */
export function addressLayers({ base, ground }: Look) {
  if (base.layers.length > 0) return [];
  const layer = (kind: string, layout: object) => ({
    id: `label-${kind}`,
    type: 'symbol',
    source: 'addresses',
    filter: ['==', ['get', 'kind'], kind],
    layout: { 'icon-image': ['get', 'picture'], 'symbol-sort-key': ['get', 'order'], ...layout },
  });
  return [
    {
      id: 'house-points',
      type: 'circle',
      source: 'addresses',
      filter: ['==', ['get', 'kind'], 'number'],
      minzoom: 14,
      paint: { 'circle-radius': 1.5, 'circle-color': ground.soft },
    },
    layer('number', { 'icon-anchor': 'bottom', 'icon-offset': [0, -3] }),
    layer('street', { 'icon-rotate': ['get', 'turn'], 'icon-rotation-alignment': 'map' }),
    layer('place', { 'icon-anchor': 'bottom', 'icon-offset': [0, -6], 'icon-allow-overlap': true }),
    layer('mark', {}),
  ];
}

const LOOKS = {
  number: { font: '600 11px system-ui, sans-serif', colour: 'ink' },
  street: { font: 'italic 600 12px system-ui, sans-serif', colour: 'soft' },
  place: { font: '700 12px system-ui, sans-serif', colour: 'ink' },
  // Of nothing: no text may lie on the mark of the place.
  mark: { font: '', colour: 'ink' },
} as const;

const HEIGHT = 16;

/** The picture that a label asks for; null when it is none. */
export function labelCanvas(id: string, ground: Ground): HTMLCanvasElement | null {
  const [kind, text] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
  if (!(kind in LOOKS)) return null;
  const { font, colour } = LOOKS[kind as keyof typeof LOOKS];
  const measuring = contextOf(1, 1);
  measuring.font = font;
  const context = contextOf(Math.max(HEIGHT, Math.ceil(measuring.measureText(text).width) + 6), HEIGHT);
  Object.assign(context, { font, lineWidth: 3, lineJoin: 'round', textBaseline: 'middle' });
  Object.assign(context, { strokeStyle: ground.disc, fillStyle: ground[colour] });
  context.strokeText(text, 3, 8.5);
  context.fillText(text, 3, 8.5);
  return context.canvas;
}

/** Stripes where the data of hazards do not reach, as in the rows of what is not known. */
export function hatchCanvas() {
  const context = contextOf(16, 16);
  Object.assign(context, { strokeStyle: '#c3a05c', lineWidth: 1.2 });
  for (const start of [-16, 0, 16]) {
    context.moveTo(start - 1, 17);
    context.lineTo(start + 17, -1);
  }
  context.stroke();
  return context.canvas;
}

function contextOf(width: number, height: number) {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: width * SHARPNESS, height: height * SHARPNESS });
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.scale(SHARPNESS, SHARPNESS);
  return context;
}

/** As the map's library takes a picture. */
export const imageOf = (canvas: HTMLCanvasElement) => ({
  image: (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(0, 0, canvas.width, canvas.height),
  options: { pixelRatio: SHARPNESS },
});
