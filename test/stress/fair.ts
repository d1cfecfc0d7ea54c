// Flood with one client's costly lookups, and measure what another's plain ones get (DURATION=20)
/**
 * One client floods with costly lookups while another makes a few plain ones, with one lookup thread and with three: `make stress NAME=fair`.
 * DURATION of each part in seconds (default 20). On the real extracts where they are, otherwise on the sample, whose lookups cost less.
 */
import { percentiles } from '../bench/parts/percentiles.ts';
import { issueKeys } from '../support/material/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { atLeast, atMost, tell, type Figure } from './parts/figures-table.ts';
import { LoadClient, openLoop, type Reply } from './parts/load-client.ts';
import { realDataOrSample } from './parts/real-data-or-sample.ts';

const durationMs = Number(process.env['DURATION'] ?? 20) * 1000;
const NEAR = '?detail=full&geometry=near';
const FLOOD_PER_S = 200;
const AT_ONCE = 64;
const PLAIN_PER_S = 20;
/** The other client keeps at least this share of what it gets alone: costly lookups may use half of the thread time. */
const FAIR_REST = 0.4;

using data = realDataOrSample();
const { folder, addresses } = data;
const limitPerHour = 100_000_000;
const [floodKey, plainKey] = (await issueKeys({ dataDir: folder.path }, { count: 2, limitPerHour })) as [
  string,
  string,
];
const figures: Figure[] = [];
for (const threads of [1, 3]) figures.push(...(await withThreads(threads)));
tell(figures);

async function withThreads(threads: number): Promise<Figure[]> {
  const env = { WORKER_THREADS: String(threads) };
  const how = { program: compiledService, dropsRequests: true };
  await using service = await ServiceProcess.start(folder.path, env, how);
  const { url } = service;
  await Promise.all([plain(url), flood(url)]);
  const floodAlone = perSecond(await flood(url));
  const figuresOf: Figure[] = [];
  for (const [how, load] of [
    [`${FLOOD_PER_S} a second`, flood],
    [`${AT_ONCE} at once`, floodAtOnce],
  ] as const) {
    const [flooded, replies] = await Promise.all([load(url), plain(url)]);
    const what = `${threads} threads, ${how}: `;
    const answered = replies.filter(({ status }) => status === 200);
    console.log(what, {
      flood: byStatus(flooded),
      plain: byStatus(replies),
      plainMs: percentiles(answered.map(({ ms }) => ms)),
    });
    figuresOf.push(
      atLeast(`${what}plain answered`, answered.length / replies.length, 0.99),
      atMost(`${what}p99 of plain`, percentiles(answered.map(({ ms }) => ms)).p99, 100, 'ms'),
      atLeast(`${what}flood, of what it gets alone`, perSecond(flooded) / floodAlone, FAIR_REST),
    );
  }
  return figuresOf;
}

function plain(url: string): Promise<Reply[]> {
  return offered(url, { key: plainKey, perSecond: PLAIN_PER_S });
}

function flood(url: string): Promise<Reply[]> {
  return offered(url, { key: floodKey, perSecond: FLOOD_PER_S, query: NEAR });
}

async function offered(url: string, load: { key: string; perSecond: number; query?: string }): Promise<Reply[]> {
  using client = new LoadClient(url);
  const requests = addresses.map((address) => LoadClient.lookup(load.key, address, load));
  const endMs = performance.now() + durationMs;
  const replies: Reply[] = [];
  const isOver = (): boolean => performance.now() > endMs;
  await openLoop({ perSecond: load.perSecond, isOver }, async (number, dueMs) => {
    replies.push(await client.ask(requests[number % requests.length]!, dueMs));
  });
  return replies;
}

/** So many connections, each of which asks again once it has its answer. */
async function floodAtOnce(url: string): Promise<Reply[]> {
  using client = new LoadClient(url, { maxConnections: AT_ONCE });
  const requests = addresses.map((address) => LoadClient.lookup(floodKey, address, { query: NEAR }));
  const endMs = performance.now() + durationMs;
  const replies: Reply[] = [];
  const connection = async (_: unknown, first: number): Promise<void> => {
    for (let n = first; performance.now() < endMs; n += AT_ONCE) {
      replies.push(await client.ask(requests[n % requests.length]!));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, connection));
  return replies;
}

function perSecond(replies: readonly Reply[]): number {
  return (replies.filter(({ status }) => status === 200).length * 1000) / durationMs;
}

function byStatus(replies: readonly Reply[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
