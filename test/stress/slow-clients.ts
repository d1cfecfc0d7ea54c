// Send slow headers, slow bodies and slow readers to a process, alone and behind HAProxy and nginx: what others get (DURATION=300)
/**
 * Slow clients of three kinds at once, 500 of each, at the service by itself and at the sample configuration of each proxy, while another client
 * asks plain lookups from another address: `make stress NAME=slow-clients`. DURATION for each of the three in seconds (default 300).
 */
import { percentiles } from '../bench/parts/percentiles.ts';
import { startProxy } from '../support/drivers/proxies.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { atLeast, atMost, tell, type Figure } from './parts/figures-table.ts';
import { LoadClient, openLoop, type LoadClientOptions, type Reply } from './parts/load-client.ts';
import { attack, ConnectionWatch, slowKinds } from './parts/slow-http-test.ts';

const durationMs = Number(process.env['DURATION'] ?? 300) * 1000;
const CLIENTS = 500;
const PLAIN_PER_S = 20;
const OTHERS = ['127.0.0.2'];
const WARM_UP_MS = 5000;
/** Longest time for which the service is measured without slow clients, before and after. */
const WITHOUT_MS = 30_000;
/** The longest limits, for an answer and then for a connection that was answered, and some time to look: rounds are longer. */
const OLDEST_S = 90;

interface Target {
  readonly name: string;
  readonly url: string;
  readonly ca?: string;
}

using folder = ownSampleFolder();
const keys = await issueKeys({ dataDir: folder.path }, { count: 2, limitPerHour: 100_000_000 });
const [slowKey, plainKey] = keys as [string, string];
const env = { WORKER_THREADS: '1', TRUST_PROXY_HOPS: '1' };
await using service = await ServiceProcess.start(folder.path, env, { program: compiledService, dropsRequests: true });
const figures = await figuresOf({ name: 'bare', url: service.url });
for (const kind of ['haproxy', 'nginx'] as const) {
  await using proxy = await startProxy(kind, [service.url, service.url], { keepsTimes: true });
  figures.push(...(await figuresOf({ name: kind, url: proxy.url, ca: proxy.ca })));
}
tell(figures);

async function figuresOf(target: Target): Promise<Figure[]> {
  const withoutMs = Math.min(WITHOUT_MS, durationMs);
  await plain(target, WARM_UP_MS);
  const before = await plain(target, withoutMs);
  using watch = new ConnectionWatch(target.url);
  const attacks = { url: target.url, key: slowKey, clients: CLIENTS, untilMs: performance.now() + durationMs };
  const [during] = await Promise.all([plain(target, durationMs), ...slowKinds.map((kind) => attack(kind, attacks))]);
  const after = await plain(target, withoutMs);
  const without = p99([...before, ...after]);
  const answered = during.filter(({ status }) => status === 200).length;
  console.log(target.name, {
    'slow connections, most at once': watch.most,
    'slow connections, all': watch.seen,
    'oldest, s': Math.round(watch.oldestS),
    'others, p99 in ms before, during, after': [before, during, after].map(p99),
    'others, not answered': during.filter(({ status }) => status !== 200).map(({ status }) => status),
  });
  return [
    atLeast(`${target.name}: others answered`, answered / during.length, 1),
    atMost(`${target.name}: p99 of the others, of that without`, p99(during) / without, 2),
    atMost(`${target.name}: oldest slow connection`, watch.oldestS, OLDEST_S, 's'),
  ];
}

/** Plain lookups of a client at another address. */
async function plain({ url, ca }: Target, ms: number): Promise<Reply[]> {
  const options: LoadClientOptions = { localAddresses: OTHERS, ...(ca === undefined ? {} : { ca }) };
  using client = new LoadClient(url, options);
  const request = LoadClient.lookup(plainKey, SAMPLE_ADDRESS.address);
  const endMs = performance.now() + ms;
  const replies: Reply[] = [];
  const isOver = (): boolean => performance.now() > endMs;
  await openLoop({ perSecond: PLAIN_PER_S, isOver }, async (_number, dueMs) => {
    replies.push(await client.ask(request, dueMs));
  });
  return replies;
}

function p99(replies: readonly Reply[]): number {
  return percentiles(replies.map(({ ms }) => ms)).p99;
}
