// Compare lookups of parcels with PostGIS on the same synthetic province (SCALE, PROVINCE_DIR; prints what to install)
/**
 * Our lookup of a parcel beside PostgreSQL with PostGIS: `make bench NAME=area-postgis SCALE=0.1`. The same synthetic province in parts of at most
 * 256 vertices, the same parcels, one client, one prepared statement for all layers; rounds take turns. PostGIS does once less than we do and once as much (`Work`), but where features of a
 * data set overlap, it counts both. It gets the scale of the projection stored.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { landFile } from '../../workers/geopackage/land-file.ts';
import { fromLambert } from '../../workers/geopackage/lambert.ts';
import { prepareArea } from '../../workers/areas/project-area.ts';
import { openServed, prepareSnapshot } from '../../workers/engine/served-snapshot.ts';
import { areaOf } from '../../src/features/areas/area-request.ts';
import { askArea, drawParcels } from './parts/parcels.ts';
import { areaStatement, type Work } from './parts/postgis/area-statement.ts';
import { startCluster, type Cluster } from './parts/postgis/cluster.ts';
import { loadTables } from './parts/postgis/load.ts';
import { tablesOf } from './parts/postgis/statement.ts';
import { pgContender, takeTurns, type Contender } from './parts/postgis/turns.ts';
import { provinceFolder, provinceIn } from './parts/province/snapshot.ts';

const PARCELS = 1000;
const COMPARED = 300;
/** By how much a share may differ: bands of PostGIS are polygons of 32 corners about a point, and its overlaps count for every value. */
const TOLERANCE = 0.01;

const cluster = startCluster();
using kept = provinceFolder();
const { catalogue } = await provinceIn(kept.path, Number(process.env['SCALE'] ?? 0.1));
const { answers } = catalogue;
const served = openServed({ ...prepareSnapshot(kept.path, false), opening: 1 }, catalogue);
const parcels = drawParcels(served.snapshot, PARCELS).parcels;
loadTables(cluster, landFile(kept.path), [...tablesOf(answers), 'province']);
const ids = loadAreas(cluster);
compareShares('less');
compareShares('equal');
const doing = (work: Work): Contender =>
  pgContender(cluster, `\\set id random(1, ${ids})\n${areaStatement(answers, 'id = :id', work)};\n`);
let asked = 0;
takeTurns(
  (seconds) => {
    const times: number[] = [];
    const end = performance.now() + seconds * 1000;
    for (let start = performance.now(); start < end; start = performance.now()) {
      askArea(served, parcels[asked++ % parcels.length]!, answers);
      times.push(performance.now() - start);
    }
    return times;
  },
  { 'PostGIS with less work': doing('less'), 'PostGIS with equal work': doing('equal') },
  { rounds: 5, roundS: 8, warmUpS: 10, of: 'parcels' },
);
served.snapshot.close();

/** Stores the parcels as they are sent, and as we project and repair them, numbered from 1. */
function loadAreas(cluster: Cluster): number {
  const rows = parcels.map((geometry, i) => {
    const area = prepareArea(areaOf({ geometry }).polygons);
    if ('fault' in area) throw new Error(area.fault);
    const rings = area.rings.map(({ xy }) => `(${positionsOf([...xy, xy[0]!, xy[1]!])})`);
    const [x, y] = area.rings[0]!.xy;
    return `${i + 1}\tMULTILINESTRING(${rings.join(',')})\t${fromLambert(x!, y!).scale}\t${JSON.stringify(geometry)}\n`;
  });
  const file = join(cluster.folder, 'areas.tsv');
  writeFileSync(file, rows.join(''));
  cluster.sql(`
    CREATE TABLE read_area (id int, rings text, scale float8, sent text);
    COPY read_area FROM '${file}';
    CREATE TABLE area AS SELECT id, ST_BuildArea(ST_GeomFromText(rings, 3161)) AS geom, scale, sent FROM read_area;
    ALTER TABLE area ADD PRIMARY KEY (id);
    VACUUM ANALYZE area`);
  return rows.length;
}

function positionsOf(xy: readonly number[]): string {
  const positions: string[] = [];
  for (let i = 0; i < xy.length; i += 2) positions.push(`${xy[i]} ${xy[i + 1]}`);
  return positions.join(',');
}

/** Both must do the same work: shares of layers that answer yes or no are held against each other. */
function compareShares(work: Work): void {
  const yesOrNo = answers.filter(({ answer }) => answer.kind === 'boolean').map(({ answer }) => answer.key);
  const rows = cluster.sql(
    `SELECT replace(row_to_json(q)::text, E'\\n', '') FROM (${areaStatement(answers, `id <= ${COMPARED}`, work).replace('SELECT ', 'SELECT p.id, ')} ORDER BY p.id) q`,
  );
  let differing = 0;
  rows.split('\n').forEach((row, i) => {
    const ours = askArea(served, parcels[i]!, answers);
    if (ours === null) return;
    const theirs = JSON.parse(row) as Record<string, { share: number | null } | null>;
    const { layers } = JSON.parse(ours) as { layers: Record<string, { share: number } | null> };
    differing += yesOrNo.filter(
      (key) => layers[key] && Math.abs(layers[key].share - (theirs[key]?.share ?? 0)) > TOLERANCE,
    ).length;
  });
  console.log(`${COMPARED * yesOrNo.length} shares compared with PostGIS doing ${work} work, ${differing} differ`);
}
