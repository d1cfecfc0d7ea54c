import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { sendParts } from '../../../src/features/batches/send-parts.ts';
import { openSocket } from '../../support/drivers/client-socket.ts';
import { until } from '../../support/drivers/patience.ts';

const PART = Buffer.alloc(1 << 20, 'x');
const PARTS = 40;
const TIMEOUT_MS = 1000;
const PATIENT_MS = 600_000;

interface Sender extends AsyncDisposable {
  readonly url: string;
  /** Parts that were made. */
  readonly made: () => number;
  /** Whether it has sent all, or given up. */
  readonly hasEnded: () => boolean;
}

async function startSender(timeoutMs: number): Promise<Sender> {
  let made = 0;
  let hasEnded = false;
  const server = createServer((_req, res) => {
    const parts = (async function* (): AsyncGenerator<Uint8Array> {
      for (; made < PARTS; made++) {
        await Promise.resolve();
        yield PART;
      }
    })();
    void parts.next().then(async ({ value }) => {
      await sendParts(res, value as Uint8Array, { rest: parts, timeoutMs });
      hasEnded = true;
      await parts.return(undefined);
      res.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    made: () => made,
    hasEnded: () => hasEnded,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('A download that is made as the client takes it in', function () {
  this.timeout(240_000);

  it('waits for a slow client, and is complete', async () => {
    await using sender = await startSender(PATIENT_MS);
    const socket = await openSocket(sender.url);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 5);
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    expect(bytes).to.be.above(PARTS * PART.length);
  });

  it('ends for a client that does not read, and makes no more', async () => {
    await using sender = await startSender(TIMEOUT_MS);
    const socket = await openSocket(sender.url);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(sender.hasEnded);
    const made = sender.made();
    expect(made).to.be.below(PARTS);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await closed;
    expect(sender.made()).to.equal(made);
  });
});
