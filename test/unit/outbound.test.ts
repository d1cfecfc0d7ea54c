import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkStatus, readBody, send } from '../../src/core/outbound/client.ts';
import { Stalled, TooLarge, Transient } from '../../src/core/outbound/failures.ts';
import { withRetries } from '../../src/core/outbound/retry.ts';

/** A server on a port of its own. */
async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/place?address=31+Main+St`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => new Error('it did not fail'),
    (cause: unknown) => cause as Error,
  );
}

/** For servers that are silent. */
const brief = { idleMs: 200 };
/** For those that answer, on a slow machine too. */
const limits = { idleMs: 600_000 };

describe('The client for servers outside', () => {
  it('tells silence from a broken connection, before and in the middle of an answer', async () => {
    await using silent = await serve(() => undefined);
    const before = await failureOf(send({ url: silent.url, ...brief }));
    expect(before).to.be.instanceOf(Stalled).with.property('message', 'the server was silent for 0.2 s');
    await using halfway = await serve((_req, res) => res.write('half'));
    const middle = failureOf(readBody(await send({ url: halfway.url, ...brief }), 100));
    expect(await middle).to.be.instanceOf(Stalled);
    await using broken = await serve((_req, res) => {
      res.write('half', () => res.destroy());
    });
    const cut = await failureOf(readBody(await send({ url: broken.url, ...limits }), 100));
    expect(cut).to.be.instanceOf(Transient).and.not.instanceOf(Stalled);
  });

  it('gives up at the deadline, however the answer trickles', async () => {
    await using slow = await serve((_req, res) => {
      const timer = setInterval(() => res.write('.'), 20);
      res.on('close', () => {
        clearInterval(timer);
      });
    });
    // On a busy machine, the deadline may pass before the first byte.
    const failure = await failureOf(
      send({ url: slow.url, ...limits, deadlineMs: 300 }).then((answer) => readBody(answer, 10_000)),
    );
    expect(failure).to.be.instanceOf(Transient).with.property('message', 'no answer in time');
  });

  it('reads some interim answers, and not ever more', async () => {
    let sent = 0;
    const hinting = (count: number) =>
      serve((_req, res) => {
        const hint = (): void => {
          if (res.destroyed) return;
          if (sent++ === count) res.end('whole');
          else res.writeEarlyHints({ link: '</x>' }, () => setImmediate(hint));
        };
        sent = 0;
        hint();
      });
    await using some = await hinting(10);
    expect(String(await readBody(await send({ url: some.url, ...limits }), 100))).to.equal('whole');
    await using more = await hinting(Infinity);
    const failure = await failureOf(send({ url: more.url, ...limits }));
    expect(failure).to.be.instanceOf(Transient);
    expect(failure.message).to.equal('the connection failed: the server sends 1xx without end');
  });

  it('sends pieces as they come, and ends a request when it is told to', async () => {
    const got: string[] = [];
    await using server = await serve((req, res) => {
      req.on('data', (chunk: Buffer) => got.push(chunk.toString()));
      req.on('end', () => res.write('half'));
    });
    async function* pieces() {
      yield Buffer.from('one');
      while (got.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      yield Buffer.from('two');
    }
    const stop = new AbortController();
    const answer = await send({ url: server.url, method: 'POST', body: pieces(), ...limits, signal: stop.signal });
    expect(got).to.deep.equal(['one', 'two']);
    stop.abort();
    const failure = await failureOf(readBody(answer, 100));
    expect(failure.name).to.equal('AbortError');
    expect(failure, 'there is nothing to try again').not.to.be.instanceOf(Transient);
  });

  it('tells of each wait, and ends it when it is told to', async () => {
    const stop = new AbortController();
    const waits: string[] = [];
    const policy = {
      ...{ attempts: 5, firstMs: 1, mostMs: 60_000, stop: stop.signal },
      onWait: ({ message }: Error) => {
        waits.push(message);
        setTimeout(() => {
          stop.abort();
        }, 20);
      },
    };
    const failure = await failureOf(
      withRetries(policy, () => Promise.reject(new Transient('not now', { retryAfterMs: 60_000 }))),
    );
    expect(failure.name).to.equal('AbortError');
    expect(waits).to.deep.equal(['not now']);
  });

  it('refuses a longer body than it may have', async () => {
    await using long = await serve((_req, res) => res.end('x'.repeat(101)));
    expect((await readBody(await send({ url: long.url, ...limits }), 101)).length).to.equal(101);
    expect(await failureOf(readBody(await send({ url: long.url, ...limits }), 100))).to.be.instanceOf(TooLarge);
  });

  it('follows a redirect or refuses it, and names neither path nor parameters in a failure', async () => {
    await using moved = await serve((req, res) => {
      if (req.url === '/there') res.end('there');
      else res.writeHead(302, { location: '/there' }).end();
    });
    expect(String(await readBody(await send({ url: moved.url, ...limits }), 100))).to.equal('there');
    const refused = await failureOf(send({ url: moved.url, ...limits, redirect: 'error' }));
    const gone = await serve(() => undefined);
    const { url } = gone;
    await gone[Symbol.asyncDispose]();
    const unreached = await failureOf(send({ url, ...limits }));
    for (const failure of [refused, unreached])
      expect(failure)
        .to.be.instanceOf(Transient)
        .with.property('message')
        .that.does.not.match(/place|Main/);
  });

  it('waits as long as the server asks before it tries again, but begins no try after the end', async () => {
    let requests = 0;
    await using busy = await serve((_req, res) => {
      if (++requests === 2) res.end('at last');
      else res.writeHead(503, { 'retry-after': '1' }).end();
    });
    const ask = async (): Promise<string> => {
      const answer = await send({ url: busy.url, ...limits });
      checkStatus(answer);
      return String(await readBody(answer, 100));
    };
    const policy = { attempts: 3, firstMs: 1, mostMs: 1 };
    const startMs = performance.now();
    expect(await withRetries(policy, ask)).to.equal('at last');
    expect(performance.now() - startMs).to.be.above(990);
    const failure = await failureOf(withRetries({ ...policy, endMs: performance.now() + 900 }, ask));
    expect([failure.message, requests]).to.deep.equal(['the server answered 503', 3]);
  });
});
