// Send bodies that are refused and cost much to read, and measure what another client's plain lookups get (DURATION=60)
/**
 * One client sends the worst bodies that routes refuse on 16 connections, while another makes a few plain lookups: `make stress NAME=refused`.
 * Before, the processor time of each of them, one at a time, for each time that it counts as refused. DURATION of the flood in seconds (default 60).
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
const ROUNDS = 3;
const WARM_UP = 4;
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
  readonly counts: number;
}

/** The processor time of each body, beside that of a plain lookup. */
async function processorTimes(): Promise<Figure[]> {
  using client = new LoadClient(service.url, { maxConnections: 1 });
  for (let i = 0; i < 200; i++) await client.ask(plain);
  const { ms: plainMs } = await rowOf(client, null);
  const rows: Record<string, Row> = {};
  for (const body of refusedBodies) rows[`${body.path}: ${body.what}`] = await rowOf(client, body);
  console.table({ 'plain lookup': { ms: plainMs }, ...rows });
  const worst = Math.max(...Object.values(rows).map(({ ms, counts }) => ms / counts));
  return [atMost('processor time of the worst for each time it counts, in plain lookups', worst / plainMs, 2)];
}

/** @param body null: a plain lookup. */
async function rowOf(client: LoadClient, body: RefusedBody | null): Promise<Row> {
  const request = (key: string): Buffer => (body === null ? plain : requestOf(key, body));
  // No key had anything refused in the last second.
  await setTimeout(1100);
  const unused = [...keys];
  // Until the code is compiled.
  for (const key of unused.splice(-WARM_UP)) await client.ask(request(key));
  const rounds: number[] = [];
  const statuses = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const requests = unused.splice(-IN_ROUND).map(request);
    const startMs = cpuMs();
    for (const one of requests) statuses.add((await client.ask(one)).status);
    rounds.push((cpuMs() - startMs) / IN_ROUND);
  }
  // What others do on the machine makes it more, never less.
  const ms = Math.round(Math.min(...rounds) * 100) / 100;
  const bytes = body?.body.length ?? plain.length;
  const read = body?.readBytes ?? bytes;
  return { bytes, status: [...statuses].join(), ms, counts: timesCounted(read > LARGE_BYTES ? read : 0) };
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
