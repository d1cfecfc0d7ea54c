/** Clients that send slowly, much or nothing. What ten thousand of these cost: idle-connections.alone. */
import { expect } from 'chai';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { createHttpServer, listen, stopServer } from '../../src/core/http/server.ts';
import { openSocket, readToEnd } from '../support/drivers/client-socket.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { until, untilSucceeds } from '../support/drivers/patience.ts';

const limits = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 };
/** Whoever reads nothing for that long is cut off; a busy machine may hold up a reader for longer. */
const CUT_MS = 700;
const PATIENT_MS = 600_000;
const address = { address: '1 Main St, Toronto, ON' };

/** Bytes of an answer to a client that does not take it compressed. */
async function lengthOf(url: string): Promise<number> {
  const { headers } = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  return Number(headers.get('content-length'));
}

describe('Clients that', function () {
  this.timeout(240_000);

  const headOf = (front: FrontEnd, ...lines: string[]): string =>
    ['POST /api/lookup HTTP/1.1', 'Host: x', `Authorization: Bearer ${front.key}`, ...lines, '', ''].join('\r\n');
  const json = 'Content-Type: application/json';

  /** The limits above may cut off this client too, when the machine is slow. */
  async function untilAnswered(front: FrontEnd): Promise<void> {
    const status = (): Promise<number> =>
      front.post(address).then(
        (response) => response.status,
        () => 0,
      );
    await until(async () => (await status()) === 200);
  }

  it('send nothing are cut off, however many they are, without a word that a browser would take for an answer', async () => {
    await using front = await startFrontEnd({ limits });
    const sockets = await Promise.all(Array.from({ length: 200 }, () => openSocket(front.url)));
    expect(new Set(await Promise.all(sockets.map(readToEnd)))).to.deep.equal(new Set(['']));
    await untilAnswered(front);
  });

  it('send their header a byte at a time are cut off with 400', async () => {
    await using front = await startFrontEnd({ limits });
    const socket = await openSocket(front.url);
    const drip = setInterval(() => socket.write('x'), 20);
    socket.write('GET / HTTP/1.1\r\nX-Slow: ');
    expect(await readToEnd(socket)).to.match(/^HTTP\/1.1 400 [^]*did not arrive in time/);
    clearInterval(drip);
  });

  it('send their body a byte at a time are cut off', async () => {
    await using front = await startFrontEnd({ limits });
    const socket = await openSocket(front.url);
    socket.write(headOf(front, json, 'Content-Length: 5000'));
    let sent = 0;
    const drip = setInterval(() => {
      sent++;
      socket.write(' ');
    }, 20);
    await readToEnd(socket);
    clearInterval(drip);
    expect(sent).to.be.below(5000);
    await untilAnswered(front);
  });

  it('send 400 MB are refused without the memory for it, whether they say the length or not', async () => {
    await using front = await startFrontEnd();
    const chunk = Buffer.alloc(1 << 20, 0x20);
    const rssBefore = process.memoryUsage.rss();
    const length = 400 * chunk.length;
    for (const framing of [`Content-Length: ${length}`, 'Transfer-Encoding: chunked']) {
      const socket = await openSocket(front.url);
      const answered = once(socket, 'data') as Promise<[Buffer]>;
      const frame = framing.startsWith('T') ? [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n'] : [chunk];
      socket.write(headOf(front, json, framing));
      let sent = 0;
      while (sent < length && !socket.closed) {
        for (const part of frame) await new Promise((resolve) => socket.write(part, resolve));
        sent += chunk.length;
      }
      if (framing.startsWith('T')) socket.write('0\r\n\r\n');
      expect(String((await answered)[0]), framing).to.match(/^HTTP\/1.1 400 [^]*BAD_REQUEST/);
      socket.destroy();
    }
    // Buffers that were read and dropped, in this process of server and client, stay until the next collection: 40 to 200 MB.
    expect(process.memoryUsage.rss() - rssBefore).to.be.below(350e6);
    expect((await front.post(address)).status).to.equal(200);
  });

  it('do not read their answers are cut off, and one that reads slowly at first is not', async () => {
    const request = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n';
    let most = 0;
    const bytesAfter = async (pauseMs: number, readTimeoutMs: number, ...last: string[]): Promise<number> => {
      await using front = await startFrontEnd({ limits: { readTimeoutMs } });
      most = 400 * (await lengthOf(`${front.url}/openapi.json`));
      const socket = await openSocket(front.url);
      socket.pause();
      socket.write(`${request}\r\n`.repeat(399) + [request, ...last, '\r\n'].join(''));
      await sleep(pauseMs);
      const answer = readToEnd(socket);
      socket.resume();
      return Buffer.byteLength(await answer);
    };
    await untilSucceeds(2500, async (pauseMs) => (await bytesAfter(pauseMs, CUT_MS)) < most);
    expect(await bytesAfter(1000, PATIENT_MS, 'Connection: close\r\n')).to.be.above(most);
    expect(most).to.be.above(20e6);
  });

  it('do not read a file are cut off, and one that reads slowly at first is not', async () => {
    const path = '/vendor/swagger-ui/swagger-ui-bundle.js';
    let most = 0;
    const bytesAfter = async (pauseMs: number, readTimeoutMs: number): Promise<number> => {
      await using front = await startFrontEnd({ limits: { readTimeoutMs } });
      most = 30 * (await lengthOf(front.url + path));
      const socket = await openSocket(front.url);
      socket.pause();
      const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n`;
      socket.write(`${request}\r\n`.repeat(29) + `${request}Connection: close\r\n\r\n`);
      await sleep(pauseMs);
      const answer = readToEnd(socket);
      socket.resume();
      return (await answer).length;
    };
    await untilSucceeds(2500, async (pauseMs) => (await bytesAfter(pauseMs, CUT_MS)) < most);
    expect(await bytesAfter(1000, PATIENT_MS)).to.be.above(most);
    expect(most).to.be.above(40e6);
  });

  it('do not read an answer that is made while they read are cut off', async () => {
    const app = express().get('/', (_req, res) => {
      const chunk = Buffer.alloc(1 << 16);
      Readable.from(
        (function* () {
          for (;;) yield chunk;
        })(),
      ).pipe(res);
    });
    const server = createHttpServer(app, { maxConnections: 10, refuseEarly: () => false, readTimeoutMs: CUT_MS });
    const socket = await openSocket(await listen(server, { host: '127.0.0.1', port: 0 }));
    socket.pause();
    const connections = (): Promise<number> =>
      new Promise((resolve) => {
        server.getConnections((_, count) => {
          resolve(count);
        });
      });
    while ((await connections()) === 0) await sleep(5);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    while ((await connections()) > 0) await sleep(50);
    socket.destroy();
    await stopServer(server, { lastCallMs: 0, quietMs: 0, drainMs: 100 });
  });

  it('come beyond the limit of connections are closed at once; there is room again when others leave', async () => {
    await using front = await startFrontEnd({ limits: { maxConnections: 3 } });
    const held = await Promise.all(Array.from({ length: 3 }, () => openSocket(front.url)));
    expect(await readToEnd(await openSocket(front.url))).to.equal('');
    for (const socket of held) socket.destroy();
    // The server hears of it a moment later.
    await untilAnswered(front);
  });
});
