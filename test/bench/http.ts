/**
 * The whole request path over HTTP with keep-alive, against a bare Express route that sends the same body: `make bench-http`.
 * Servers are processes of their own, compiled; rounds take turns, so that a noisy machine is noisy for all.
 */
import autocannon from 'autocannon';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectDir } from '../../src/config.ts';
import { cliIn, cliOrThrow } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { RedisServer } from '../support/redis.ts';
import { percentiles } from './percentiles.ts';

const ROUNDS = 5;
const ROUND_S = 5;
const CONNECTIONS = 32;
const ADDRESS = '12 Main St W, Sampleton, ON';
/** Linux counts the CPU time of processes in hundredths of a second. */
const TICK_MS = 10;

interface Subject {
  readonly name: string;
  readonly key: string;
  readonly url: string;
  readonly process: ChildProcess;
}

interface Round {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly cpuMsPerRequest: number;
}

using folder = temporaryFolder();
await using redis = await RedisServer.start();
const service = [join(projectDir, 'dist', 'src', 'main.js'), 'serve'];
cliOrThrow(folder.path, 'load-layers', '--sample');
cliOrThrow(folder.path, 'load-addresses', '--sample');
const create = ['keys', 'create', '--name', 'bench', '--limit', '100000000'];
const inRedis = { REDIS_URL: redis.url };

const subjects: Subject[] = [];
try {
  const memory = { name: 'land-lookup, memory limiter', key: keyOf(cliOrThrow(folder.path, ...create)) };
  subjects.push(await start(memory, service, {}));
  const shared = { name: 'land-lookup, Redis', key: keyOf(cliIn(folder.path, inRedis, ...create).stdout) };
  subjects.push(await start(shared, service, inRedis));
  const answer = await fetch(subjects[0]!.url, request(memory.key));
  if (answer.status !== 200) throw new Error(await answer.text());
  const bare = join(projectDir, 'dist', 'test', 'bench', 'bare-express.js');
  subjects.push(await start({ name: 'bare Express', key: '' }, [bare], { BODY: await answer.text() }));
  console.table(await measure());
} finally {
  for (const subject of subjects) subject.process.kill('SIGTERM');
}

function keyOf(printed: string): string {
  return /olk_\w+/.exec(printed)![0];
}

function request(key: string): { method: 'POST'; headers: Record<string, string>; body: string } {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  return { method: 'POST', headers, body: JSON.stringify({ address: ADDRESS }) };
}

/** Starts a server and waits for the JSON line that tells its address. */
async function start(
  { name, key }: Pick<Subject, 'name' | 'key'>,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Subject> {
  const own = { DATA_DIR: folder.path, HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1' };
  const server = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', ...own, ...env },
  });
  for await (const line of createInterface(server.stdout)) {
    const url = /"url":"([^"]+)"/.exec(line)?.[1];
    if (url === undefined) continue;
    // What it goes on logging is read and thrown away, as a log collector would.
    server.stdout.resume();
    return { name, key, url: `${url}/api/lookup`, process: server };
  }
  throw new Error(`${name} did not start`);
}

/** Rounds take turns; the medians of each subject, and how it compares with bare Express. */
async function measure(): Promise<Record<string, string | number>[]> {
  const rounds = new Map(subjects.map((subject) => [subject, [] as Round[]]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [subject, results] of rounds) {
      const result = await load(subject);
      // The first warms up.
      if (round > 0) results.push(result);
    }
  }
  const median = (results: readonly Round[], of: (round: Round) => number): number => percentiles(results.map(of)).p50;
  const bare = median(rounds.get(subjects.at(-1)!)!, (round) => round.perSecond);
  return [...rounds].map(([{ name }, results]) => ({
    name,
    'requests/s': median(results, (round) => round.perSecond),
    'of bare Express': Math.round((median(results, (round) => round.perSecond) / bare) * 100) / 100,
    'p99 ms': median(results, (round) => round.p99Ms),
    'CPU ms a request': median(results, (round) => round.cpuMsPerRequest),
  }));
}

async function load({ url, key, process: server }: Subject): Promise<Round> {
  const before = cpuMs(server.pid!);
  const { requests, latency, non2xx, errors } = await autocannon({
    ...{ url, connections: CONNECTIONS, duration: ROUND_S },
    ...request(key),
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} requests failed`);
  const cpuMsPerRequest = (cpuMs(server.pid!) - before) / requests.total;
  return { perSecond: requests.average, p99Ms: latency.p99, cpuMsPerRequest };
}

/** User and system time of a process with all its threads. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
