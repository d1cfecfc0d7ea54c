/** Refusals that are there before the body: each client must be able to read them, also one that sends everything first. */
import { expect } from 'chai';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suspendCustomer } from '../../src/core/keys/customers.ts';
import { setKey } from '../../src/core/keys/keys.ts';
import { openSocket, readToEnd, statusesIn } from '../support/drivers/client-socket.ts';
import { okAnswer, startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { startSignupSide } from '../support/drivers/signup.ts';
import { uploadClients } from '../support/drivers/upload-clients.ts';
import { given } from '../support/drivers/given.ts';

/** More than the kernel keeps of a connection from which nobody reads. */
const large = Buffer.alloc(12 << 20, 'x');

interface Refusal {
  readonly status: number;
  readonly headers: (front: FrontEnd) => Record<string, string>;
  readonly prepare?: (front: FrontEnd) => Promise<unknown>;
}

const csv = { 'content-type': 'text/csv' };
const keyed = ({ key }: FrontEnd) => ({ authorization: `Bearer ${key}` });

const refusals: Readonly<Record<string, Refusal>> = {
  'without a key': { status: 401, headers: () => csv },
  'of a suspended customer': {
    status: 402,
    headers: (front) => ({ ...csv, ...keyed(front) }),
    prepare: async ({ store, keyId }) => {
      await setKey(store, keyId, { customer: 'cus_1' });
      await suspendCustomer(store, 'cus_1', 'unpaid');
    },
  },
  'of a key without batches': { status: 403, headers: (front) => ({ ...csv, ...keyed(front) }) },
  'of another type': {
    status: 400,
    headers: (front) => ({ 'content-type': 'application/zip', ...keyed(front) }),
    prepare: ({ store, keyId }) => setKey(store, keyId, { limits: { batchRowsPerDay: 10 } }),
  },
};

describe('An upload that is refused at once', function () {
  this.timeout(240_000);

  for (const [what, { status, headers, prepare }] of Object.entries(refusals)) {
    /** That of the clients before. */
    let front: FrontEnd | undefined;
    const prepared = async (): Promise<FrontEnd> => {
      if (front) return front;
      front = await startFrontEnd();
      await prepare?.(front);
      return front;
    };
    after(() => front?.[Symbol.asyncDispose]());

    for (const [name, client] of Object.entries(uploadClients)) {
      given('batches').it(`${what} tells ${name} so`, async () => {
        const served = await prepared();
        const answer = await client({ url: `${served.url}/api/batches`, headers: headers(served), body: large });
        expect(answer.status).to.equal(status);
        expect((JSON.parse(answer.body) as { status: number }).status).to.equal(status);
      });
    }
  }
});

const wholeFirst = uploadClients['a client that sends everything first']!;

/** Every route that takes a body, and what takes none. */
const routes = [
  ...['POST /api/lookup', 'POST /api/lookup/point', 'POST /api/lookup/area', 'POST /mcp', 'POST /api/batches'],
  ...['POST /api/batches/b/cancel', 'DELETE /api/batches/b', 'PATCH /api/account', 'POST /api/account/keys'],
  ...['POST /api/account/keys/rotate', 'POST /api/account/portal', 'POST /api/webhooks/secret'],
  ...['POST /webhooks/stripe', 'POST /signup', 'POST /signup/key', 'POST /signup/shown'],
  ...['POST /healthz', 'PUT /nothing', 'GET /api/layers', 'POST /'],
];

describe('Each route', function () {
  this.timeout(240_000);

  for (const [authorized, own] of [
    ['without a key', () => ({})],
    ['with a key', keyed],
  ] as const) {
    given('batches', 'signup').it(
      `answers a client ${authorized} that sends far too much before it reads`,
      async () => {
        await using side = await startSignupSide();
        const headers = { ...own(side.front), 'Content-Type': 'application/json', Origin: side.front.url };
        for (const route of routes) {
          const [method, path] = route.split(' ') as [string, string];
          const answer = await wholeFirst({ url: side.front.url + path, method, headers, body: large });
          expect(answer.status, route).to.be.oneOf([200, 204, 400, 401, 403, 404, 405, 409]);
        }
      },
    );
  }

  given('agents', 'areas').it(
    'refuses a body that is too large by its length before a byte of it has come',
    async () => {
      await using front = await startFrontEnd();
      for (const [path, bytes] of [
        ['/api/lookup', 8 * 1024],
        ['/api/lookup/area', 512 * 1024],
        ['/mcp', 576 * 1024],
      ] as const) {
        const socket = await openSocket(front.url);
        socket.write(headOf(front, path, `Content-Length: ${bytes + 1}`));
        expect(String((await once(socket, 'data'))[0]), path).to.match(/^HTTP\/1.1 400 [^]*is larger than \d+ KiB/);
        socket.destroy();
      }
    },
  );

  it('refuses one without a length as soon as it is too large', async () => {
    await using front = await startFrontEnd();
    const socket = await openSocket(front.url);
    socket.write(`${headOf(front, '/api/lookup', 'Transfer-Encoding: chunked')}3000\r\n${' '.repeat(0x3000)}\r\n`);
    expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1.1 400 [^]*is larger than 8 KiB/);
    socket.destroy();
  });

  given('batches').it('does not ask for a body that it refuses, and asks for one that it takes', async () => {
    await using front = await startFrontEnd();
    await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: 10 } });
    const expecting = ['Expect: 100-continue', 'Connection: close'];
    const refused = await openSocket(front.url);
    refused.end(headOf(front, '/api/lookup', 'Content-Length: 9000', ...expecting));
    expect(statusesIn(await readToEnd(refused))).to.deep.equal([400]);
    for (const [path, type, body, status] of [
      ['/api/lookup', 'application/json', '{"address":"1 Main St, Toronto, ON"}', 200],
      ['/api/batches', 'text/csv', 'address\n1 Main St\n', 202],
    ] as const) {
      const socket = await openSocket(front.url);
      socket.write(headOf(front, path, `Content-Length: ${body.length}`, `Content-Type: ${type}`, ...expecting));
      expect(String((await once(socket, 'data'))[0])).to.equal('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(body);
      expect(statusesIn(await readToEnd(socket)), path).to.deep.equal([status]);
    }
  });
});

