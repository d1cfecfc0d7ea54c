/** Requests that a client sends before it has the answers of earlier ones (pipelining). What a flood of them costs others: `make stress NAME=pipelined`. */
import { expect } from 'chai';
import express, { type Express, type Request, type Response } from 'express';
import fc from '../support/drivers/fast-check.ts';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createHttpServer, listen, stopServer } from '../../src/core/http/server.ts';
import { openSocket, readToEnd } from '../support/drivers/client-socket.ts';
import { until } from '../support/drivers/patience.ts';
import { inputs } from '../support/drivers/inputs.ts';

interface TestedServer extends AsyncDisposable {
  readonly url: string;
  /** Requests that were parsed. */
  readonly parsed: () => number;
}

async function start(app: Express): Promise<TestedServer> {
  let parsed = 0;
  const server = createHttpServer(app, { refuseEarly: () => false });
  server.prependListener('request', () => parsed++);
  return {
    url: await listen(server, { host: '127.0.0.1', port: 0 }),
    parsed: () => parsed,
    [Symbol.asyncDispose]: () => stopServer(server, { lastCallMs: 0, quietMs: 0, drainMs: 0 }),
  };
}

/** Answers each request with its path, and notes it when it begins. */
function echo(begun: string[], onBegin: (path: string) => void = () => undefined): Express {
  return express().use((req, res) => {
    begun.push(req.path);
    onBegin(req.path);
    res.end(req.path);
  });
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const lastGet = (path: string): string => get(path).replace('Host', 'Connection: close\r\nHost');
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

function bodiesIn(text: string): string[] {
  return text.split(/HTTP\/1\.1 200 OK\r\n/).flatMap((answer) => answer.split('\r\n\r\n').slice(1, 2));
}

describe('Requests of one connection', function () {
  this.timeout(240_000);

  it('are answered in their order, each when the answer before has gone', async () => {
    const held: Response[] = [];
    await using server = await start(express().use((_req, res) => void held.push(res)));
    const socket = await openSocket(server.url);
    socket.write(['/0', '/1', '/2'].map(get).join('') + lastGet('/3'));
    const answer = readToEnd(socket);
    for (const number of numbers(4)) {
      await until(() => held.length > number);
      for (let turn = 0; turn < 10; turn++) await nextTurn();
      expect(held.length, 'one at a time').to.equal(number + 1);
      held[number]!.end(`/${number}`);
    }
    expect(bodiesIn(await answer)).to.deep.equal(['/0', '/1', '/2', '/3']);
  });

  it('let a request of another connection begin between them', async () => {
    const begun: string[] = [];
    const others: Socket[] = [];
    const onBegin = (path: string): void => {
      // On the way to the server before the next one begins.
      if (path === '/0') others[0]!.write(get('/other'));
    };
    await using server = await start(echo(begun, onBegin));
    const socket = await openSocket(server.url);
    others.push(await openSocket(server.url));
    socket.write(
      numbers(1000)
        .map((n) => get(`/${n}`))
        .join('') + lastGet('/end'),
    );
    await readToEnd(socket);
    expect(begun).to.have.length(1002);
    expect(begun.indexOf('/other')).to.be.within(1, 100);
    others[0]!.destroy();
  });

  it('wait unread, but for a few, until the first is answered', async () => {
    const begun: string[] = [];
    let first: Response | undefined;
    const app = express()
      .get('/first', (_req, res) => void (first = res))
      .use(echo(begun));
    await using server = await start(app);
    const socket = await openSocket(server.url);
    socket.write(get('/first') + 'GET / HTTP/1.1\r\n\r\n'.repeat(10_000) + lastGet('/end'));
    await until(() => first !== undefined);
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    expect(server.parsed()).to.equal(2);
    const answer = readToEnd(socket);
    first!.end();
    await answer;
    expect(begun).to.have.length(10_001);
  });

  it('of many connections begin by a few in each turn of the event loop', async () => {
    let [inTurn, most, waited] = [0, 0, 0];
    const onBegin = (path: string): void => {
      if (path === '/0') return;
      waited++;
      most = Math.max(most, ++inTurn);
    };
    await using server = await start(echo([], onBegin));
    const sockets = await Promise.all(numbers(100).map(() => openSocket(server.url)));
    for (const socket of sockets)
      socket.write(
        numbers(60)
          .map((n) => get(`/${n}`))
          .join(''),
      );
    for (; waited < 5900; inTurn = 0) await nextTurn();
    // Two turns of the server may lie between two of this loop.
    expect(most).to.be.within(2, 32);
    for (const socket of sockets) socket.destroy();
  });

  it('end with their client, and those that wait never begin', async () => {
    const begun: string[] = [];
    let first: Response | undefined;
    const app = express()
      .get('/first', (_req, res) => void (first = res))
      .use(echo(begun));
    await using server = await start(app);
    const socket = await openSocket(server.url);
    socket.write(get('/first') + get('/1') + get('/2'));
    await until(() => first !== undefined && server.parsed() === 2);
    socket.resetAndDestroy();
    // Nothing is read of a connection on which requests wait, so its end is seen at the next answer.
    first!.end('x'.repeat(1 << 20));
    await until(() => first!.destroyed);
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    expect(begun).to.deep.equal([]);
  });

  it('end with one that asks for another protocol, when it has to wait', async () => {
    const begun: string[] = [];
    await using server = await start(echo(begun));
    const socket = await openSocket(server.url);
    const upgrade = get('/1').replace('Host', 'Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 1\r\nHost') + 'x';
    socket.write(get('/0') + upgrade.repeat(100));
    expect(bodiesIn(await readToEnd(socket))).to.deep.equal(['/0', '/1']);
    expect(begun).to.deep.equal(['/0', '/1']);
    expect(server.parsed()).to.equal(2);
  });

  it('arrive whole, however their bytes come and whatever lies between them', async () => {
    await using server = await start(express().use(digest));
    const body = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5000 }), fc.constant(100_000));
    const sent = fc.record({
      ...{ body, isChunked: fc.boolean(), isRead: fc.boolean(), delayTurns: fc.nat(3) },
      blanks: fc.oneof(fc.constant(0), fc.constant(300_000)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 9000 }), check),
      { seed: 258, numRuns: inputs(60) },
    );

    async function check(requests: readonly Sent[], step: number): Promise<void> {
      const socket = await openSocket(server.url);
      const answer = readToEnd(socket);
      const bytes = requests.map(textOf).join('') + lastGet('/end');
      // A long body that nobody reads ends its connection when it comes in pieces of fewer bytes.
      const least = requests.some(({ body, isRead }) => !isRead && body > 1000) ? LEAST_PIECE_BYTES : 1;
      const length = Math.max(step, least);
      for (let at = 0; at < bytes.length; at += length) {
        socket.write(bytes.slice(at, at + length));
        if (at % 5 === 0) await nextTurn();
      }
      const expected = requests.map(({ body, isRead }, number) => `/${number} ${isRead ? body : 'unread'}`);
      expect(bodiesIn(await answer).map((text) => text.trimEnd())).to.deep.equal([...expected, '/end unread']);
    }
  });
});

