// Swap snapshots, crash threads, restart Redis and import under steady load (DURATION=180 RATE=200)
/**
 * A server under steady load while its data is swapped, spoilt and imported, its threads die and Redis comes and goes:
 * `make stress NAME=swap`. DURATION in seconds (default 180; a shorter run has fewer of all), RATE in requests a second (200).
 */
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { projectDir } from '../../src/project/project.ts';
import { useSnapshot } from '../../src/core/snapshots/publish.ts';
import { percentiles } from '../bench/parts/percentiles.ts';
import { atLeast, atMost, tell, type Figure } from './parts/figures-table.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { LoadClient, openLoop, type Reply } from './parts/load-client.ts';
import { processFigures } from '../support/drivers/process-figures.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { issueKeys } from '../support/material/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { importTwoSnapshots, largeSource, storeBadSnapshots, townsAsOf } from './parts/swap-material.ts';

const durationMs = Number(process.env['DURATION'] ?? 180) * 1000;
const perSecond = Number(process.env['RATE'] ?? 200);
const times = (whole: number): number => Math.max(1, Math.round((whole * durationMs) / 180_000));
const [SWAPS, BAD, CRASHES, RESTARTS] = [Math.max(3, times(20)), times(3), times(5), times(2)];
const WETLANDS = 30_000;
/** Of every 50 requests the last asks for no such street, the one before for another province, the one before with a key without limit left. */
const addresses = ['12 Main St W, Sampleton, ON', '15 Main St W, Sampleton, ON'];
/** One of so many asks for all details, which cost several times the plain answer. */
const FULL_ONE_IN = 25;
const FULL = '?detail=full';

using folder = temporaryFolder();
const dataDir = join(folder.path, 'data');
const crashFile = join(folder.path, 'crash');
const CRASH_WITHIN_MS = 1000;
const snapshots = importTwoSnapshots(dataDir, join(folder.path, 'second'));
const bad = storeBadSnapshots(dataDir, snapshots[1]).slice(0, BAD);
largeSource(join(folder.path, 'third'), { town: 'THIRDTON', asOf: '2026-03-03' }, WETLANDS);

// A Redis that keeps what it knows, as one with keys in it must.
await using redis = await RedisServer.start('--appendonly', 'yes', '--appendfsync', 'everysec');
const [key, spent] = (await Promise.all(
  [100_000_000, 1].map(
    async (limitPerHour) => (await issueKeys({ dataDir, redisUrl: redis.url }, { count: 1, limitPerHour }))[0],
  ),
)) as [string, string];
const preload = pathToFileURL(join(projectDir, 'test', 'support', 'drivers', 'crash-thread.mjs')).href;
await using service = await ServiceProcess.start(
  dataDir,
  { REDIS_URL: redis.url, WORKER_THREADS: '2', CRASH_FILE: crashFile, NODE_OPTIONS: `--import=${preload}` },
  { program: compiledService, dropsRequests: true },
);
using client = new LoadClient(service.url);

/** The right answer by snapshot, address and query. */
const right = new Map<string, string>();
await learn(snapshots[1]);
await learn(snapshots[0]);

/** What came for a snapshot that was not known then; compared at the end. */
const unchecked: { readonly name: string; readonly body: string }[] = [];
const statuses: Record<number, number> = {};
const latencies: number[] = [];
const rss: number[] = [];
let wrong = 0;
let lost = 0;
const isOver = (
  (endMs) => () =>
    performance.now() > endMs
)(performance.now() + durationMs);
const importing = sleep(durationMs / 10).then(importBeside);
let crashed = 0;
const crashes = repeatedly(CRASHES, async (n) => {
  writeFileSync(crashFile, n % 2 ? 'exit' : 'throw');
  // The thread that is to die takes it away.
  await sleep(CRASH_WITHIN_MS);
  if (!existsSync(crashFile)) crashed++;
});
const restarts = repeatedly(RESTARTS, async () => {
  await redis.kill();
  await sleep(1500);
  await redis.start();
});
const swaps = swapAround();
await openLoop({ perSecond, isOver }, send);
await Promise.all([crashes, restarts, swaps, importing]);
await learn(await importing);
for (const { name, body } of unchecked) if (right.get(name) !== body) wrong++;
tell(figures());

async function send(number: number, dueMs: number): Promise<void> {
  const place = number % 50;
  const address = addresses[number % addresses.length]!;
  const query = place % FULL_ONE_IN === 0 ? FULL : '';
  const request =
    place === 49
      ? LoadClient.lookup(key, '1 Nowhere Road, Sampleton, ON')
      : place === 48
        ? LoadClient.lookup(key, '100 Rue Sherbrooke, Montréal, QC')
        : LoadClient.lookup(place === 47 ? spent : key, address, { query });
  const reply = await client.ask(request, dueMs);
  statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
  latencies.push(reply.ms);
  if (reply.status === 200) check(address + query, reply);
  else if (reply.status === 503) lost++;
}

