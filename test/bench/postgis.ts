/**
 * Our lookup of a place beside PostgreSQL with PostGIS: `make bench-postgis SCALE=0.1`. The same synthetic province, in parts of at
 * most 256 vertices, the same places at addresses, one client, one prepared statement for all layers, a unix socket, warm caches;
 * rounds take turns. Both begin with a point: geocoding is ours alone. PROVINCE_DIR keeps the province for further runs.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { landFile } from '../../workers/geopackage/land-file.ts';
import { project } from '../../workers/geopackage/projection.ts';
import { registerRows } from '../real/register.ts';
import { percentiles } from './percentiles.ts';
import { startCluster } from './postgis/cluster.ts';
import { differingKeys } from './postgis/compare.ts';
import { loadPlaces, loadTables } from './postgis/load.ts';
import { lookupStatement, tablesOf } from './postgis/statement.ts';
import { scattered } from './province/addresses.ts';
import { benchRegister, provinceIn, type Province } from './province/snapshot.ts';
import { openReader, type Reader } from './reader.ts';

const scale = Number(process.env['SCALE'] ?? 0.1);
const ROUNDS = 5;
const ROUND_S = 8;
const WARM_UP_S = 10;
const PLACES = 20_000;
const COMPARED = 1000;

interface Bench {
  readonly province: Province;
  readonly places: readonly { readonly lat: number; readonly lon: number }[];
}

/** Latencies of lookups, one after the other. */
type Contender = (seconds: number) => number[];

const cluster = startCluster();
const kept = process.env['PROVINCE_DIR'];
const folder = kept ?? mkdtempSync(join(tmpdir(), 'land-lookup-province-'));
try {
  const bench: Bench = { province: await provinceIn(folder, scale), places: addressPlaces() };
  load(bench);
  using reader = openReader(bench.province.folder, bench.province.catalogue);
  console.table([description(bench)]);
  compare(reader, bench);
  measure(cellIndex(reader, bench), postgis(bench));
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true });
}

function addressPlaces(): Bench['places'] {
  const rows = registerRows(benchRegister).filter(({ lat, lon }) => lat !== 0 && lon !== 0);
  return scattered(rows, PLACES).map(({ lat, lon }) => ({ lat, lon }));
}

function load({ province, places }: Bench): void {
  const start = performance.now();
  const tables = tablesOf(province.catalogue.answers);
  loadTables(cluster, landFile(province.folder), tables);
  loadPlaces(cluster, places.map(project));
  console.log(`${cluster.version()}: loaded in ${Math.round((performance.now() - start) / 1000)} s`);
}

function description({ province, places }: Bench): Record<string, string | number> {
  const { features, vertices, indexBytes } = province.figures;
  const bytes = cluster.sql("SELECT pg_database_size('postgres')");
  return {
    ...{ scale, features, vertices, places: places.length },
    'our index MB': Math.round(indexBytes / 1e6),
    'their database MB': Math.round(Number(bytes) / 1e6),
  };
}

/** Both must do the same work: their answers are held against each other. */
function compare(reader: Reader, { province: { catalogue }, places }: Bench): void {
  const statement = lookupStatement(catalogue.answers, `id <= ${COMPARED}`);
  const rows = cluster.sql(
    `SELECT row_to_json(q) FROM (${statement.replace('SELECT ', 'SELECT p.id, ')} ORDER BY p.id) q`,
  );
  const differing = rows.split('\n').flatMap((row, i) => {
    const view = reader.cells(project(places[i]!));
    return differingKeys(view, catalogue.answers, JSON.parse(row) as Record<string, unknown>);
  });
  const compared = COMPARED * catalogue.answers.length;
  console.log(`${compared} answers compared, ${differing.length} differ ${[...new Set(differing)].join(' ')}`);
}

function cellIndex(reader: Reader, { places }: Bench): Contender {
  let asked = 0;
  return (seconds) => {
    const times: number[] = [];
    const end = performance.now() + seconds * 1000;
    for (let start = performance.now(); start < end; start = performance.now()) {
      Buffer.from(reader.layersJson(reader.cells(project(places[asked++ % places.length]!))));
      times.push(performance.now() - start);
    }
    return times;
  };
}

function postgis({ province: { catalogue }, places }: Bench): Contender {
  const script = join(cluster.folder, 'lookup.sql');
  writeFileSync(script, `\\set id random(1, ${places.length})\n${lookupStatement(catalogue.answers, 'id = :id')};\n`);
  let round = 0;
  return (seconds) => {
    const log = `round-${++round}`;
    cluster.pgbench([
      ...['-n', '-c', '1', '-M', 'prepared', '-T', String(seconds), '-f', script],
      ...['-l', '--log-prefix', log, '--random-seed', String(round)],
    ]);
    return readdirSync(cluster.folder)
      .filter((name) => name.startsWith(`${log}.`))
      .flatMap((name) => readFileSync(join(cluster.folder, name), 'utf8').trimEnd().split('\n'))
      .map((line) => Number(line.split(' ')[2]) / 1000);
  };
}

function measure(mine: Contender, theirs: Contender): void {
  mine(WARM_UP_S);
  theirs(WARM_UP_S);
  const rounds = Array.from({ length: ROUNDS }, (_, i) => ({
    ours: row(`cell index, round ${i + 1}`, mine(ROUND_S)),
    postgis: row(`PostGIS, round ${i + 1}`, theirs(ROUND_S)),
  }));
  console.table([...rounds.map(({ ours }) => ours), ...rounds.map(({ postgis }) => postgis)]);
  const median = (rows: readonly ReturnType<typeof row>[]): number =>
    percentiles(rows.map((one) => one['lookups/s'])).p50;
  const ratio = median(rounds.map(({ ours }) => ours)) / median(rounds.map(({ postgis }) => postgis));
  console.log(`cell index against PostGIS, medians of lookups/s: ${ratio.toFixed(1)} times`);
}

function row(path: string, timesMs: readonly number[]) {
  const { mean, p50, p99 } = percentiles(timesMs);
  return { path, 'lookups/s': Math.round(1000 / mean), 'p50 ms': p50, 'p99 ms': p99, lookups: timesMs.length };
}
