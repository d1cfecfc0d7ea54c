// Ask 200 times for the results of a batch and read nothing, on one connection and on 200: memory, and what others get (ROWS=20000)
/**
 * Downloads that nobody reads, beside the plain lookups of another key: `make stress NAME=downloads`. 200 requests for one batch of ROWS rows (default 20,000), in each
 * format, pipelined on one connection and then each on a connection of its own.
 */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { resultTypes } from '../../src/features/batches/wire/batch.ts';
import { BatchClient } from '../support/drivers/batch-client.ts';
import { openSocket } from '../support/drivers/client-socket.ts';
import { processFigures } from '../support/drivers/process-figures.ts';
import { compiledService, newKey, ServiceProcess } from '../support/drivers/service-process.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { atLeast, atMost, tell, type Figure } from './parts/figures-table.ts';
import { LoadClient, openLoop, type Reply } from './parts/load-client.ts';

const rows = Number(process.env['ROWS'] ?? 20_000);
const REQUESTS = 200;
const FOR_MS = 8000;
const PLAIN_PER_S = 10;

using folder = ownSampleFolder();
const batchKey = await newKey(folder.path, { limits: { batchRowsPerDay: 1_000_000_000 } });
const [plainKey] = (await issueKeys({ dataDir: folder.path }, { count: 1, limitPerHour: 100_000_000 })) as [string];
const program = { program: compiledService, dropsRequests: true };
await using service = await ServiceProcess.start(folder.path, { WORKER_THREADS: '1' }, program);
const client = new BatchClient(() => service.url, batchKey);
const id = await client.send(Array.from({ length: rows }, () => SAMPLE_ADDRESS.address));
await client.ended(id);
await sleep(2000);
const idleMb = processFigures(service.pid).rssMb;
const figures: Figure[] = [];
for (const format of Object.keys(resultTypes)) {
  const request = `GET /api/batches/${id}/results?format=${format} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${batchKey}\r\n\r\n`;
  figures.push(...(await flooded(`${format}, one connection`, [request.repeat(REQUESTS)])));
  figures.push(...(await flooded(`${format}, ${REQUESTS} connections`, Array<string>(REQUESTS).fill(request))));
}
tell(figures);

async function flooded(what: string, texts: readonly string[]): Promise<Figure[]> {
  const sockets: Socket[] = [];
  for (const text of texts) {
    const socket = await openSocket(service.url);
    socket.pause();
    socket.write(text);
    sockets.push(socket);
  }
  const endMs = performance.now() + FOR_MS;
  const watching = mostMb(endMs);
  const replies = await plain(endMs);
  const aboveMb = (await watching) - idleMb;
  for (const socket of sockets) socket.destroy();
  await sleep(1000);
  const answered = replies.filter(({ status }) => status === 200).length / replies.length;
  console.log(what, { idleMb, aboveMb, answered, slowestMs: Math.max(...replies.map(({ ms }) => ms)) });
  return [atMost(`${what}: memory above idle`, aboveMb, 150, 'MB'), atLeast(`${what}: others answered`, answered, 1)];
}

async function mostMb(endMs: number): Promise<number> {
  let most = 0;
  while (performance.now() < endMs) {
    most = Math.max(most, processFigures(service.pid).rssMb);
    await sleep(50);
  }
  return most;
}

async function plain(endMs: number): Promise<Reply[]> {
  using asking = new LoadClient(service.url);
  const request = LoadClient.lookup(plainKey, SAMPLE_ADDRESS.address);
  const replies: Reply[] = [];
  const isOver = (): boolean => performance.now() > endMs;
  await openLoop({ perSecond: PLAIN_PER_S, isOver }, async (_number, dueMs) => {
    replies.push(await asking.ask(request, dueMs));
  });
  return replies;
}
