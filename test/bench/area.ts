// Measure lookups of areas on a synthetic province (SCALE, PROVINCE_DIR)
/**
 * Lookups of areas on a synthetic province: `make bench NAME=area SCALE=0.1`. One thread, in-process, as a costly lookup runs: repair, projection,
 * 37 layers, JSON. Parcels of 300 m² to 1 km², and areas of 25 km². PROVINCE_DIR keeps the province for further runs.
 */
import { fromLambert } from '../../workers/geopackage/lambert.ts';
import { openServed, prepareSnapshot } from '../../workers/engine/served-snapshot.ts';
import { askArea, drawParcels } from './parts/parcels.ts';
import { percentiles } from './parts/percentiles.ts';
import { provinceFolder, provinceIn } from './parts/province/snapshot.ts';

const scale = Number(process.env['SCALE'] ?? 0.1);
const ROUNDS = 5;
const PARCELS = 1000;
const LARGE = 60;
const LARGE_VERTICES = 400;

using folder = provinceFolder();
const { catalogue } = await provinceIn(folder.path, scale);
const served = openServed({ ...prepareSnapshot(folder.path, false), opening: 1 }, catalogue);
const { parcels, anchor } = drawParcels(served.snapshot, PARCELS);
const large = Array.from({ length: LARGE }, () => circle(anchor().at));
const ask = (geometry: object): void => {
  askArea(served, geometry, catalogue.answers);
};
const timed = (areas: readonly object[]): number[] =>
  areas.map((geometry) => {
    const start = performance.now();
    ask(geometry);
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

/** Just below 25 km². */
function circle([x, y]: readonly [number, number]): object {
  const ring = Array.from({ length: LARGE_VERTICES }, (_, i) => {
    const [angle, radius] = [(i / LARGE_VERTICES) * 2 * Math.PI, 2790 + 10 * Math.sin(i)];
    const { lon, lat } = fromLambert(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    return [lon, lat];
  });
  return { type: 'Polygon', coordinates: [[...ring, ring[0]]] };
}

function row(what: string, timesMs: readonly number[]): Record<string, string | number> {
  const { mean, p50, p99 } = percentiles(timesMs);
  const sorted = [...timesMs].sort((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)]!;
  return { what, 'areas/s': Math.round(1000 / mean), 'p50 ms': p50, 'p95 ms': Number(p95.toFixed(3)), 'p99 ms': p99 };
}
