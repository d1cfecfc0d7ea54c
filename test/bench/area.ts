/**
 * Lookups of areas on a synthetic province: `make bench-area SCALE=0.1`. One thread, in-process, as a costly lookup runs: repair, projection,
 * 37 layers, JSON. Parcels of 300 m² to 1 km², and areas of 25 km². PROVINCE_DIR keeps the province for further runs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../src/shared/seeded-random.ts';
import { areaOf } from '../../src/shared/area-request.ts';
import { answerArea } from '../../workers/lookup/areas/answer-area.ts';
import { fromLambert } from '../../workers/geopackage/lambert.ts';
import { openServed, prepareSnapshot } from '../../workers/lookup/served-snapshot.ts';
import { anchorsOf } from '../support/area-anchors.ts';
import { areaShapes, randomArea } from '../support/random-areas.ts';
import { percentiles } from './percentiles.ts';
import { provinceIn } from './province/snapshot.ts';

const scale = Number(process.env['SCALE'] ?? 0.1);
const ROUNDS = 5;
const PARCELS = 1000;
const LARGE = 60;
const LARGE_VERTICES = 400;

const kept = process.env['PROVINCE_DIR'];
const folder = kept ?? mkdtempSync(join(tmpdir(), 'land-lookup-province-'));
try {
  const { catalogue } = await provinceIn(folder, scale);
  const served = openServed({ ...prepareSnapshot(folder, false), opening: 1 }, catalogue.answers);
  const random = seededRandom(20261122);
  const anchor = anchorsOf(served.snapshot, random);
  const parcels = Array.from({ length: PARCELS }, (_, i) =>
    JSON.stringify(randomArea(areaShapes[i % areaShapes.length]!, random, anchor())),
  );
  const large = Array.from({ length: LARGE }, () => JSON.stringify(circle(anchor().at)));
  const ask = (text: string): void => {
    const { geometry } = JSON.parse(text) as { geometry: object };
    const outcome = answerArea(served, { kind: 'area', ...areaOf({ geometry }) }, catalogue.answers);
    if (!outcome.ok && outcome.code !== 'OUTSIDE_ONTARIO') throw new Error(outcome.detail);
  };
  const timed = (texts: readonly string[]): number[] =>
    texts.map((text) => {
      const start = performance.now();
      ask(text);
      return performance.now() - start;
    });
  timed(parcels);
  const rows = Array.from({ length: ROUNDS }, (_, i) => [
    row(`parcels, round ${i + 1}`, timed(parcels)),
    row(`25 km², round ${i + 1}`, timed(large)),
  ]).flat();
  console.table([{ scale, areas: parcels.length + large.length }]);
  console.table(rows);
  served.snapshot.close();
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true });
}

/** Just below 25 km². */
function circle([x, y]: readonly [number, number]): object {
  const ring = Array.from({ length: LARGE_VERTICES }, (_, i) => {
    const [angle, radius] = [(i / LARGE_VERTICES) * 2 * Math.PI, 2790 + 10 * Math.sin(i)];
    const { lon, lat } = fromLambert(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    return [lon, lat];
  });
  return { geometry: { type: 'Polygon', coordinates: [[...ring, ring[0]]] } };
}

function row(what: string, timesMs: readonly number[]): Record<string, string | number> {
  const { mean, p50, p99 } = percentiles(timesMs);
  const sorted = [...timesMs].sort((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)]!;
  return { what, 'areas/s': Math.round(1000 / mean), 'p50 ms': p50, 'p95 ms': Number(p95.toFixed(3)), 'p99 ms': p99 };
}
