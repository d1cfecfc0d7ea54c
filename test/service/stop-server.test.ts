import { expect } from 'chai';
import express from 'express';
import { Agent, request, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpServer, listen, stopServer } from '../../src/http/server.ts';

describe('the stop of a server', () => {
  it('waits while requests come, because a proxy does not know yet, and tells each connection to close', async () => {
    const { server, url } = await start();
    const stopped = stopServer(server, { lastCallMs: 30_000, quietMs: 2500, drainMs: 100 });
    for (let sent = 0; sent < 10; sent++) {
      await sleep(100);
      expect(await ask(url)).to.deep.equal({ status: 204, connection: 'close' });
    }
    expect(await timeOf(stopped)).to.be.within(2400, 30_000);
  });

  it('waits no longer than the last call', async () => {
    const { server, url } = await start();
    const stopping = timeOf(stopServer(server, { lastCallMs: 500, quietMs: 20_000, drainMs: 100 }));
    let answered = 0;
    const isRefused = (): boolean => false;
    while (await ask(url).then(() => true, isRefused)) answered++;
    // A second more is for connections that have arrived.
    expect(await stopping).to.be.within(500, 15_000);
    expect(answered).to.be.greaterThan(2);
  });

  it('ends soon without requests', async () => {
    const { server } = await start();
    const stopped = stopServer(server, { lastCallMs: 30_000, quietMs: 150, drainMs: 100 });
    expect(await timeOf(stopped)).to.be.within(100, 10_000);
  });
});

async function start(): Promise<{ server: Server; url: string }> {
  const app = express().use((_req, res) => res.status(204).end());
  const server = createHttpServer(app, { maxConnections: 10, refuseEarly: () => false });
  return { server, url: await listen(server, { host: '127.0.0.1', port: 0 }) };
}

/** Milliseconds until it has ended. Limits are wide, because the machine may be busy. */
async function timeOf(stopped: Promise<void>): Promise<number> {
  const startMs = performance.now();
  await stopped;
  return performance.now() - startMs;
}

async function ask(url: string): Promise<{ status: number | undefined; connection: string | undefined }> {
  const sent = request(url, { agent: new Agent({ keepAlive: true }) });
  sent.end();
  const [res] = (await once(sent, 'response')) as [IncomingMessage];
  res.resume();
  return { status: res.statusCode, connection: res.headers.connection };
}
