import { expect } from 'chai';
import express from 'express';
import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpServer, listen, stopServer } from '../../src/core/http/server.ts';

/** Passes several looks of a stop whether requests still come. */
const A_WHILE_MS = 200;

describe('the stop of a server', () => {
  it('waits while requests come, because a proxy does not know yet, and tells each connection to close', async () => {
    await using stop = await startStop({ lastCallMs: 30_000, quietMs: 2500 });
    for (let sent = 0; sent < 10; sent++) {
      stop.pass(2400);
      await sleep(10);
      expect(await ask(stop.url)).to.deep.equal({ status: 204, connection: 'close' });
    }
    stop.pass(2499);
    expect(await stop.hasEnded(), 'a moment before the quiet is long enough').to.equal(false);
    stop.pass(1);
    await stop.ended;
  });

  it('waits no longer than the last call', async () => {
    await using stop = await startStop({ lastCallMs: 500, quietMs: 20_000 });
    const isRefused = (): boolean => false;
    let answered = 0;
    while (await ask(stop.url).then(() => true, isRefused)) {
      answered++;
      stop.pass(50);
    }
    await stop.ended;
    expect(answered).to.be.at.least(500 / 50);
  });

  it('ends soon without requests', async () => {
    await using stop = await startStop({ lastCallMs: 30_000, quietMs: 150 });
    expect(await stop.hasEnded()).to.equal(false);
    stop.pass(150);
    await stop.ended;
  });
});

/** A server that is being stopped, by a clock of the test. */
async function startStop(times: Pick<Parameters<typeof stopServer>[1], 'lastCallMs' | 'quietMs'>) {
  const app = express().use((_req, res) => res.status(204).end());
  const server = createHttpServer(app, { maxConnections: 10, refuseEarly: () => false });
  const url = await listen(server, { host: '127.0.0.1', port: 0 });
  let nowMs = 0;
  const ended = stopServer(server, { ...times, drainMs: 100 }, () => nowMs).then(() => true);
  return {
    url,
    ended,
    pass: (ms: number): void => {
      nowMs += ms;
    },
    hasEnded: (): Promise<boolean> => Promise.race([ended, sleep(A_WHILE_MS, false)]),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      nowMs = Infinity;
      await ended;
    },
  };
}

async function ask(url: string): Promise<{ status: number | undefined; connection: string | undefined }> {
  const sent = request(url, { agent: new Agent({ keepAlive: true }) });
  sent.end();
  const [res] = (await once(sent, 'response')) as [IncomingMessage];
  res.resume();
  return { status: res.statusCode, connection: res.headers.connection };
}