const LEAST_PIECE_BYTES = 16;

interface Sent {
  readonly body: number;
  readonly isChunked: boolean;
  readonly isRead: boolean;
  readonly delayTurns: number;
  /** Behind the answer, so that it is more than the system takes at once. */
  readonly blanks: number;
}

/** Answers with the path, the length of the body if the request asks to read it, and blanks. */
async function digest(req: Request, res: Response): Promise<void> {
  for (let turn = Number(req.query['turns'] ?? 0); turn > 0; turn--) await nextTurn();
  let length: number | string = 'unread';
  if (req.query['read'] === 'true') {
    length = 0;
    for await (const bytes of req as AsyncIterable<Buffer>) length += bytes.length;
  }
  const text = `${req.path} ${length}${' '.repeat(Number(req.query['blanks'] ?? 0))}`;
  res.setHeader('Content-Length', text.length);
  res.end(text);
}

function textOf({ body, isChunked, isRead, delayTurns, blanks }: Sent, number: number): string {
  const head = `POST /${number}?read=${isRead}&turns=${delayTurns}&blanks=${blanks} HTTP/1.1\r\nHost: x\r\n`;
  const content = 'y'.repeat(body);
  if (!isChunked) return `${head}Content-Length: ${body}\r\n\r\n${content}`;
  const chunk = body === 0 ? '' : `${body.toString(16)}\r\n${content}\r\n`;
  return `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`;
}
