// Measure plain answers, answers with evidence and answers with a map over HTTP, in turns
/**
 * Plain answers, the same places asked for as points, answers with evidence and answers with a map over HTTP, in turns: `make bench NAME=details`. One server, on the real extracts where they are
 * at hand, else on the sample.
 */
import autocannon from 'autocannon';
import { realDataOrSample } from '../stress/parts/real-data-or-sample.ts';
import { issueKeys } from '../support/material/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { cpuMs } from './parts/http-load.ts';
import { percentiles } from './parts/percentiles.ts';

const ROUNDS = 5;
/** Rounds that do not count, until the code is compiled. */
const WARM_UP_ROUNDS = 2;
const CONNECTIONS = 32;
const ROUND_S = 5;

const routes = {
  plain: '/api/lookup',
  'at a point': '/api/lookup/point',
  'with evidence': '/api/lookup?detail=full',
  'with a map too': '/api/lookup?detail=full&geometry=near',
};
type What = keyof typeof routes;

/** Bodies of the requests for one place. */
interface Place {
  readonly address: string;
  readonly point: string;
}

interface Round {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly cpuMsPerRequest: number;
}

using data = realDataOrSample();
const [key] = (await issueKeys({ dataDir: data.folder.path }, { count: 1, limitPerHour: 100_000_000 })) as [string];
const env = { WORKER_THREADS: '1', MAX_PENDING: '256' };
await using service = await ServiceProcess.start(data.folder.path, env, {
  program: compiledService,
  dropsRequests: true,
});
const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
const places = await answered(data.addresses.map((address) => JSON.stringify({ address })));
const rounds = new Map(Object.keys(routes).map((what) => [what as What, [] as Round[]]));
for (let i = -WARM_UP_ROUNDS; i < ROUNDS; i++) {
  for (const [what, results] of rounds) {
    const result = await round(what);
    if (i >= 0) results.push(result);
  }
}
const median = (what: What, of: (round: Round) => number): number => percentiles(rounds.get(what)!.map(of)).p50;
console.table(
  [...rounds.keys()].map((what) => ({
    answers: what,
    'requests/s': Math.round(median(what, ({ perSecond }) => perSecond)),
    'of plain': Number(
      (median(what, ({ perSecond }) => perSecond) / median('plain', ({ perSecond }) => perSecond)).toFixed(2),
    ),
    'p99 ms': median(what, ({ p99Ms }) => p99Ms),
    'p99 of all rounds': rounds
      .get(what)!
      .map(({ p99Ms }) => p99Ms)
      .join(' '),
    'CPU ms a request': Number(median(what, ({ cpuMsPerRequest }) => cpuMsPerRequest).toFixed(2)),
  })),
);

/** Those that are found, so that each round has the same work. */
async function answered(all: readonly string[]): Promise<readonly Place[]> {
  const found: Place[] = [];
  for (const address of all) {
    const response = await fetch(service.url + routes.plain, { method: 'POST', headers, body: address });
    const { lat, lon } = (await response.json()) as { readonly lat?: number; readonly lon?: number };
    if (response.ok) found.push({ address, point: JSON.stringify({ lat, lon }) });
  }
  console.log(`${found.length} of ${all.length} addresses are found and asked for`);
  return found;
}

async function round(what: What): Promise<Round> {
  const before = cpuMs(service.pid);
  const { requests, latency, non2xx, errors } = await autocannon({
    ...{ url: service.url + routes[what], connections: CONNECTIONS, duration: ROUND_S },
    requests: places.map(({ address, point }) => ({
      ...{ method: 'POST' as const, headers },
      body: what === 'at a point' ? point : address,
    })),
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} requests failed`);
  const cpuMsPerRequest = (cpuMs(service.pid) - before) / requests.total;
  return { perSecond: requests.average, p99Ms: latency.p99, cpuMsPerRequest };
}
