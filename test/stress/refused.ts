// Send bodies that are refused and cost much to read, and measure what another client's plain lookups get (DURATION=60)
/**
 * One client sends the worst bodies that routes refuse on 16 connections, while another makes a few plain lookups: `make stress NAME=refused`.
 * Before, the processor time of each of them, one at a time, by itself and for each time that it counts as refused. DURATION of the flood in seconds (default 60).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { timesCounted } from '../../src/core/http/refused-requests.ts';
import { percentiles } from '../bench/parts/percentiles.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { refusedBodies, type RefusedBody } from '../support/material/refused-bodies.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { atLeast, atMost, tell, type Figure } from './parts/figures-table.ts';
import { LoadClient, openLoop, type Reply } from './parts/load-client.ts';

const durationMs = Number(process.env['DURATION'] ?? 60) * 1000;
const CONNECTIONS = 16;
const PLAIN_PER_S = 20;
/** Requests of a body in a round, each of a key that had none refused for a second: a large one counts as several. */
const IN_ROUND = 8;
const ROUNDS = 6;
const WARM_UP = 4;
/** Plain lookups that the worst body of a route costs at most: two, but for those that take areas (docs/decisions/0259). */
const MOST_PLAIN_LOOKUPS: Readonly<Record<string, number>> = { '/api/lookup/area': 3, '/mcp': 3 };
/** Smaller bodies count once. */
const LARGE_BYTES = 16 * 1024;

using folder = ownSampleFolder();
const [attacker, other, ...keys] = (await issueKeys(
  { dataDir: folder.path },
  { count: 2 + WARM_UP + ROUNDS * IN_ROUND },
)) as [string, string, ...string[]];
const env = { WORKER_THREADS: '1' };
await using service = await ServiceProcess.start(folder.path, env, { program: compiledService, dropsRequests: true });

const plain = LoadClient.lookup(other, SAMPLE_ADDRESS.address);
tell([...(await processorTimes()), ...(await flood())]);

interface Row {
  readonly bytes: number;
  readonly status: string;
  readonly ms: number;
  /** Of plain lookups right before and after: what else the machine does makes both slower. */
  readonly plainLookups: number;
  readonly counts: number;
}

/** The processor time of each body, beside that of a plain lookup. */
async function processorTimes(): Promise<Figure[]> {
  using client = new LoadClient(service.url, { maxConnections: 1 });
  for (let i = 0; i < 400; i++) await client.ask(plain);
  const rows: [RefusedBody, Row][] = [];
  for (const body of refusedBodies) rows.push([body, await rowOf(client, body)]);
  console.table(Object.fromEntries(rows.map(([{ path, what }, row]) => [`${path}: ${what}`, row])));
  const eachTime = Math.max(...rows.map(([, { plainLookups, counts }]) => plainLookups / counts));
  return [
    ...[...new Set(refusedBodies.map(({ path }) => path))].map((path) => {
      const own = rows.flatMap(([body, { plainLookups }]) => (body.path === path ? [plainLookups] : []));
      return atMost(`the worst body of ${path}, in plain lookups`, Math.max(...own), MOST_PLAIN_LOOKUPS[path] ?? 2);
    }),
    atMost('the worst body for each time it counts, in plain lookups', eachTime, 2),
  ];
}

async function rowOf(client: LoadClient, body: RefusedBody): Promise<Row> {
  // No key had anything refused in the last second.
  await setTimeout(1100);
  const unused = [...keys];
  const lookup = (key: string): Buffer => LoadClient.lookup(key, SAMPLE_ADDRESS.address);
  // A key in use is remembered for some seconds.
  for (const key of unused) await client.ask(lookup(key));
  // Until the code is compiled.
  for (const key of unused.splice(-WARM_UP)) await client.ask(requestOf(key, body));
  const statuses = new Set<number>();
  const timeOf = async (requests: readonly Buffer[], told?: Set<number>): Promise<number> => {
    const startMs = cpuMs();
    for (const request of requests) {
      const { status } = await client.ask(request);
      told?.add(status);
    }
    return (cpuMs() - startMs) / requests.length;
  };
  const rounds: { readonly ms: number; readonly plainLookups: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const inRound = unused.splice(-IN_ROUND);
    const beforeMs = await timeOf(inRound.map(lookup));
    const ms = await timeOf(
      inRound.map((key) => requestOf(key, body)),
      statuses,
    );
    const afterMs = await timeOf(inRound.map(lookup));
    rounds.push({ ms, plainLookups: (2 * ms) / (beforeMs + afterMs) });
  }
  const middleOf = (figure: 'ms' | 'plainLookups'): number =>
    Math.round(percentiles(rounds.map((round) => round[figure])).p50 * 100) / 100;
  const bytes = body.body.length;
  const read = body.readBytes ?? bytes;
  return {
    ...{ bytes, status: [...statuses].join(), ms: middleOf('ms'), plainLookups: middleOf('plainLookups') },
    counts: timesCounted(read > LARGE_BYTES ? read : 0),
  };
}

async function flood(): Promise<Figure[]> {
  const alone = await plainLookups(durationMs / 4);
  using attack = new LoadClient(service.url, { maxConnections: CONNECTIONS });
  const requests = refusedBodies.map((body) => requestOf(attacker, body));
  const refused: Reply[] = [];
  const endMs = performance.now() + durationMs;
  const connection = async (_: unknown, first: number): Promise<void> => {
    for (let n = first; performance.now() < endMs; n++) refused.push(await attack.ask(requests[n % requests.length]!));
  };
  const [replies] = await Promise.all([plainLookups(durationMs), ...Array.from({ length: CONNECTIONS }, connection)]);
  const times = timesOf(replies);
  console.log({ attacker: byStatus(refused), other: byStatus(replies), aloneMs: timesOf(alone), otherMs: times });
  return [
    atMost('p99 of plain lookups of another key', times.p99, 100, 'ms'),
    atMost('503 for another key', replies.filter(({ status }) => status === 503).length, 0),
    atLeast('plain lookups answered', replies.filter(({ status }) => status === 200).length / replies.length, 1),
  ];
}

async function plainLookups(ms: number): Promise<Reply[]> {
  using client = new LoadClient(service.url);
  const endMs = performance.now() + ms;
  const replies: Reply[] = [];
  await openLoop({ perSecond: PLAIN_PER_S, isOver: () => performance.now() > endMs }, async (_, dueMs) => {
    replies.push(await client.ask(plain, dueMs));
  });
  return replies;
}

function timesOf(replies: readonly Reply[]): ReturnType<typeof percentiles> {
  return percentiles(replies.map(({ ms }) => ms));
}

function requestOf(key: string, { path, body, headers }: RefusedBody): Buffer {
  const fields = { Host: 'load', Authorization: `Bearer ${key}`, ...headers, 'Content-Length': String(body.length) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

/** Processor time of the service's threads: the system counts that of a process in hundredths of a second. */
function cpuMs(): number {
  const tasks = `/proc/${service.pid}/task`;
  return readdirSync(tasks).reduce((sum, task) => sum + nanoseconds(`${tasks}/${task}/schedstat`), 0) / 1e6;
}

function nanoseconds(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0]);
  } catch {
    // A thread that has ended meanwhile.
    return 0;
  }
}

function byStatus(replies: readonly Reply[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
