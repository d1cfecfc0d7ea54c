// Measure plain lookups beside a batch of 100,000 rows, then kill the server 50 times during batches (DURATION=15 ROUNDS=3 ROWS=100000 KILLS=50 PART=1|2)
/**
 * Batches beside other work and over crashes: `make stress NAME=batch`.
 * 1. Plain lookups at half the capacity, without and with a batch of 100,000 rows (ROWS) beside them, in turns (DURATION of each part in seconds, ROUNDS).
 *    Those that are lost are counted in both, without those that the client, which shares the machine, sent in bursts after pauses of its own.
 * 2. The server is killed again and again during batches (KILLS=50): rows in are rows out, byte for byte as without a kill, and each 200 is billed once.
 * On the real extracts where they are, otherwise on the sample. PART=1 or PART=2 for one of them.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { issueKey } from '../../src/core/keys/keys.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { percentiles } from '../bench/parts/percentiles.ts';
import { BatchClient } from '../support/drivers/batch-client.ts';
import { issueKeys } from '../support/material/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { atLeast, atMost, tell, type Figure } from './parts/figures-table.ts';
import { LoadClient } from './parts/load-client.ts';
import { offer, summaryOf, type OfferedSummary } from './parts/offered-load.ts';
import { realDataOrSample } from './parts/real-data-or-sample.ts';

const durationMs = Number(process.env['DURATION'] ?? 15) * 1000;
const rounds = Number(process.env['ROUNDS'] ?? 3);
const kills = Number(process.env['KILLS'] ?? 50);
const batchRows = Number(process.env['ROWS'] ?? 100_000);
const part = process.env['PART'] ?? '';
const KILLED_ROWS = 20_000;
const AT_ONCE = 32;
/** Keys that the plain lookups have in turns: a key is refused more than 64 at once, which a pause of a busy machine brings together. */
const PEOPLE = 20;
const program = { program: compiledService, dropsRequests: true };
const env = { BATCH_DISK_MB: '5000000' };

using data = realDataOrSample();
const { path: dataDir } = data.folder;
const personKeys = await issueKeys({ dataDir }, { count: PEOPLE, limitPerHour: 1_000_000_000 });
const batchKey = await newBatchKey();
const lookups = data.addresses.map((address, i) => LoadClient.lookup(personKeys[i % PEOPLE]!, address));
const figures: Figure[] = [];
if (part !== '2') figures.push(...(await besidePeople()));
if (part !== '1') figures.push(...(await overKills()));
tell(figures);

async function besidePeople(): Promise<Figure[]> {
  await using service = await ServiceProcess.start(dataDir, env, program);
  const client = new BatchClient(() => service.url, batchKey);
  await capacityOf(service.url);
  const perSecond = (await capacityOf(service.url)) / 2;
  const offered = async (): Promise<OfferedSummary> =>
    summaryOf(await offer(service.url, lookups, { perSecond, forMs: durationMs }), perSecond);
  const alone: OfferedSummary[] = [];
  const beside: OfferedSummary[] = [];
  let answered = 0;
  console.log({ perSecond: Math.round(perSecond) });
  for (let round = 0; round < rounds; round++) {
    alone.push(await offered());
    const id = await client.send(addressesOf(batchRows));
    while ((await client.status(id)).state !== 'running') await sleep(20);
    const doneBefore = (await client.status(id)).rows.done;
    beside.push(await offered());
    const { state, rows } = await client.status(id);
    answered = rows.done - doneBefore;
    if (state !== 'running') console.log('the batch ended early: choose a shorter DURATION');
    await client.ended(id);
    console.log({ alone: alone.at(-1), beside: beside.at(-1), rowsMeanwhile: answered });
  }
  const ratioOf = (figure: 'p99' | 'p99FromSending'): number =>
    percentiles(beside.map((part, round) => part[figure] / alone[round]![figure])).p50;
  console.log(`p99 from sending with a batch, over without: ${ratioOf('p99FromSending').toFixed(2)}`);
  const more = Math.max(0, lostBySteadyClient(beside) - lostBySteadyClient(alone));
  return [
    atMost('p99 of plain lookups with a batch, over without, median of the rounds', ratioOf('p99'), 2),
    atMost('plain lookups not answered, more than without a batch', more, 0),
    atLeast('rows answered meanwhile', answered, 1),
  ];
}

