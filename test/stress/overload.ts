// Send three times the capacity to a process, alone and behind HAProxy: throughput, latency, refusals, recovery (DURATION=20)
/**
 * A server that is offered three times what it can answer, by itself and behind the sample configuration of HAProxy: `make stress NAME=overload`.
 * DURATION of each overload in seconds (default 20). The load is made by this process on the same cores, so the capacity is measured
 * with the same program.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, tell } from './parts/figures-table.ts';
import { LoadClient, openLoop, type Reply } from './parts/load-client.ts';
import { startProxy } from '../support/drivers/proxies.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { percentiles } from '../bench/parts/percentiles.ts';

const durationMs = Number(process.env['DURATION'] ?? 20) * 1000;
const TIMES_CAPACITY = 3;
const DEADLINE_MS = 2000;
const WARM_UP_MS = 5000;
const CAPACITY_MS = 8000;
/** As many at a time as keep every thread and the main thread busy, and no queue. */
const CONNECTIONS = 32;
/** As proxies keep some hundreds; what finds none free waits, and its time counts. */
const CONNECTIONS_OF_OVERLOAD = 600;
const RECOVERY_MS = 2000;
/** So many that no key reaches its share of lookups in flight (`--in-flight`): here the service is full, not a key. */
const KEYS = 20;

/** So many addresses that HAProxy refuses none for its connections. */
const FROM = { localAddresses: Array.from({ length: 10 }, (_, number) => `127.0.0.${number + 1}`) };

interface Target {
  readonly url: string;
  readonly ca?: string;
}

interface Timed extends Pick<Reply, 'status' | 'ms' | 'head'> {
  readonly dueMs: number;
}

using folder = ownSampleFolder();
const keys = await issueKeys({ dataDir: folder.path }, { count: KEYS, limitPerHour: 100_000_000 });
await using service = await ServiceProcess.start(
  folder.path,
  { WORKER_THREADS: '2', LOOKUP_DEADLINE_MS: String(DEADLINE_MS) },
  { program: compiledService, dropsRequests: true },
);
const requests = keys.map((key) => LoadClient.lookup(key, SAMPLE_ADDRESS.address));

await closedLoop(service, WARM_UP_MS);
await overload('by itself', service);
{
  await using proxy = await startProxy('haproxy', [service.url, service.url], { keepsTimes: true });
  await overload('behind HAProxy', proxy);
}

async function overload(name: string, target: Target): Promise<void> {
  const before = await closedLoop(target, CAPACITY_MS);
  using client = new LoadClient(target.url, { ...FROM, ...target, maxConnections: CONNECTIONS_OF_OVERLOAD });
  const endMs = performance.now() + durationMs;
  const overload = offer(client, before * TIMES_CAPACITY, endMs);
  await sleep(durationMs);
  const recovery = offer(client, before / 2, endMs + 2 * RECOVERY_MS);
  await Promise.all([overload.isAnswered, recovery.isAnswered]);
  const after = await closedLoop(target, CAPACITY_MS);
  console.log(`\n${name}`);
  report({ before, after, endMs, overload: overload.replies, recovery: recovery.replies });
}

/** Answers a second when each connection asks again once it has its answer. */
async function closedLoop(target: Target, ms: number): Promise<number> {
  using client = new LoadClient(target.url, { ...FROM, ...target, maxConnections: CONNECTIONS });
  const endMs = performance.now() + ms;
  let answered = 0;
  const connection = async (number: number): Promise<void> => {
    while (performance.now() < endMs) if ((await client.ask(requestOf(number))).status === 200) answered++;
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, number) => connection(number)));
  return (answered * 1000) / ms;
}

/** The lookup with a number, by the keys in turns. */
function requestOf(number: number): Buffer {
  return requests[number % KEYS] as Buffer;
}

/** Offers so many requests a second until a moment. */
function offer(client: LoadClient, perSecond: number, untilMs: number) {
  const replies: Timed[] = [];
  const isOver = (): boolean => performance.now() > untilMs;
  const isAnswered = openLoop({ perSecond, isOver }, async (number, dueMs) => {
    const { status, ms, head } = await client.ask(requestOf(number), dueMs);
    replies.push({ status, ms, head, dueMs });
  });
  return { replies, isAnswered };
}

interface Outcome {
  readonly before: number;
  readonly after: number;
  readonly endMs: number;
  readonly overload: readonly Timed[];
  readonly recovery: readonly Timed[];
}

function report({ before, after, endMs, overload, recovery }: Outcome): void {
  const of = (status: number, replies: readonly Timed[]) => replies.filter((reply) => reply.status === status);
  const [accepted, refused] = [of(200, overload), of(503, overload)];
  const inTime = accepted.filter(({ dueMs, ms }) => dueMs + ms <= endMs);
  const capacity = Math.min(before, after);
  const p = (replies: readonly Timed[]) => percentiles(replies.map(({ ms }) => ms));
  const lastRefusedMs = Math.max(0, ...of(503, recovery).map(({ dueMs, ms }) => dueMs + ms - endMs));
  console.log({
    'capacity before and after, a second': [before, after].map(Math.round),
    'offered a second': Math.round((overload.length * 1000) / durationMs),
    'answered with 200, with 503': [accepted.length, refused.length],
    'accepted, ms': p(accepted),
    'refused, ms': p(refused),
  });
  tell([
    atLeast('200s a second over capacity', (inTime.length * 1000) / durationMs / capacity, 0.8),
    atMost('p99 of the accepted', p(accepted).p99, 2 * DEADLINE_MS, 'ms'),
    atMost('p99 of the refused', p(refused).p99, 1000, 'ms'),
    atMost('other answers than 200 and 503', overload.length - accepted.length - refused.length, 0),
    atMost('503 without Retry-After', refused.filter(({ head }) => !/\r\nretry-after: \d/i.test(head)).length, 0),
    atMost('last 503 after the end', lastRefusedMs, RECOVERY_MS, 'ms'),
  ]);
}
