// Measure lookups per second and latency of one thread
/**
 * Lookups per second and latency, one thread: `make bench NAME=lookups`. The address-to-answer way through the pool, the worker's own
 * stages, and the reference path, over the bundled sample and, where they are at hand, the real extracts.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { LookupPool } from '../../src/core/pool/lookup-pool.ts';
import type { Coordinate } from '../../src/messages/lookup.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { registerRows, writtenAddress, type RegisterRow } from '../real/register.ts';
import { cliOrThrow } from '../support/drivers/cli.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { sharedData } from '../support/material/shared-data.ts';
import { percentiles } from './parts/percentiles.ts';
import { openReader } from './parts/reader.ts';

const WARM_UP = 50;
const ROUNDS_MS = 5000;
const REFERENCE_LOOKUPS = 100;

interface Subject {
  readonly name: string;
  readonly layers: readonly string[];
  readonly register: string;
  readonly addresses: readonly string[];
}

const sampleDir = join(projectDir, 'layers', 'sample');
const subjects: Subject[] = [
  { name: 'bundled sample', layers: ['--sample'], register: join(sampleDir, 'addresses'), addresses: ['--sample'] },
];
if (sharedData === null) console.log('real extracts skipped: no real data');
else {
  const [sources, register] = [join(sharedData, 'sources'), join(sharedData, 'nar')];
  subjects.push({ name: 'real extracts', layers: ['--from', sources], register, addresses: ['--from', register] });
}

console.log(`Node ${process.version}, ${availableParallelism()} cores, one lookup thread, one lookup at a time\n`);
for (const subject of subjects) console.table(await measure(subject));

async function measure({ name, layers, register, addresses }: Subject): Promise<Record<string, string | number>[]> {
  using folder = temporaryFolder();
  cliOrThrow(folder.path, 'load-layers', ...layers);
  cliOrThrow(folder.path, 'load-addresses', ...addresses);
  const snapshotDir = requireCurrentSnapshot(folder.path).dir;
  const catalogue = readCatalogue(join(projectDir, 'layers'));
  await using pool = await LookupPool.start({ threads: 1, deadlineMs: 60_000, snapshotDir, catalogue });
  using reader = openReader(snapshotDir, catalogue);
  const rows = registerRows(register);
  const step = Math.max(1, Math.floor(rows.length / 5000));
  // A register has rows that are refused: their positions contradict their neighbours.
  const asked = rows
    .filter((_, i) => i % step === 0)
    .map(writtenAddress)
    .filter((address) => reader.lookUp(address, reader.cells) !== null);
  const [total, geocode, reading]: [number[], number[], number[]] = [[], [], []];
  const [points, nearest]: [number[], number[]] = [[], []];
  const start = performance.now();
  for (let i = 0; performance.now() - start < ROUNDS_MS || i < WARM_UP * 2; i++) {
    const began = performance.now();
    const { geocodeMs, layersMs } = await pool.lookup({
      kind: 'address',
      address: asked[i % asked.length]!,
      full: false,
    });
    const between = performance.now();
    // In turns, at the place of another address.
    const place = await pool.lookup({ kind: 'point', ...placeOf(rows, i), full: false });
    if (i < WARM_UP) continue;
    total.push(between - began);
    geocode.push(geocodeMs);
    reading.push(layersMs);
    points.push(performance.now() - between);
    nearest.push(place.geocodeMs);
  }
  const reference = Array.from({ length: REFERENCE_LOOKUPS }, (_, i) => {
    const began = performance.now();
    reader.lookUp(asked[(i * 101) % asked.length]!, reader.reference);
    return performance.now() - began;
  });
  const row = (stage: string, timesMs: number[]): Record<string, string | number> => {
    const { mean, p50, p99 } = percentiles(timesMs);
    return {
      data: name,
      stage,
      'lookups/s': Math.round(1000 / mean),
      'p50 ms': p50,
      'p99 ms': p99,
      lookups: timesMs.length,
    };
  };
  return [
    row('address to answer, through the pool', total),
    row('geocode', geocode),
    row('37 layers, cell index', reading),
    row('point to answer, through the pool', points),
    row('nearest address', nearest),
    row('address to answer, reference path', reference),
  ];
}

/** A place that is some metres from one of the register. */
function placeOf(rows: readonly RegisterRow[], i: number): Coordinate {
  const { lat, lon } = rows[(i * 7919) % rows.length]!;
  return { lat: lat + ((i % 7) - 3) / 10_000, lon: lon + ((i % 5) - 2) / 10_000 };
}
