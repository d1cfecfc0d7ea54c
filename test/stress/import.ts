// Kill an import from a faulty server 20 times and compare the result with an import of the files (KILLS=N; skipped without real data)
/**
 * Kills `load-layers` at random moments while it imports the real extracts from a server that fails in every way and from packages whose
 * connections break, and starts it again, until it has been killed often enough and comes to its end. Nothing that was on the disk may be
 * fetched again, packages may cost 1.05 times their size, and the answers must be those of an import of the files: `make stress NAME=import`. KILLS (default 20) and SEED from the environment.
 */
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { twofoldSources } from '../support/doubles/arcgis/extracts.ts';
import { faultKinds, randomFaults } from '../support/doubles/arcgis/faults.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { cliOrThrow } from '../support/drivers/cli.ts';
import { FileHost } from '../support/doubles/file-server.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { killedLoads } from '../support/drivers/killed-loads.ts';
import { definitionsWithAddresses } from '../support/material/layer-definitions.ts';
import { publishLayers } from '../support/doubles/packages.ts';
import { differingAnswers, differingRows, placesNear, tablesOf } from '../support/oracles/same-snapshots.ts';
import { sharedData } from '../support/material/shared-data.ts';

const kills = Number(process.env['KILLS'] ?? 20);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const PLACES = 3000;
/** What lies in a package beside the data, so that a cut in the middle costs little of it. */
const BALLAST_BYTES = 20_000_000;
const BYTES_PER_SECOND = 4_000_000;
const MOST_PACKAGE_SHARE = 1.05;

if (sharedData === null) console.log('skipped: no real data');
else process.exitCode = await run(join(sharedData, 'sources'));

async function run(extracts: string): Promise<number> {
  console.log(`${kills} kills, SEED=${seed}`);
  using folder = temporaryFolder();
  await using server = await ArcgisServer.start([]);
  const layersDir = definitionsWithAddresses(join(folder.path, 'layers'), server.url);
  const { layers, folder: from } = twofoldSources(readCatalogue(layersDir), extracts, folder.path);
  server.layers = layers;
  const random = seededRandom(seed);
  server.faults = randomFaults(random, 0.15, faultKinds);

  await using host = await FileHost.start();
  const content = { layers, folder: folder.path, ballastBytes: BALLAST_BYTES };
  publishLayers(host, readCatalogue(layersDir), content);
  host.bytesPerSecond = BYTES_PER_SECOND;
  host.cut = { afterBytes: BALLAST_BYTES / 25, times: kills * host.files.size };
  console.log(`${host.files.size} packages, each cut often`);

  const [killed, read] = [join(folder.path, 'killed'), join(folder.path, 'read')] as const;
  server.featuresMs = 200;
  const { rows, chunks, deliveredTwice, packageShare, packageCuts } = await killedLoads({
    ...{ dataDir: killed, layersDir, server, host, kills, random },
    onKill: ({ seconds, phase, chunksHeld }) => {
      console.log(`killed after ${seconds} s, ${phase}, with ${chunksHeld} chunks`);
    },
  });
  console.table(rows);
  console.log(
    `${chunks} chunks; ${deliveredTwice} features came twice, because they were on their way when it was killed`,
  );
  console.log(`${packageCuts} answers with packages were cut; they cost ${packageShare.toFixed(3)} of their size`);
  cliOrThrow(read, 'load-layers', '--from', from);
  const differences = [
    ...tablesOf(killed).flatMap((table) => differingRows([killed, read], table)),
    ...differingAnswers([killed, read], placesNear(layers, PLACES, random)),
  ];
  for (const difference of differences.slice(0, 20)) console.error(difference);
  const fetchedAgain = rows.reduce((sum, row) => sum + row.fetchedAgain, 0);
  console.log(
    `${differences.length} differences in ${tablesOf(killed).length} tables and ${PLACES} places, ${fetchedAgain} chunks fetched again`,
  );
  const isCheap = packageShare <= MOST_PACKAGE_SHARE && packageCuts >= kills;
  return differences.length === 0 && fetchedAgain === 0 && isCheap ? 0 : 1;
}
