// Watch memory growth, descriptors and threads of a server under steady load (MINUTES=30 RATE=100)
/**
 * A server under steady load for a long time: memory, descriptors and threads must stay as they are: `make stress NAME=soak`.
 * MINUTES (default 30) and RATE in requests a second (100), shared by clients that take turns.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, tell } from './parts/figures-table.ts';
import { LoadClient, openLoop } from './parts/load-client.ts';
import { processFigures, type ProcessFigures } from '../support/drivers/process-figures.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';

const minutes = Number(process.env['MINUTES'] ?? 30);
const perSecond = Number(process.env['RATE'] ?? 100);
/** Caches fill and the compiler is done: after 10 of 30 minutes. */
const WARM_UP_SHARE = 1 / 3;
const SAMPLES = 200;
/** With one key for all, its cap of lookups in flight would refuse some after each short stall of the machine. */
const CLIENTS = 20;

interface Sample extends ProcessFigures {
  readonly minute: number;
}

using folder = ownSampleFolder();
const keys = await issueKeys({ dataDir: folder.path }, { count: CLIENTS, limitPerHour: 100_000_000 });
const how = { program: compiledService, dropsRequests: true };
await using service = await ServiceProcess.start(folder.path, { WORKER_THREADS: '2' }, how);
using client = new LoadClient(service.url);
const startMs = performance.now();
const isOver = (): boolean => performance.now() - startMs > minutes * 60_000;
const requests = keys.map((key) => LoadClient.lookup(key, SAMPLE_ADDRESS.address));
const others: Record<number, number> = {};
/** Minutes in which there were such, so that one can see what else the machine did. */
const otherMinutes = new Set<number>();
const samples: Sample[] = [];
const sampling = sample();
await openLoop({ perSecond, isOver }, async (number, dueMs) => {
  const { status } = await client.ask(requests[number % CLIENTS]!, dueMs);
  if (status === 200) return;
  others[status] = (others[status] ?? 0) + 1;
  otherMinutes.add(Math.floor((performance.now() - startMs) / 60_000));
});
await sampling;
const settled = samples.slice(Math.ceil(samples.length * WARM_UP_SHARE));
const spread = (of: (sample: Sample) => number): number => Math.max(...settled.map(of)) - Math.min(...settled.map(of));
console.log({
  minutes,
  perSecond,
  'other answers by status': others,
  'in the minutes': [...otherMinutes],
  'RSS MB': samples.filter((_, n) => n % 10 === 0).map(({ rssMb }) => Math.round(rssMb)),
});
tell([
  atMost(
    'other answers than 200',
    Object.values(others).reduce((sum, count) => sum + count, 0),
    0,
  ),
  atMost('memory slope', slope(settled), 0.5, 'MB a minute'),
  atMost(
    'descriptors but for connections, most over least',
    spread(({ descriptors }) => descriptors),
    4,
  ),
  atMost(
    'threads, most over least',
    spread(({ threads }) => threads),
    1,
  ),
]);

async function sample(): Promise<void> {
  while (!isOver()) {
    const figures = processFigures(service.pid);
    // Our own connections come and go with how long answers take.
    const descriptors = figures.descriptors - client.connections;
    samples.push({ ...figures, descriptors, minute: (performance.now() - startMs) / 60_000 });
    await sleep((minutes * 60_000) / SAMPLES);
  }
}

/** Of the line with the least squares through memory over time. */
function slope(points: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [meanMinute, meanMb] = [mean(({ minute }) => minute), mean(({ rssMb }) => rssMb)];
  const covariance = mean(({ minute, rssMb }) => (minute - meanMinute) * (rssMb - meanMb));
  return covariance / mean(({ minute }) => (minute - meanMinute) ** 2);
}
