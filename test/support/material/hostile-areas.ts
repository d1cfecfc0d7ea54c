/** Areas that are as costly as their limits allow: what a client might send to stop a thread. */
import type { AreaPolygons } from '../../../src/messages/lookup.ts';
import { LEAST_AREA_M2, MOST_AREA_KM2, MOST_BORDER_KM, MOST_VERTICES } from '../../../src/messages/area-limits.ts';

type Random = () => number;
type Position = readonly [x: number, y: number];
type Ring = readonly Position[];
type Polygons = readonly (readonly Ring[])[];

export interface HostileArea {
  readonly shape: string;
  readonly polygons: AreaPolygons;
}

/** Draws polygons with about `n` vertices in a square of side 1. */
type Draw = (n: number, random: Random) => Polygons;

const shapes: Readonly<Record<string, Draw>> = {
  comb: (n, random) => [[comb(n, random() < 0.5 ? 0 : 0.001 * random())]],
  'comb with overlapping teeth': (n, random) => [[comb(n, random() < 0.5 ? -0.5 : -4 * random())]],
  'teeth on one line': (n, random) => [[backAndForth(random, n)]],
  'needles from one point': (n, random) => [[needles(random, n)]],
  petals: (n, random) => [[petals(n, random() < 0.5 ? 0 : 1e-9)]],
  star: (n, random) => {
    const points = (n - 1) | 1;
    return [[skipping(points, 2 + Math.floor((points / 2 - 2) * random() ** 6))]];
  },
  'star of many rings': (n) => [[skipping(5 * Math.max(1, Math.floor(n / 50)), 2)]],
  spiral: (n, random) => [[spiral(n, 1 + Math.floor(random() * 60))]],
  'one ring many times': (n, random) => {
    const corners = 3 + Math.floor(random() ** 3 * 200);
    return [[times(Math.max(1, Math.floor(n / corners)), ellipse(random, corners))]];
  },
  'one ring forth and back': (n, random) => {
    const ring = ellipse(random, Math.max(3, Math.floor(n / 2)));
    return [[[...ring, ...ring.toReversed()]]];
  },
  'one polygon many times': (n, random) => {
    const ring = ellipse(random, 3 + Math.floor(random() ** 3 * 200));
    return Array.from({ length: Math.max(1, Math.floor(n / ring.length)) }, () => [ring]);
  },
  'bow ties': (n) => [[zigzag(n)]],
  'bow ties apart': (n) =>
    grid(Math.floor(n / 4)).map(([x, y, side]) => [
      [
        [x, y],
        [x + side * 0.9, y + side * 0.9],
        [x + side * 0.9, y],
        [x, y + side * 0.9],
      ],
    ]),
  tangle: (n, random) => [[Array.from({ length: n }, (): Position => [random(), random()])]],
  'tangle on a raster': (n, random) => {
    const cells = 2 + Math.floor(random() * 100);
    const at = (): number => Math.floor(random() * cells) / cells;
    return [[Array.from({ length: n }, (): Position => [at(), at()])]];
  },
  'walk with crossings': (n, random) => [[walk(random, n)]],
  spikes: (n, random) => [[withSpikes(random, ellipse(random, Math.max(3, Math.floor(n / 3))))]],
  holes: (n, random) => [[square(0, 0, 1), ...holes(random, n, 0.3 + 0.69 * random())]],
  'holes that touch': (n, random) => [[square(0, 0, 1), ...holes(random, n, 1)]],
  'holes that overlap': (n, random) => [[square(0, 0, 1), ...holes(random, n, 1.05 + 3 * random())]],
  'holes within each other': (n) => [concentric(n)],
  'one hole many times': (n, random) => {
    const hole = square(0.3, 0.3, 0.2 + 0.5 * random());
    return [[square(0, 0, 1), ...Array.from({ length: Math.floor(n / 4) }, () => hole)]];
  },
  'parts within each other': (n) => concentric(n).map((ring) => [ring]),
  'parts side by side': (n, random) => holes(random, n, 1).map((ring) => [ring]),
  'parts that overlap': (n, random) => holes(random, n, 1.05 + 3 * random()).map((ring) => [ring]),
  lattice: (n) => lattice(Math.floor(n / 8)),
  'nearly on a line': (n, random) => [
    [[...Array.from({ length: n }, (): Position => [random(), random() * 1e-12]), [0.5, 1]]],
  ],
  'nearly a ring twice': (n, random) => {
    const ring = ellipse(random, Math.max(3, Math.floor(n / 2)));
    return [[[...ring, ...ring.map(([x, y]): Position => [x + 1e-13 * random(), y + 1e-13 * random()])]]];
  },
  'slivers across': (n, random) => slivers(random, Math.floor(n / 4)),
  'fan of overlaps': (n, random) => [[fan(random, n)]],
  blob: (n, random) => [[ellipse(random, n).map(([x, y]): Position => [x + 0.1 * random(), y + 0.1 * random()])]],
};

