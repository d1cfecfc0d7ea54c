// Measure a batch of 100,000 rows over HTTP, plain and full: seconds and memory (ROWS=N)
/**
 * A batch from the first byte of its upload to the last byte of its results, over HTTP, with one thread for plain lookups: `make bench NAME=batch`.
 * On the real extracts where they are, otherwise on the sample, whose lookups cost less. ROWS=100000 DATA_DIR=… for a data folder that exists.
 */
import { openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { issueKey } from '../../src/core/keys/keys.ts';
import { atMost, tell, type Figure } from '../stress/parts/figures-table.ts';
import { realDataOrSample } from '../stress/parts/real-data-or-sample.ts';
import { BatchClient } from '../support/drivers/batch-client.ts';
import { processFigures } from '../support/drivers/process-figures.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { cpuMs } from './parts/http-load.ts';

const rows = Number(process.env['ROWS'] ?? 100_000);
/** Seconds promised for 100,000 rows on two quiet cores. */
const PROMISED_S = { plain: 15, full: 40 } as const;
const MOST_MB = 150;
const MEMORY_EVERY_MS = 200;

using data = realDataOrSample();
const { path: dataDir } = data.folder;
const key = await keyFor(dataDir);
const addresses = Array.from({ length: rows }, (_, i) => data.addresses[i % data.addresses.length]!);
const figures: Figure[] = [];
for (const detail of ['plain', 'full'] as const) figures.push(...(await measure(detail)));
tell(figures);

async function measure(detail: keyof typeof PROMISED_S): Promise<Figure[]> {
  const env = { BATCH_DISK_MB: '5000000' };
  await using service = await ServiceProcess.start(dataDir, env, { program: compiledService, dropsRequests: true });
  const client = new BatchClient(() => service.url, key);
  await client.ended(await client.send(addresses.slice(0, 2000), { detail }));
  const idleMb = processFigures(service.pid).rssMb;
  let mostMb = 0;
  const watch = setInterval(() => {
    mostMb = Math.max(mostMb, processFigures(service.pid).rssMb);
  }, MEMORY_EVERY_MS);
  const [startMs, startCpuMs] = [performance.now(), cpuMs(service.pid)];
  const id = await client.send(addresses, { detail });
  const sentS = secondsSince(startMs);
  const { rows: done, state } = await client.ended(id);
  const answeredS = secondsSince(startMs);
  const results = await client.download(id);
  const allS = secondsSince(startMs);
  clearInterval(watch);
  if (results.lines !== rows) throw new Error(`${results.lines} results of ${rows} rows`);
  console.log(`${rows} rows, ${detail}: ${state}`, {
    ...{ sentS, answeredS, allS, found: done.found, resultMb: Math.round(results.bytes / 1e6) },
    cpuS: Math.round((cpuMs(service.pid) - startCpuMs) / 100) / 10,
    ...{ idleMb: Math.round(idleMb), mostMb: Math.round(mostMb) },
  });
  return [
    atMost(`${detail}, to the last byte`, allS, (PROMISED_S[detail] * rows) / 100_000, 's'),
    atMost(`${detail}, memory above idle`, mostMb - idleMb, MOST_MB, 'MB'),
  ];
}

async function keyFor(folder: string): Promise<string> {
  await using store = await openKeyStore({ dataDir: folder, redisUrl: null });
  return (await issueKey(store, { name: 'bench', limits: { batchRowsPerDay: 1e9 } })).key;
}

function secondsSince(startMs: number): number {
  return Math.round(performance.now() - startMs) / 1000;
}
