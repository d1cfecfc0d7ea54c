// Measure lookups per second with more threads and more processes behind HAProxy
/**
 * Lookups per second over HTTP with more threads and more processes behind HAProxy, and what each lookup costs in processor time: `make bench NAME=cores`.
 * The program that makes the load shares the machine, so figures for as many processes as there are cores say more about costs than about rates.
 */
import autocannon from 'autocannon';
import { availableParallelism } from 'node:os';
import { startProxy } from '../support/drivers/proxies.ts';
import { issueKeys, ownSampleFolder } from '../support/material/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { cpuMs, lookupRequest } from './parts/http-load.ts';

const CONNECTIONS = 64;
const WARM_UP_S = 5;
const ROUND_S = 10;
const counts = [1, 2, 4, 8].filter((count) => count <= availableParallelism());

using folder = ownSampleFolder();
const [key] = (await issueKeys({ dataDir: folder.path }, { count: 1, limitPerHour: 100_000_000 })) as [string];
const rows: Record<string, number>[] = [];
for (const threads of counts) rows.push(await measure({ processes: 1, threads }));
for (const processes of counts.filter((count) => count > 1 && count <= 4))
  rows.push(await measure({ processes, threads: 1 }));
console.log(`${availableParallelism()} cores`);
console.table(rows);

async function measure({
  processes,
  threads,
}: {
  processes: number;
  threads: number;
}): Promise<Record<string, number>> {
  await using stack = new AsyncDisposableStack();
  const services: ServiceProcess[] = [];
  const env = {
    WORKER_THREADS: String(threads),
    TRUST_PROXY_HOPS: '1',
    MAX_PENDING: '256',
  };
  for (let i = 0; i < processes; i++)
    services.push(
      stack.use(await ServiceProcess.start(folder.path, env, { program: compiledService, dropsRequests: true })),
    );
  const [first, ...others] = services.map(({ url }) => url) as [string, ...string[]];
  const proxy = stack.use(
    await startProxy('haproxy', [first, ...(others.length > 0 ? others : [first])] as [string, string], {
      keepsTimes: true,
    }),
  );
  await load(proxy.url, proxy.ca, WARM_UP_S);
  const cpu = (): [number, number] => [services.reduce((sum, { pid }) => sum + cpuMs(pid), 0), cpuMs(proxy.pid)];
  const before = cpu();
  const { requests, latency, non2xx, errors } = await load(proxy.url, proxy.ca, ROUND_S);
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} requests failed`);
  const [service, ofProxy] = cpu().map((ms, i) => Math.round(((ms - before[i]!) / requests.total) * 1000) / 1000);
  return {
    ...{ processes, 'threads each': threads, 'lookups/s': Math.round(requests.average), 'p99 ms': latency.p99 },
    ...{ 'CPU ms, service': service!, 'CPU ms, proxy': ofProxy! },
  };
}

function load(url: string, ca: string, durationS: number): Promise<autocannon.Result> {
  const tlsOptions = { ca };
  return autocannon({
    url: `${url}/api/lookup`,
    connections: CONNECTIONS,
    duration: durationS,
    tlsOptions,
    ...lookupRequest(key),
  });
}