function check(asked: string, { body }: Reply): void {
  const name = `${townsAsOf(body)} ${asked}`;
  const expected = right.get(name);
  if (expected === undefined) unchecked.push({ name, body });
  else if (expected !== body) wrong++;
}

function snapshotOf(body: string): string {
  return (JSON.parse(body) as { snapshot: { id: string } }).snapshot.id;
}

/** Puts a snapshot into service and keeps what it answers. @throws Error when another snapshot has the same name in its answers. */
async function learn(id: string): Promise<void> {
  await swapTo(id);
  for (const address of addresses) {
    const full = (await client.ask(LoadClient.lookup(key, address, { query: FULL }))).body;
    const plain = (await client.ask(LoadClient.lookup(key, address))).body;
    if (snapshotOf(full) !== id) throw new Error(`not from ${id}: ${full}`);
    for (const [query, body] of [
      [FULL, full],
      ['', plain],
    ] as const) {
      const name = `${townsAsOf(body)} ${address}${query}`;
      if (right.has(name)) throw new Error('two snapshots have the same name in their answers');
      right.set(name, body);
    }
  }
}

async function swapTo(id: string): Promise<void> {
  useSnapshot(dataDir, id);
  service.signal('SIGHUP');
  const readyz = Buffer.from('GET /readyz HTTP/1.1\r\nHost: load\r\n\r\n');
  while (snapshotOf((await client.ask(readyz)).body) !== id) await sleep(50);
}

/** Swaps at an even pace, bad snapshots between them; notes the memory before each swap. */
async function swapAround(): Promise<void> {
  const paceMs = durationMs / (SWAPS + 2);
  const startMs = performance.now();
  for (let swap = 1; swap <= SWAPS; swap++) {
    await swapTo(snapshots[swap % 2]!);
    await sleep(paceMs / 4);
    const spoilt = swap % Math.floor(SWAPS / BAD) === 0 ? bad[swap / Math.floor(SWAPS / BAD) - 1] : undefined;
    if (spoilt !== undefined) await offer(spoilt);
    await sleep(Math.max(0, startMs + paceMs * swap - performance.now()));
    rss.push(processFigures(service.pid).rssMb);
  }
}

/** Puts a bad snapshot where the one in service is expected, and waits until it is refused. */
async function offer(id: string): Promise<void> {
  useSnapshot(dataDir, id);
  while (!service.lines.some(({ message, snapshot }) => message === 'snapshot refused' && snapshot === id)) {
    await sleep(20);
  }
}

/** At even times over the whole, the first not at the begin. */
async function repeatedly(times: number, act: (n: number) => unknown): Promise<void> {
  for (let n = 0; n < times; n++) {
    await sleep(durationMs / (times + 1));
    await act(n);
  }
}

/** As the refresh unit does, at low priority. Gives the snapshot that it made; it ends with 1 where a swap went before it, which stays in service. */
async function importBeside(): Promise<string> {
  const command = [
    process.execPath,
    ...compiledService.slice(0, -1),
    'load-layers',
    '--from',
    join(folder.path, 'third'),
    '--force',
  ];
  const env = { ...process.env, DATA_DIR: dataDir };
  const ran = promisify(execFile)('nice', ['-n', '10', ...command], { env });
  const { stdout } = await ran.catch((cause: unknown) => {
    const failure = cause as { readonly code: number; readonly stdout: string };
    if (failure.code !== 1) throw cause;
    return failure;
  });
  return /\d{8}T\d{6}Z-[0-9a-f]{12}/.exec(stdout)![0];
}

/** How many requests each logged reason cost. */
function reasonsOf503(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { message, detail } of service.lines) {
    if (message === 'request') counts[String(detail)] = (counts[String(detail)] ?? 0) + 1;
  }
  return counts;
}

function figures(): Figure[] {
  const said = (message: string): number => service.lines.filter((line) => line['message'] === message).length;
  const dead = said('lookup thread failed');
  console.log({ requests: latencies.length, statuses, 'RSS MB after each swap': rss.map(Math.round).join(' ') });
  console.log({
    refused: said('snapshot refused'),
    swapped: said('snapshot in service'),
    'faults without a task': dead,
  });
  console.log('503 by reason', reasonsOf503());
  const others = Object.entries(statuses)
    .filter(([status]) => !['200', '404', '422', '429', '503'].includes(status))
    .reduce((sum, [, count]) => sum + count, 0);
  return [
    atMost('other answers than 200, 404, 422, 429, 503', others, 0),
    atMost('503 (a lookup is asked again when its thread crashes)', lost, CRASHES),
    atLeast('threads that crashed', crashed, CRASHES),
    atMost('wrong for the snapshot that it names', wrong, 0),
    atMost('bad snapshots not refused', bad.length - said('snapshot refused'), 0),
    atMost('p99', percentiles(latencies).p99, 100, 'ms'),
    atMost(`RSS after ${SWAPS} swaps over that after 2`, rss.at(-1)! / rss[1]!, 1.1),
  ];
}
