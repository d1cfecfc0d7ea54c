/**
 * A server under steady load while its data is swapped, spoilt and imported, its threads die and Redis comes and goes:
 * `make stress-swap`. DURATION in seconds (default 180), RATE in requests a second (200).
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { projectDir } from '../../src/config.ts';
import { useSnapshot } from '../../src/snapshots/publish.ts';
import { percentiles } from '../bench/percentiles.ts';
import { atMost, tell, type Figure } from '../support/figures-table.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LoadClient, openLoop, type Reply } from '../support/load-client.ts';
import { processFigures } from '../support/process-figures.ts';
import { RedisServer } from '../support/redis.ts';
import { issueKeys } from '../support/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/service-process.ts';
import { importTwoSnapshots, largeSource, storeBadSnapshots } from '../support/swap-material.ts';

const durationMs = Number(process.env['DURATION'] ?? 180) * 1000;
const perSecond = Number(process.env['RATE'] ?? 200);
const SWAPS = 20;
const WETLANDS = 30_000;
/** Of every 50 requests the last asks for no such street, the one before for another province, the one before with a key without limit left. */
const addresses = ['12 Main St W, Sampleton, ON', '15 Main St W, Sampleton, ON'];

using folder = temporaryFolder();
const dataDir = join(folder.path, 'data');
const crashFile = join(folder.path, 'crash');
const snapshots = importTwoSnapshots(dataDir, join(folder.path, 'second'));
const bad = storeBadSnapshots(dataDir, snapshots[1]);
largeSource(join(folder.path, 'third'), 'THIRDTON', WETLANDS);

// A Redis that keeps what it knows, as one with keys in it must.
await using redis = await RedisServer.start('--appendonly', 'yes', '--appendfsync', 'everysec');
const [key, spent] = (await Promise.all(
  [100_000_000, 1].map(
    async (limitPerHour) => (await issueKeys({ dataDir, redisUrl: redis.url }, { count: 1, limitPerHour }))[0],
  ),
)) as [string, string];
const preload = pathToFileURL(join(projectDir, 'test', 'support', 'crash-thread.mjs')).href;
await using service = await ServiceProcess.start(
  dataDir,
  { REDIS_URL: redis.url, WORKER_THREADS: '2', CRASH_FILE: crashFile, NODE_OPTIONS: `--import=${preload}` },
  { program: compiledService, dropsRequests: true },
);
using client = new LoadClient(service.url);

/** The right answer by snapshot and address. */
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
const crashes = repeatedly(5, (n) => {
  writeFileSync(crashFile, n % 2 ? 'exit' : 'throw');
});
const restarts = repeatedly(2, async () => {
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
  const request =
    place === 49
      ? LoadClient.lookup(key, '1 Nowhere Road, Sampleton, ON')
      : place === 48
        ? LoadClient.lookup(key, '100 Rue Sherbrooke, Montréal, QC')
        : LoadClient.lookup(place === 47 ? spent : key, address, '?detail=full');
  const reply = await client.ask(request, dueMs);
  statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
  latencies.push(reply.ms);
  if (reply.status === 200) check(address, reply);
  else if (reply.status === 503) lost++;
}

function check(address: string, { body }: Reply): void {
  const name = `${snapshotOf(body)} ${address}`;
  const expected = right.get(name);
  if (expected === undefined) unchecked.push({ name, body });
  else if (expected !== body) wrong++;
}

function snapshotOf(body: string): string {
  return (JSON.parse(body) as { snapshot: { id: string } }).snapshot.id;
}

/** Puts a snapshot into service and keeps what it answers. @throws Error when another snapshot answers the same. */
async function learn(id: string): Promise<void> {
  await swapTo(id);
  for (const address of addresses) {
    const { body } = await client.ask(LoadClient.lookup(key, address, '?detail=full'));
    if (snapshotOf(body) !== id) throw new Error(`not from ${id}: ${body}`);
    const others = snapshots.filter((other) => other !== id).map((other) => right.get(`${other} ${address}`));
    const plain = (text: string | undefined): unknown =>
      text === undefined ? null : (JSON.parse(text) as { layers: unknown }).layers;
    if (others.some((other) => JSON.stringify(plain(other)) === JSON.stringify(plain(body)))) {
      throw new Error('the snapshots answer alike');
    }
    right.set(`${id} ${address}`, body);
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
    const spoilt = swap % 6 === 0 ? bad[swap / 6 - 1] : undefined;
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

/** As the refresh unit does, at low priority. Gives the snapshot that it published. */
async function importBeside(): Promise<string> {
  const command = [
    process.execPath,
    compiledService[0]!,
    'load-layers',
    '--from',
    join(folder.path, 'third'),
    '--force',
  ];
  const env = { ...process.env, DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)('nice', ['-n', '10', ...command], { env });
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
    atMost('503 (a crashed thread has one lookup)', lost, 5),
    atMost('wrong for the snapshot that it names', wrong, 0),
    atMost('bad snapshots not refused', bad.length - said('snapshot refused'), 0),
    atMost('p99', percentiles(latencies).p99, 100, 'ms'),
    atMost('RSS after 20 swaps over that after 2', rss[19]! / rss[1]!, 1.1),
  ];
}
