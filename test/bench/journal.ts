// Measure lookups per second with and without the usage journal
/**
 * What "on the disk before it is on the wire" costs: lookups per second of the same service with its journal and without, over HTTP,
 * in rounds that take turns; `make bench NAME=journal`. ROUNDS (default 7), CONNECTIONS (default 32).
 */
import { issueKeys, ownSampleFolder } from '../support/material/served-sample.ts';
import { load, startSubject, type Round, type Subject } from './parts/http-load.ts';
import { percentiles } from './parts/percentiles.ts';
import { partFile } from './parts/part.ts';

const MOST_COST = 0.1;

const rounds = Number(process.env['ROUNDS'] ?? 7);
const connections = Number(process.env['CONNECTIONS'] ?? 32);

using folder = ownSampleFolder();
const [key] = await issueKeys({ dataDir: folder.path }, { count: 1, limitPerHour: 1_000_000_000 });
const server = [partFile('journal-server')];
const start = (name: 'on' | 'off'): Promise<Subject> =>
  startSubject({ name, key: key! }, [...server, name], { DATA_DIR: folder.path });
const [off, on] = [await start('off'), await start('on')];
try {
  const pairs: [off: Round, on: Round][] = [];
  for (let round = 0; round <= rounds; round++) {
    const options = { connections, durationS: 4 };
    // Who goes first changes: what the machine does besides is shared fairly.
    const [first, second] = round % 2 === 0 ? [off, on] : [on, off];
    const [one, other] = [await load(first, options), await load(second, options)];
    // The first warms up.
    if (round > 0) pairs.push(first === off ? [one, other] : [other, one]);
  }
  const median = (of: (pair: [off: Round, on: Round]) => number): number => percentiles(pairs.map(of)).p50;
  console.table(
    [off, on].map(({ name }, index) => ({
      journal: name,
      'requests/s': median((pair) => pair[index]!.perSecond),
      'p99 ms': median((pair) => pair[index]!.p99Ms),
      'CPU ms a request': median((pair) => pair[index]!.cpuMsPerRequest),
    })),
  );
  const cost = median(([without, journalled]) => 1 - journalled.perSecond / without.perSecond);
  console.log(`the journal costs ${(100 * cost).toFixed(1)} % of the requests a second (median of ${rounds} pairs)`);
  process.exitCode = cost <= MOST_COST ? 0 : 1;
} finally {
  for (const subject of [off, on]) subject.process.kill('SIGTERM');
}