export const hostileShapes = Object.keys(shapes);

/** Metres per degree of latitude. */
const M_PER_DEGREE = 111_320;

/** Where an area is drawn. */
export interface HostilePlace {
  readonly lat: number;
  readonly lon: number;
  /** Of a border there, in radians from the east: some areas run along it. */
  readonly direction: number;
}

/** Returns an area of a shape around a place: 4 to 5,000 vertices, up to 25 km², turned, stretched and sometimes on a raster of 1e-7 degrees. */
export function hostileArea(shape: string, random: Random, at: HostilePlace): HostileArea {
  const vertices = random() < 0.3 ? MOST_VERTICES : Math.round(4 * (MOST_VERTICES / 4) ** random());
  const drawn = capped(turned(shapes[shape]!(vertices, random), random, at.direction));
  const sideM = Math.min(sideOf(random), (MOST_BORDER_KM * 1000 * 0.99) / lengthOf(drawn));
  const isOnRaster = random() < 0.3;
  const degrees = (value: number): number => (isOnRaster ? Math.round(value * 1e7) / 1e7 : value);
  const [perX, perY] = [sideM / M_PER_DEGREE / Math.cos((at.lat * Math.PI) / 180), sideM / M_PER_DEGREE];
  const polygons = drawn.map((rings) =>
    rings.map((ring) => ring.flatMap(([x, y]) => [degrees(at.lon + x * perX), degrees(at.lat + y * perY)])),
  );
  return { shape, polygons };
}

/** Half of the sides are near the largest area that is taken. */
function sideOf(random: Random): number {
  const [least, most] = [2 * Math.sqrt(LEAST_AREA_M2), Math.sqrt(MOST_AREA_KM2) * 1000];
  return random() < 0.5 ? most * (0.5 + random()) : least * (most / least) ** random();
}

function capped(polygons: Polygons): Polygons {
  let left = MOST_VERTICES;
  return polygons
    .map((rings) => rings.filter((ring) => ring.length >= 3 && (left -= ring.length) >= 0))
    .filter(({ length }) => length > 0);
}

function turned(polygons: Polygons, random: Random, direction: number): Polygons {
  const eighth = (Math.floor(random() * 8) * Math.PI) / 4;
  const kind = random();
  const angle = kind < 0.3 ? eighth : kind < 0.6 ? direction + eighth : random() * 2 * Math.PI;
  const stretch = random() < 0.7 ? 1 : 10 ** (-3 * random());
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return polygons.map((rings) =>
    rings.map((ring) =>
      ring.map(([x, y]): Position => {
        const [u, v] = [x - 0.5, (y - 0.5) * stretch];
        return [u * cos - v * sin, u * sin + v * cos];
      }),
    ),
  );
}

function lengthOf(polygons: Polygons): number {
  let length = 0;
  for (const ring of polygons.flat()) {
    for (const [i, [x, y]] of ring.entries()) {
      const [px, py] = ring.at(i - 1)!;
      length += Math.hypot(x - px, y - py);
    }
  }
  return length;
}

/** Teeth with `gap` between them, as a share of a tooth; less than 0: each overlaps the next. */
function comb(n: number, gap: number): Ring {
  const teeth = Math.max(1, Math.floor((n - 2) / 4));
  const width = 1 / teeth;
  const ring: Position[] = [];
  for (let i = 0; i < teeth; i++) {
    const [from, to] = [i * width, (i + 0.5 - gap / 2) * width];
    ring.push([from, 0.01], [from, 1], [to, 1], [to, 0.01]);
  }
  return [...ring, [1, 0], [0, 0]];
}

/** Edges that overlap on one line. */
function backAndForth(random: Random, n: number): Ring {
  return [...Array.from({ length: n - 1 }, (): Position => [random(), 0]), [0.5, 1]];
}

function needles(random: Random, n: number): Ring {
  const tips = Array.from({ length: Math.max(2, Math.floor(n / 2)) }, random);
  return tips.flatMap((tip): Position[] => [
    [0.5, 0],
    [tip, 1],
  ]);
}

/** Triangles that meet in the middle, or nearly do. */
function petals(n: number, aside: number): Ring {
  const count = Math.max(1, Math.floor(n / 3));
  return Array.from({ length: count }, (_, i): Position[] => {
    const angle = (i / count) * 2 * Math.PI;
    const tip = (turn: number): Position => [0.5 + 0.5 * Math.cos(angle + turn), 0.5 + 0.5 * Math.sin(angle + turn)];
    return [[0.5 + aside * Math.cos(angle), 0.5 + aside * Math.sin(angle)], tip(0), tip(Math.PI / count)];
  }).flat();
}

