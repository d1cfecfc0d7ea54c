// Compare the cell index with PostGIS on the same synthetic province (SCALE, PROVINCE_DIR; prints what to install)
/**
 * Our lookup of a place beside PostgreSQL with PostGIS: `make bench NAME=postgis SCALE=0.1`. The same synthetic province, in parts of at
 * most 256 vertices, the same places at addresses, one client, one prepared statement for all layers, a unix socket, warm caches;
 * rounds take turns. Both begin with a point: geocoding is ours alone. PROVINCE_DIR keeps the province for further runs.
 */
import { landFile } from '../../workers/geopackage/land-file.ts';
import { project } from '../../workers/geopackage/lambert.ts';
import { registerRows } from '../real/register.ts';
import { startCluster } from './parts/postgis/cluster.ts';
import { differingKeys } from './parts/postgis/compare.ts';
import { loadPlaces, loadTables } from './parts/postgis/load.ts';
import { lookupStatement, tablesOf } from './parts/postgis/statement.ts';
import { pgContender, takeTurns, type Contender } from './parts/postgis/turns.ts';
import { scattered } from './parts/province/addresses.ts';
import { benchRegister, provinceFolder, provinceIn, type Province } from './parts/province/snapshot.ts';
import { openReader, type Reader } from './parts/reader.ts';

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

const cluster = startCluster();
using folder = provinceFolder();
const bench: Bench = { province: await provinceIn(folder.path, scale), places: addressPlaces() };
load(bench);
using reader = openReader(bench.province.folder, bench.province.catalogue);
console.table([description(bench)]);
compare(reader, bench);
takeTurns(
  cellIndex(reader, bench),
  { PostGIS: postgis(bench) },
  {
    rounds: ROUNDS,
    roundS: ROUND_S,
    warmUpS: WARM_UP_S,
    of: 'lookups',
  },
);

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
  return pgContender(
    cluster,
    `\\set id random(1, ${places.length})\n${lookupStatement(catalogue.answers, 'id = :id')};\n`,
  );
}
