// Send 64 KB of each request that needs no key on 20 connections at once: what others wait, whether the watchdog is fed, and the processor time of a request
/**
 * Requests without a key, many at once on each connection: `make stress NAME=pipelined`. `/healthz` is asked meanwhile on a connection of its own, and a stand-in for
 * `systemd-notify` notes when the process says that it runs.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { cpuMs } from '../bench/parts/http-load.ts';
import { openSocket } from '../support/drivers/client-socket.ts';
import { programFile } from '../support/drivers/program.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { ownSampleFolder } from '../support/material/served-sample.ts';
import { atMost, tell, type Figure } from './parts/figures-table.ts';
import type { Flood } from './parts/pipelined-flood.ts';

const paths = [
  ...['/', '/healthz', '/readyz', '/llms.txt', '/openapi.json', '/docs', '/docs/errors', '/no-such-page'],
  ...['/api/layers', '/api/examples', '/api/examples/restriction', '/examples', '/licences'],
];
const CONNECTIONS = 20;
const BYTES = 64 * 1024;
const FOR_MS = 4000;
const HEARTBEAT_MS = 1000;

using folder = ownSampleFolder();
const heartbeats = join(folder.path, 'heartbeats');
await using service = await ServiceProcess.start(folder.path, watchedBy(), {
  program: compiledService,
  dropsRequests: true,
});
// Until the examples are made.
while ((await fetch(`${service.url}/api/examples/restriction`)).status !== 200) await sleep(100);
const figures: Figure[] = [];
for (const path of paths) figures.push(...(await flooded(path)));
figures.push(atMost('longest time between two heartbeats', longestGapS(), HEARTBEAT_MS / 1000 + 5, 's'));
tell(figures);

/** Puts a program with the name of systemd's before all others, which notes the time. */
function watchedBy(): Readonly<Record<string, string>> {
  const bin = join(folder.path, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\ndate +%s.%N >> '${heartbeats}'\n`, { mode: 0o755 });
  return {
    ...{ WORKER_THREADS: '1', PATH: `${bin}:${process.env['PATH'] ?? ''}` },
    ...{ NOTIFY_SOCKET: join(folder.path, 'none'), WATCHDOG_USEC: String(2000 * HEARTBEAT_MS) },
  };
}

async function flooded(path: string): Promise<Figure[]> {
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const length = await answerLength(request);
  const beforeMs = cpuMs(service.pid);
  const text = request.repeat(Math.floor(BYTES / request.length));
  const workerData: Flood = { url: service.url, connections: CONNECTIONS, text, forMs: FOR_MS };
  const flood = new Worker(programFile('./parts/pipelined-flood', import.meta.url), { workerData });
  let read: number | undefined;
  flood.once('message', (bytes: number) => (read = bytes));
  const isOver = (): boolean => read !== undefined;
  let slowestMs = 0;
  while (!isOver()) {
    const startMs = performance.now();
    await (await fetch(`${service.url}/healthz`)).arrayBuffer();
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
    await sleep(20);
  }
  const answers = Math.max(1, Math.floor(read! / length));
  const eachMs = (cpuMs(service.pid) - beforeMs) / answers;
  console.log(path, { answers, length, eachMs, slowestMs });
  return [
    atMost(`${path}: slowest /healthz meanwhile`, slowestMs, 250, 'ms'),
    atMost(`${path}: processor time of a request`, eachMs, 0.3, 'ms'),
  ];
}

/** Bytes of an answer with its header. */
async function answerLength(request: string): Promise<number> {
  const socket = await openSocket(service.url);
  socket.write(request.replace('Host', 'Connection: close\r\nHost'));
  let bytes = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) bytes += chunk.length;
  return bytes;
}

function longestGapS(): number {
  const times = [...readFileSync(heartbeats, 'utf8').trim().split('\n').map(Number), Date.now() / 1000];
  return Math.max(...times.slice(1).map((time, i) => time - times[i]!));
}
