/** Areas of all shapes, around places that are given: what parcels are like, and what is hard to measure. */
import { fromLambert } from '../../../workers/geopackage/lambert.ts';

type Position = readonly [x: number, y: number];
type Ring = readonly Position[];

export interface RandomArea {
  readonly shape: string;
  readonly geometry: { readonly type: 'Polygon' | 'MultiPolygon'; readonly coordinates: readonly unknown[] };
}

/** A place in projection metres, and the vertices of a border on which it lies. */
export interface Anchor {
  readonly at: Position;
  readonly border: Ring;
}

type Draw = (random: () => number, anchor: Anchor, side: number) => readonly (readonly Ring[])[];

const shapes: Readonly<Record<string, Draw>> = {
  square: (random, { at }, side) => [[turned(rectangle(side, side), at, random() * 7)]],
  blob: (random, { at }, side) => [[blob(random, at, side / 2, 5 + Math.floor(random() * 60))]],
  'with a hole': (random, { at }, side) => [
    [circle(at, side / 2, 40), circle(at, side / (3 + 4 * random()), 12).toReversed()],
  ],
  sliver: (random, { at }, side) => [[turned(rectangle(side * 6, side / 6), at, random() * 7)]],
  'two parts': (random, { at: [x, y] }, side) => [
    [turned(rectangle(side, side / 3), [x, y], 0.3)],
    [blob(random, [x + side * (1 + random()), y + side], side / 3, 12)],
  ],
  'along a border': (random, { at, border }, side) => [[alongBorder(border, at, side, random)]],
};

export const areaShapes = Object.keys(shapes);

/** Returns an area of a shape near an anchor: 300 m² to 1 km², small ones as often as large ones. */
export function randomArea(shape: string, random: () => number, anchor: Anchor): RandomArea {
  const side = Math.sqrt(300 * (1e6 / 300) ** random());
  const polygons = shapes[shape]!(random, anchor, side).map((rings) => rings.map(inDegrees));
  const [only] = polygons;
  const geometry =
    polygons.length === 1
      ? ({ type: 'Polygon', coordinates: only! } as const)
      : ({ type: 'MultiPolygon', coordinates: polygons } as const);
  return { shape, geometry };
}

function rectangle(width: number, height: number): Ring {
  return [
    [-width / 2, -height / 2],
    [width / 2, -height / 2],
    [width / 2, height / 2],
    [-width / 2, height / 2],
  ];
}

function turned(ring: Ring, [cx, cy]: Position, angle: number): Ring {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return ring.map(([x, y]) => [cx + x * cos - y * sin, cy + x * sin + y * cos]);
}

function circle([cx, cy]: Position, radius: number, vertices: number): Ring {
  return Array.from({ length: vertices }, (_, i): Position => {
    const angle = (i / vertices) * 2 * Math.PI;
    return [cx + radius * Math.cos(angle), cy + radius * Math.sin(angle)];
  });
}

function blob(random: () => number, [cx, cy]: Position, radius: number, vertices: number): Ring {
  return circle([0, 0], radius, vertices).map(([x, y]) => {
    const stretch = 0.5 + 0.5 * random();
    return [cx + x * stretch, cy + y * stretch];
  });
}

/** A band along some vertices of a border: one side of the area is the border itself. */
function alongBorder(border: Ring, at: Position, side: number, random: () => number): Ring {
  const nearest = border.reduce(
    (best, [x, y], i) =>
      Math.hypot(x - at[0], y - at[1]) < best.distance ? { i, distance: Math.hypot(x - at[0], y - at[1]) } : best,
    { i: 0, distance: Infinity },
  ).i;
  const run: Position[] = [];
  for (let i = 0, length = 0; i < border.length - 1 && i < 100 && length < side; i++) {
    const position = border[(nearest + i) % border.length]!;
    const last = run.at(-1);
    if (last) length += Math.hypot(position[0] - last[0], position[1] - last[1]);
    run.push(position);
  }
  if (run.length < 2) return turned(rectangle(side, side), at, random() * 7);
  const [first, last] = [run[0]!, run.at(-1)!];
  const length = Math.hypot(last[0] - first[0], last[1] - first[1]) || 1;
  const [nx, ny] = [(last[1] - first[1]) / length, (first[0] - last[0]) / length];
  return [...run, [last[0] + nx * side, last[1] + ny * side], [first[0] + nx * side, first[1] + ny * side]];
}

function inDegrees(ring: Ring): (readonly [number, number])[] {
  const positions = ring.map(([x, y]): readonly [number, number] => {
    const { lon, lat } = fromLambert(x, y);
    return [lon, lat];
  });
  return [...positions, positions[0]!];
}

/** Longest edge in degrees after `densified`: a straight line of any projection is within a millimetre of such an edge. */
const STEP = 0.001;

/** Returns the area with more vertices on its edges, which are straight between degrees (RFC 7946), for those who project its vertices only. */
export function densified({ type, coordinates }: RandomArea['geometry']): RandomArea['geometry'] {
  type Rings = readonly (readonly (readonly number[])[])[];
  const dense = (rings: Rings): number[][][] =>
    rings.map((ring) =>
      ring.flatMap((from, i) => {
        const to = ring[i + 1];
        if (!to) return [[...from]];
        const count = Math.max(1, Math.ceil(Math.hypot(to[0]! - from[0]!, to[1]! - from[1]!) / STEP));
        return Array.from({ length: count }, (_, n) =>
          from.map((value, axis) => value + (n / count) * (to[axis]! - value)),
        );
      }),
    );
  const polygons = (type === 'Polygon' ? [coordinates] : coordinates) as readonly Rings[];
  const made = polygons.map(dense);
  return { type, coordinates: type === 'Polygon' ? made[0]! : made };
}
