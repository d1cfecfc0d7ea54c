/** Load over HTTP with keep-alive on servers that are processes of their own. */
import autocannon from 'autocannon';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Subject {
  readonly name: string;
  readonly key: string;
  readonly url: string;
  readonly process: ChildProcess;
  /** Of a Redis that works for the server too. */
  readonly redisPid?: number;
}

export interface Round {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly cpuMsPerRequest: number;
  /** Of the Redis; 0 without one. */
  readonly redisCpuMsPerRequest: number;
}

/** Linux counts the CPU time of processes in hundredths of a second. */
const TICK_MS = 10;

/** An address of the bundled sample. */
const ADDRESS = '12 Main St W, Sampleton, ON';

/** Starts a server with Node's `args` and waits for the JSON line that tells its address. */
export async function startSubject(
  { name, key }: Pick<Subject, 'name' | 'key'>,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Subject> {
  const own = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1' };
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

/** A lookup of the sample's. */
export function lookupRequest(key: string): { method: 'POST'; headers: Record<string, string>; body: string } {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  return { method: 'POST', headers, body: JSON.stringify({ address: ADDRESS }) };
}

/** One round. @throws Error when an answer is not 200. */
export async function load(
  { url, key, process: server, redisPid }: Subject,
  { connections, durationS }: { readonly connections: number; readonly durationS: number },
): Promise<Round> {
  const redisMs = (): number => (redisPid === undefined ? 0 : cpuMs(redisPid));
  const before = [cpuMs(server.pid!), redisMs()] as const;
  const { requests, latency, non2xx, errors } = await autocannon({
    ...{ url, connections, duration: durationS },
    ...lookupRequest(key),
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} requests failed`);
  return {
    ...{ perSecond: requests.average, p99Ms: latency.p99 },
    cpuMsPerRequest: (cpuMs(server.pid!) - before[0]) / requests.total,
    redisCpuMsPerRequest: (redisMs() - before[1]) / requests.total,
  };
}

/** User and system time of a process with all its threads. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