describe('The rest of a refused body', function () {
  this.timeout(240_000);

  it('leaves the connection in order for the next request', async () => {
    await using front = await startFrontEnd({ lookup: () => Promise.resolve(okAnswer) });
    const socket = await openSocket(front.url);
    const answers = readToEnd(socket);
    const body = '{"address":"1 Main St, Toronto, ON"}';
    for (let n = 0; n < 20; n++) {
      socket.write(headOf(front, '/api/lookup', 'Content-Length: 100000'));
      await sleep(5);
      socket.write(Buffer.alloc(100_000, 'x'));
    }
    socket.write(headOf(front, '/api/lookup', `Content-Length: ${body.length}`, 'Connection: close') + body);
    expect(statusesIn(await answers)).to.deep.equal([...Array<number>(20).fill(400), 200]);
  });

  it('is read up to a number of bytes, whether the connection is kept or not', async () => {
    await using front = await startFrontEnd({ limits: { mostUnreadBytes: 1 << 20 } });
    for (const connection of ['keep-alive', 'close']) {
      const socket = await openSocket(front.url);
      socket.resume();
      socket.write(headOf(front, '/api/batches', 'Content-Length: 200000000', `Connection: ${connection}`));
      // What the kernel takes is not read.
      expect(await sentUntilCut(socket), connection).to.be.within(1 << 20, 32 << 20);
    }
  });

  given('batches').it('is read for a time', async () => {
    await using front = await startFrontEnd({ limits: { requestTimeout: 600 } });
    for (const connection of ['keep-alive', 'close']) {
      const socket = await openSocket(front.url);
      const answer = readToEnd(socket);
      socket.write(headOf(front, '/api/batches', 'Content-Length: 200000000', `Connection: ${connection}`));
      const drip = setInterval(() => socket.write('x'), 20);
      expect(statusesIn(await answer), connection).to.deep.equal([403]);
      clearInterval(drip);
    }
  });

  it('is read also of a header that is too large', async () => {
    await using front = await startFrontEnd();
    const socket = await openSocket(front.url);
    socket.pause();
    socket.write(`GET / HTTP/1.1\r\nX-Large: `);
    for (let n = 0; n < 20; n++) {
      socket.write(Buffer.alloc(50_000, 'x'));
      await sleep(10);
    }
    const answer = readToEnd(socket);
    socket.resume();
    expect(statusesIn(await answer)).to.deep.equal([400]);
  });
});

/** The header of a request with the key. Its type is JSON unless a line says another. */
function headOf({ key }: FrontEnd, path: string, ...lines: string[]): string {
  const type = lines.some((line) => line.startsWith('Content-Type')) ? [] : ['Content-Type: application/json'];
  const all = [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...type, ...lines];
  return `${all.join('\r\n')}\r\n\r\n`;
}

/** Sends until the server cuts the connection. @returns the bytes that went out. */
async function sentUntilCut(socket: Socket): Promise<number> {
  const chunk = Buffer.alloc(1 << 18, 'x');
  while (!socket.closed) {
    await new Promise((resolve) => {
      socket.once('close', resolve);
      socket.write(chunk, resolve);
    });
    socket.removeAllListeners('close');
  }
  return socket.bytesWritten;
}
