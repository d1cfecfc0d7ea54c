/** Thousands of connections that say nothing. Server and clients are processes of their own: each needs a descriptor a connection. */
import { expect } from 'chai';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { processFigures } from '../support/drivers/process-figures.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { newKey, ServiceProcess } from '../support/drivers/service-process.ts';

/** The promise; fewer where the machine permits fewer. */
const CONNECTIONS = 10_000;
const AT_ONCE = 250;
/** For the connections that lookups come on, and for those beyond the limit. */
const ROOM = 20;
/** Descriptors for everything else of a process. */
const OTHER_DESCRIPTORS = 500;
/** The server cuts them off from 10 s on. */
const OPENING_MS = 8000;

describe('Idle connections', function () {
  this.timeout(240_000);

  it('by the thousand leave lookups quick and memory bounded, and are cut off', async function () {
    const count = Math.min(CONNECTIONS, mayOpen() - OTHER_DESCRIPTORS);
    using folder = ownSampleFolder();
    const key = await newKey(folder.path);
    const env = { LOOKUP_DEADLINE_MS: '20000' };
    await using service = await ServiceProcess.start(folder.path, env);
    const lookupMs = async (): Promise<number> => {
      const startMs = performance.now();
      expect((await service.lookup(key, SAMPLE_ADDRESS)).status).to.equal(200);
      return performance.now() - startMs;
    };
    const before = { medianMs: await median(lookupMs), ...processFigures(service.pid) };
    const startMs = performance.now();
    const idle = await openSockets(service, count);
    const openingMs = performance.now() - startMs;
    if (openingMs > OPENING_MS) {
      console.log(
        `skipped: opening ${count} connections took ${Math.round(openingMs)} ms, some were cut off meanwhile`,
      );
      this.skip();
    }
    const during = { ...processFigures(service.pid), medianMs: await median(lookupMs) };
    const grownMb = during.rssMb - before.rssMb;
    console.log(
      `      ${count} connections opened in ${Math.round(openingMs)} ms; lookup ${before.medianMs.toFixed(1)} ms before, ` +
        `${during.medianMs.toFixed(1)} ms beside; memory ${before.rssMb.toFixed(0)} + ${grownMb.toFixed(0)} MB`,
    );
    expect(during.descriptors, 'held').to.be.at.least(count);
    expect(grownMb).to.be.below(300);
    expect(during.medianMs).to.be.below(10 * before.medianMs + 100);
    expect((await whenClosed(idle, 60_000)).length, 'cut off').to.equal(count);
    await lookupMs();
    expect(processFigures(service.pid).descriptors).to.be.below(before.descriptors + ROOM);
  });
});

/** The hard limit: node takes all of it when it starts. */
function mayOpen(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  return Number(/^Max open files\s+\d+\s+(\d+)/m.exec(limits)?.[1] ?? 1024);
}

async function median(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 15; i++) times.push(await measure());
  return times.sort((a, b) => a - b)[7]!;
}

async function openSockets({ url }: ServiceProcess, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    // Without a reader its end is not seen.
    socket.resume();
    await once(socket, 'connect');
    return socket;
  };
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Math.min(AT_ONCE, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: batch }, open))));
  }
  return sockets;
}

/** Those that the other side closed, as soon as all are, or after this time. */
async function whenClosed(sockets: readonly Socket[], withinMs: number): Promise<readonly Socket[]> {
  const endMs = performance.now() + withinMs;
  const closed = (): readonly Socket[] => sockets.filter((socket) => socket.closed);
  while (closed().length < sockets.length && performance.now() < endMs) await sleep(50);
  return closed();
}
