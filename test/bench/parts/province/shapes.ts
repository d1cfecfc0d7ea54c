/** Deterministic shapes for the synthetic province, as little-endian WKB in EPSG:3161. */
import { seededRandom } from '../../../../workers/verify/seeded-random.ts';

export type Position = readonly [x: number, y: number];

export function pointWkb([x, y]: Position): Buffer {
  const wkb = Buffer.alloc(21);
  wkb.writeUInt8(1, 0);
  wkb.writeUInt32LE(1, 1);
  wkb.writeDoubleLE(x, 5);
  wkb.writeDoubleLE(y, 13);
  return wkb;
}

export function lineWkb(path: Float64Array): Buffer {
  return Buffer.concat([head(2, path.length / 2), bytesOf(path)]);
}

/** Rings without their repeated last vertex. */
export function polygonWkb(rings: readonly Float64Array[]): Buffer {
  const parts = rings.flatMap((ring) => {
    const count = Buffer.alloc(4);
    count.writeUInt32LE(ring.length / 2 + 1);
    return [count, bytesOf(ring), bytesOf(ring.subarray(0, 2))];
  });
  return Buffer.concat([head(3, rings.length), ...parts]);
}

function head(type: number, count: number): Buffer {
  const buffer = Buffer.alloc(9);
  buffer.writeUInt8(1, 0);
  buffer.writeUInt32LE(type, 1);
  buffer.writeUInt32LE(count, 5);
  return buffer;
}

function bytesOf(numbers: Float64Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** A closed curve around a centre: a few waves of random phase, so neighbouring vertices are near each other and nothing crosses. */
export function blob(random: () => number, [cx, cy]: Position, radius: number, vertices: number): Float64Array {
  const waves = Array.from({ length: 6 }, (_, i) => ({ k: 2 + i * i, size: 0.25 / (1 + i), phase: random() * 7 }));
  const ring = new Float64Array(vertices * 2);
  for (let i = 0; i < vertices; i++) {
    const angle = (i / vertices) * 2 * Math.PI;
    const wave = waves.reduce((sum, { k, size, phase }) => sum + size * Math.sin(k * angle + phase), 0);
    const r = radius * (1 + 0.5 * wave);
    ring[i * 2] = cx + r * Math.cos(angle);
    ring[i * 2 + 1] = cy + r * Math.sin(angle);
  }
  return ring;
}

/** A wandering path that keeps its direction more or less. */
export function wander(random: () => number, [x, y]: Position, stepM: number, vertices: number): Float64Array {
  const path = new Float64Array(vertices * 2);
  let [px, py, angle] = [x, y, random() * 2 * Math.PI];
  for (let i = 0; i < vertices; i++) {
    path[i * 2] = px;
    path[i * 2 + 1] = py;
    angle += (random() - 0.5) * 0.8;
    px += Math.cos(angle) * stepM;
    py += Math.sin(angle) * stepM;
  }
  return path;
}

/**
 * The border between two corners of a partition, the same from both sides: midpoints are displaced by a generator that is
 * seeded by the corners.
 */
export function sharedEdge(a: Position, b: Position, vertices: number): Position[] {
  const isForward = a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
  const [from, to] = isForward ? [a, b] : [b, a];
  const random = seededRandom(Math.round(from[0] * 7 + from[1] * 13 + to[0] * 31 + to[1] * 57));
  const positions: Position[] = [from];
  const halve = (p: Position, q: Position, left: number): void => {
    if (left <= 1) return;
    const length = Math.hypot(q[0] - p[0], q[1] - p[1]);
    const shift = (random() - 0.5) * 0.2 * length;
    const middle: Position = [
      (p[0] + q[0]) / 2 - ((q[1] - p[1]) / length) * shift,
      (p[1] + q[1]) / 2 + ((q[0] - p[0]) / length) * shift,
    ];
    halve(p, middle, left / 2);
    positions.push(middle);
    halve(middle, q, left / 2);
  };
  halve(from, to, vertices);
  return isForward ? positions : [...positions.slice(1), to].reverse();
}
