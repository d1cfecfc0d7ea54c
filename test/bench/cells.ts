// Measure the cell index on a synthetic province (SCALE=1 is 1.2 million features; default 0.1)
/**
 * The cell index on a synthetic province: `make bench NAME=cells SCALE=0.25`. One thread, in-process, as a lookup thread works: geocode,
 * 37 layers, JSON. The same lookups by the reference path in the same run, and lookups right after the file left the page cache.
 * PROVINCE_DIR keeps the province for further runs.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { landFile } from '../../workers/geopackage/land-file.ts';
import { percentiles } from './parts/percentiles.ts';
import { benchAddresses } from './parts/province/addresses.ts';
import { provinceFolder, provinceIn, type Province } from './parts/province/snapshot.ts';
import { openReader, type Detail } from './parts/reader.ts';
import { runPart } from './parts/part.ts';

const scale = Number(process.env['SCALE'] ?? 0.1);
const ROUNDS = 5;
const LOOKUPS = 20_000;
const FULL_LOOKUPS = 4000;
const NEAR_LOOKUPS = 1000;
const REFERENCE_LOOKUPS = 200;
const COLD_LOOKUPS = 200;

using folder = provinceFolder();
const province = await provinceIn(folder.path, scale);
console.table([describe(province)]);
const asked = benchAddresses();
console.table([coldRow(province, asked), ...warmRows(province, asked)]);
console.log(`memory of a lookup thread: ${threadMb(province, asked)} MB`);

function describe({ figures }: Province): Record<string, string | number> {
  return {
    scale,
    features: figures.features,
    vertices: figures.vertices,
    'index build s': Math.round(figures.seconds),
    'tables MB': Math.round(figures.tableBytes / 1e6),
    'index MB': Math.round(figures.indexBytes / 1e6),
    'peak MB of the build': Math.round(figures.peakRssBytes / 1e6),
  };
}

/** What each of two more threads adds to a process with one. */
function threadMb({ folder }: Province, asked: readonly string[]): number {
  const list = join(folder, 'addresses.json');
  writeFileSync(list, JSON.stringify(asked));
  const processMb = (threads: number): number => Number(runPart('pool-memory', String(threads), folder, list));
  return Math.round((processMb(3) - processMb(1)) / 2);
}

function timed(count: number, work: (i: number) => unknown): number[] {
  return Array.from({ length: count }, (_, i) => {
    const start = performance.now();
    work(i);
    return performance.now() - start;
  });
}

function row(path: string, timesMs: readonly number[]): Record<string, string | number> {
  const { mean, p50, p99 } = percentiles(timesMs);
  return { path, 'lookups/s': Math.round(1000 / mean), 'p50 ms': p50, 'p99 ms': p99, lookups: timesMs.length };
}

/** The file's pages are dropped while nothing maps them; each lookup then is somewhere else. */
function coldRow(province: Province, asked: readonly string[]): Record<string, string | number> {
  execFileSync('sync');
  execFileSync('dd', [`if=${landFile(province.folder)}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' });
  using reader = openReader(province.folder, province.catalogue);
  const times = timed(COLD_LOOKUPS, (i) => reader.lookUp(asked[(i * 101) % asked.length]!, reader.cells));
  return row('cell index, cold page cache', times);
}

type Row = Record<string, string | number>;

function warmRows(province: Province, asked: readonly string[]): Row[] {
  using reader = openReader(province.folder, province.catalogue);
  const at = (i: number): string => asked[i % asked.length]!;
  timed(LOOKUPS, (i) => reader.lookUp(at(i), reader.cells));
  const rows: Readonly<Record<'fast' | 'full' | 'near' | 'slow', Row[]>> = { fast: [], full: [], near: [], slow: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const timesOf = (count: number, view: typeof reader.cells, detail?: Detail): number[] =>
      timed(count, (i) => reader.lookUp(at(i), view, detail));
    rows.fast.push(row(`cell index, round ${round + 1}`, timesOf(LOOKUPS, reader.cells)));
    rows.full.push(row(`with evidence, round ${round + 1}`, timesOf(FULL_LOOKUPS, reader.cells, 'full')));
    rows.near.push(row(`with evidence and map, round ${round + 1}`, timesOf(NEAR_LOOKUPS, reader.cells, 'near')));
    rows.slow.push(row(`reference, round ${round + 1}`, timesOf(REFERENCE_LOOKUPS, reader.reference)));
  }
  const rate = (some: readonly Row[]): number => percentiles(some.map((one) => Number(one['lookups/s']))).p50;
  const share = (some: readonly Row[], decimals: number): string => (rate(rows.fast) / rate(some)).toFixed(decimals);
  console.log(`cell index against reference path, medians: ${share(rows.slow, 0)} times`);
  console.log(`against answers with evidence: ${share(rows.full, 1)} times, and map: ${share(rows.near, 1)} times`);
  return Object.values(rows).flat();
}
