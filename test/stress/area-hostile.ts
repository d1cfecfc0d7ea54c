// Ask for 100,000 areas that are as costly as their limits allow: time of the thread for each, and plain lookups beside them (AREAS=N SEED=N)
/**
 * Areas that are as costly as their limits allow, sent to a server with one thread for them, and plain lookups beside: `make stress NAME=area-hostile`. Each
 * area must be answered or refused, and an accepted one must not keep the thread for more than 250 ms. AREAS sets how many (default 100,000),
 * SEED which. On the real extracts where they are, otherwise on the sample. What takes longer from the client's side is measured again by itself, by the
 * time of the processor.
 */
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { answerArea } from '../../workers/areas/feature.ts';
import { openServed, prepareSnapshot } from '../../workers/engine/served-snapshot.ts';
import { percentiles } from '../bench/parts/percentiles.ts';
import { hostileArea, hostileShapes, type HostileArea } from '../support/material/hostile-areas.ts';
import { hostilePlaces } from '../support/material/hostile-places.ts';
import { leastProcessorMs } from '../support/drivers/processor-time.ts';
import { issueKeys } from '../support/material/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { atLeast, atMost, tell } from './parts/figures-table.ts';
import { LoadClient, openLoop } from './parts/load-client.ts';
import { realDataOrSample } from './parts/real-data-or-sample.ts';

const areas = Number(process.env['AREAS'] ?? 100_000);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const MOST_MS = 250;
const PLAIN_PER_S = 20;
/** One is with the thread, and one waits for it. */
const AT_ONCE = 2;
const PLACES = 1000;

using data = realDataOrSample();
const { folder, addresses } = data;
/** So many that none has ten large bodies refused in a second. */
const AREA_KEYS = 100;
const [plainKey, ...areaKeys] = (await issueKeys(
  { dataDir: folder.path },
  { count: 1 + AREA_KEYS, limitPerHour: 100_000_000 },
)) as [string, ...string[]];
const catalogue = readCatalogue(join(projectDir, 'layers'));
const { dir } = requireCurrentSnapshot(folder.path);
const served = openServed({ ...prepareSnapshot(dir, false), opening: 1 }, catalogue);
const nextPlace = hostilePlaces(served.snapshot, seededRandom(seed));
const places = Array.from({ length: PLACES }, nextPlace);
console.log(`${areas} areas, SEED=${seed}`);

const byStatus: Record<number, number> = {};
const slow: number[] = [];
let isOver = false;
{
  await using service = await ServiceProcess.start(folder.path, {}, { program: compiledService, dropsRequests: true });
  const beside = plainLookups(service.url);
  await allAreas(service.url);
  isOver = true;
  const plain = await beside;
  const { p50, p99 } = percentiles(plain.map(({ ms }) => ms));
  const longest = longestOf(slow);
  const answered = [200, 400, 422].reduce((sum, status) => sum + (byStatus[status] ?? 0), 0);
  console.log({ byStatus, measuredAgain: slow.length, plain: { lookups: plain.length, p50, p99 } });
  tell([
    atLeast('areas accepted', byStatus[200] ?? 0, areas / 5),
    atMost('areas without an answer', areas - answered, 0),
    atMost(`slowest accepted area (number ${longest.number})`, longest.ms, MOST_MS, 'ms'),
    atLeast('plain lookups answered', plain.filter(({ status }) => status === 200).length / plain.length, 1),
    atMost('p99 of plain lookups', p99, 100, 'ms'),
  ]);
}
served.snapshot.close();

function area(number: number): HostileArea {
  const shape = hostileShapes[number % hostileShapes.length]!;
  return hostileArea(shape, seededRandom(seed * 1e6 + number), places[number % PLACES]!);
}

async function allAreas(url: string): Promise<void> {
  using client = new LoadClient(url, { maxConnections: AT_ONCE });
  let next = 0;
  const connection = async (): Promise<void> => {
    while (next < areas) {
      const number = next++;
      const { status, ms } = await client.ask(
        LoadClient.post('/api/lookup/area', areaKeys[number % AREA_KEYS]!, bodyOf(area(number))),
      );
      byStatus[status] = (byStatus[status] ?? 0) + 1;
      if (status === 200 && ms > MOST_MS / 2) slow.push(number);
      if (![200, 400, 422].includes(status)) console.error(`${status}: area ${number}`);
      if (number % 10_000 === 9999) console.log(`${number + 1}: ${JSON.stringify(byStatus)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, connection));
}

function bodyOf({ polygons }: HostileArea): object {
  const coordinates = polygons.map((rings) =>
    rings.map((ring) => {
      const positions = Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i], ring[2 * i + 1]]);
      return [...positions, positions[0]];
    }),
  );
  return { geometry: { type: 'MultiPolygon', coordinates } };
}

async function plainLookups(url: string): Promise<{ readonly status: number; readonly ms: number }[]> {
  using client = new LoadClient(url);
  const replies: { readonly status: number; readonly ms: number }[] = [];
  const requests = addresses.map((address) => LoadClient.lookup(plainKey, address));
  await openLoop({ perSecond: PLAIN_PER_S, isOver: () => isOver }, async (number) => {
    replies.push(await client.ask(requests[number % requests.length]!));
  });
  return replies;
}

/** The time of the processor that the slowest of some areas takes. */
function longestOf(numbers: readonly number[]): { readonly number: number; readonly ms: number } {
  let longest = { number: -1, ms: 0 };
  for (const number of numbers) {
    const { polygons } = area(number);
    const ask = (): void => void answerArea(served, { kind: 'area', polygons, isClosed: true }, catalogue);
    const ms = leastProcessorMs(ask, longest.ms);
    if (ms > longest.ms) longest = { number, ms };
    if (ms > MOST_MS) console.error(`${ms.toFixed(0)} ms: area ${number}, ${area(number).shape}`);
  }
  return longest;
}