/** A star whose edges join every `skip`-th corner. */
function skipping(corners: number, skip: number): Ring {
  return Array.from({ length: corners }, (_, i): Position => {
    const angle = (((i * skip) % corners) / corners) * 2 * Math.PI;
    return [0.5 + 0.5 * Math.cos(angle), 0.5 + 0.5 * Math.sin(angle)];
  });
}

function spiral(n: number, turns: number): Ring {
  const half = Math.max(2, Math.floor(n / 2));
  const arm = (shift: number): Position[] =>
    Array.from({ length: half }, (_, i): Position => {
      const [angle, radius] = [(i / half) * turns * 2 * Math.PI, (0.5 * (i / half) * turns + shift) / (turns + 1)];
      return [0.5 + radius * Math.cos(angle), 0.5 + radius * Math.sin(angle)];
    });
  return [...arm(0), ...arm(0.2).toReversed()];
}

function ellipse(random: Random, corners: number): Ring {
  const [width, height] = [0.2 + 0.3 * random(), 0.2 + 0.3 * random()];
  return Array.from({ length: corners }, (_, i): Position => {
    const angle = (i / corners) * 2 * Math.PI;
    return [0.5 + width * Math.cos(angle), 0.5 + height * Math.sin(angle)];
  });
}

function times(count: number, ring: Ring): Ring {
  return Array.from({ length: count }, () => ring).flat();
}

/** Two lines that cross at every step. */
function zigzag(n: number): Ring {
  const half = Math.max(2, Math.floor(n / 2));
  const line = (phase: number): Position[] =>
    Array.from({ length: half }, (_, i): Position => [i / half, 0.5 + ((i + phase) % 2 === 0 ? 0.4 : -0.4)]);
  return [...line(0), ...line(1).toReversed()];
}

/** Places of a square raster, with its step. */
function grid(count: number): (readonly [number, number, number])[] {
  const side = Math.max(1, Math.floor(Math.sqrt(count)));
  return Array.from({ length: side * side }, (_, i) => [(i % side) / side, Math.floor(i / side) / side, 1 / side]);
}

function square(x: number, y: number, side: number): Ring {
  return [
    [x, y],
    [x + side, y],
    [x + side, y + side],
    [x, y + side],
  ];
}

/** Small rings on a raster, as wide as `width` of its steps. */
function holes(random: Random, n: number, width: number): Ring[] {
  const corners = random() < 0.5 ? 3 : 4;
  return grid(Math.floor((n - 4) / corners)).map(([x, y, side]) =>
    square(0.005 + 0.99 * x, 0.005 + 0.99 * y, 0.99 * side * width).slice(0, corners),
  );
}

function concentric(n: number): Ring[] {
  const count = Math.max(1, Math.floor(n / 4));
  return Array.from({ length: count }, (_, i) => square((0.5 * i) / count, (0.5 * i) / count, 1 - i / count));
}

/** Bars across bars. */
function lattice(bars: number): Polygons {
  const count = Math.max(1, bars);
  return Array.from({ length: count }, (_, i): Ring[][] => {
    const [from, to] = [i / count, (i + 0.5) / count];
    const bar: Ring = [
      [from, 0],
      [to, 0],
      [to, 1],
      [from, 1],
    ];
    return [[bar], [bar.map(([x, y]): Position => [y, x])]];
  }).flat();
}

/** A path that turns a little at each step, and so crosses itself now and then. */
function walk(random: Random, n: number): Ring {
  let [x, y, angle] = [0.5, 0.5, 0];
  const turn = random();
  return Array.from({ length: n }, (): Position => {
    angle += (random() - 0.5) * 4 * turn;
    x += (Math.cos(angle) * 3) / n;
    y += (Math.sin(angle) * 3) / n;
    return [x, y];
  });
}

function withSpikes(random: Random, ring: Ring): Ring {
  return ring.flatMap(([x, y]): Position[] => [
    [x, y],
    [x + random() * 0.2, y + random() * 0.2],
    [x, y],
  ]);
}

function slivers(random: Random, count: number): Polygons {
  return Array.from({ length: Math.max(1, count) }, () => {
    const [a, b] = [random(), random()];
    const ring: Ring = [
      [0, a],
      [1, b],
      [1, b + 1e-4],
      [0, a + 1e-4],
    ];
    return [ring];
  });
}

/** Triangles over one line, each from a place of its own. */
function fan(random: Random, n: number): Ring {
  return Array.from({ length: Math.max(1, Math.floor(n / 3)) }, (): Position[] => [
    [random(), 0],
    [random(), 0],
    [random(), random() ** 4],
  ]).flat();
}
