/** What no request is, and requests that no app sees: each gets one refusal, in its place among the answers of its connection. */
import { expect } from 'chai';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSocket, readToEnd, statusesIn } from '../support/drivers/client-socket.ts';
import { okAnswer, startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';

const body = JSON.stringify({ address: '1 Main St, Toronto, ON' });
const connectRequest = 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n';
const limits = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 };

const slowLookup = async () => {
  await sleep(200);
  return okAnswer;
};

function lookupOf({ key }: FrontEnd): string {
  const head = [
    ...['POST /api/lookup HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`],
    ...['Content-Type: application/json', `Content-Length: ${body.length}`, '', ''],
  ];
  return head.join('\r\n') + body;
}

/** Waits until the server has let go of the connection: then it answers what comes with a reset. */
async function untilGone(socket: Socket): Promise<void> {
  while (!socket.closed) {
    socket.write('x');
    await sleep(50);
  }
}

describe('A refused connection', () => {
  for (const [what, text] of [
    ['that is no HTTP', 'garbage\r\n\r\n'],
    ['with CONNECT', connectRequest],
  ] as const) {
    it(`does not put the refusal of a request ${what} in the place of an earlier answer`, async () => {
      await using front = await startFrontEnd({ lookup: slowLookup });
      const socket = await openSocket(front.url);
      socket.write(lookupOf(front) + text);
      expect(statusesIn(await readToEnd(socket))).to.deep.equal([200]);
    });

    it(`gets the refusal of a request ${what} after complete answers`, async () => {
      await using front = await startFrontEnd();
      const socket = await openSocket(front.url);
      const answers = readToEnd(socket);
      const answer = once(socket, 'data');
      socket.write(lookupOf(front));
      await answer;
      socket.write(text);
      expect(statusesIn(await answers)).to.deep.equal([200, text === connectRequest ? 405 : 400]);
    });
  }

  it('gets no second response when its body does not end after the first', async () => {
    await using front = await startFrontEnd({ limits });
    const socket = await openSocket(front.url);
    socket.write('POST /api/lookup HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n');
    const drip = setInterval(() => socket.write(' '), 20);
    expect(statusesIn(await readToEnd(socket))).to.deep.equal([401]);
    clearInterval(drip);
  });

  it('gets nothing into an answer that is under way', async () => {
    await using front = await startFrontEnd();
    const socket = await openSocket(front.url);
    socket.pause();
    const count = 8;
    socket.write('GET /vendor/swagger-ui/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
    await sleep(100);
    socket.write('garbage\r\n\r\n');
    await sleep(200);
    const answers = readToEnd(socket);
    socket.resume();
    const text = await answers;
    const answerLength = text.indexOf('HTTP/1.1 200 ', 1);
    expect(answerLength).to.be.above(1e6);
    expect(text.replace(/HTTP\/1\.1 400 [^]*/, '').length).to.equal(count * answerLength);
  });

  it('ends also when the client keeps its own side open', async () => {
    await using front = await startFrontEnd({ limits });
    const starts = ['GET / HTTP/1.1\r\nX-Slow: ', connectRequest, 'garbage\r\n\r\n'];
    const gone = starts.map(async (start) => {
      const socket = await openSocket(front.url, { allowHalfOpen: true });
      socket.resume().write(start);
      await sleep(3000);
      await untilGone(socket);
    });
    await Promise.all(gone);
  });

  it('may be reset by its client after a CONNECT without harm to the process', async () => {
    await using front = await startFrontEnd();
    for (let attempt = 0; attempt < 5; attempt++) {
      const socket = await openSocket(front.url);
      socket.resume().write(connectRequest);
      if (attempt % 2 > 0) await sleep(100);
      socket.resetAndDestroy();
    }
    await sleep(200);
    expect((await fetch(`${front.url}/readyz`)).status).to.equal(200);
  });
});