/** Lookups that were lost, without those that the client sent in a burst after a pause of its own. */
function lostBySteadyClient(parts: readonly OfferedSummary[]): number {
  return parts.reduce((sum, { lost, lostInBursts }) => sum + lost - lostInBursts, 0);
}

/** Plain lookups per second that are answered when each of some connections asks again once it has its answer. */
async function capacityOf(url: string): Promise<number> {
  using client = new LoadClient(url, { maxConnections: AT_ONCE });
  const endMs = performance.now() + durationMs;
  let count = 0;
  const connection = async (_: unknown, first: number): Promise<void> => {
    for (let n = first; performance.now() < endMs; n += AT_ONCE) {
      await client.ask(lookups[n % lookups.length]!);
      count++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, connection));
  return (count * 1000) / durationMs;
}

async function overKills(): Promise<Figure[]> {
  const random = seededRandom(Number(process.env['SEED'] ?? 1));
  let service = await ServiceProcess.start(dataDir, env, program);
  const client = new BatchClient(() => service.url, batchKey);
  const addresses = addressesOf(KILLED_ROWS);
  const calm = await client.send(addresses);
  await client.ended(calm);
  const undisturbed = await withoutIds(client, calm);
  const ids: string[] = [];
  let current: string | null = null;
  for (let kill = 0; kill < kills; kill++) {
    if (current === null) ids.push((current = await client.send(addresses)));
    await sleep(50 + random() * 2000);
    await service.kill();
    service = await ServiceProcess.start(dataDir, env, program);
    if ((await client.status(current)).state === 'completed') current = null;
    process.stdout.write('.');
  }
  console.log();
  let [different, unbilled] = [0, 0];
  for (const id of ids) {
    await client.ended(id, 500);
    const { text, lookupIds } = await withoutIds(client, id);
    if (text !== undisturbed.text) different++;
    const billed = billedOf(id);
    if (billed.length !== lookupIds.length || billed.some((one, i) => one !== lookupIds[i])) unbilled++;
  }
  await service.stop();
  return [
    atMost(`of ${ids.length} batches over ${kills} kills: results that differ`, different, 0),
    atMost('batches with a 200 that is not billed exactly once', unbilled, 0),
  ];
}

/** Results without what differs between batches, and the lookup ids in their order. */
async function withoutIds(client: BatchClient, id: string): Promise<{ text: string; lookupIds: string[] }> {
  let text = '';
  await client.download(id, (part) => (text += part));
  const lookupIds = [...text.matchAll(/"lookupId":"(lkp_[0-9a-f]{32})"/g)].map(([, found]) => found!).sort();
  return { text: text.replace(/lkp_[0-9a-f]{32}/g, 'lkp'), lookupIds };
}

/** Lookups of a batch in the journal: their ids begin with its time. */
function billedOf(batch: string): string[] {
  const db = new Database(join(dataDir, 'usage.sqlite'), { readonly: true });
  try {
    const prefix = `lkp_${batch.slice(4, 16)}`;
    return db
      .prepare<[string, string], string>('SELECT id FROM usage WHERE id >= ? AND id < ? ORDER BY id')
      .pluck()
      .all(prefix, `${prefix}g`);
  } finally {
    db.close();
  }
}

function addressesOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => data.addresses[i % data.addresses.length]!);
}

async function newBatchKey(): Promise<string> {
  await using store = await openKeyStore({ dataDir, redisUrl: null });
  return (await issueKey(store, { name: 'stress', limits: { batchRowsPerDay: 1e9 } })).key;
}
