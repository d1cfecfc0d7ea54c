import { messageLimit } from '../../../src/core/limits/limit-words.ts';
import { batchSettings } from '../../../src/features/batches/settings.ts';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { suspendCustomer } from '../../../src/core/keys/customers.ts';
import { FREE_PER_HOUR } from '../../../src/core/http/route.ts';
import { issueKey, setKey } from '../../../src/core/keys/keys.ts';
import type { BatchBody } from '../../../src/features/batches/wire/batch.ts';
import { DAY_MS } from '../../../src/messages/time.ts';
import { openSocket, readToEnd } from '../../support/drivers/client-socket.ts';
import { roomy, startFrontEnd, type FrontEnd, type FrontEndOptions } from '../../support/drivers/front-end.ts';
import { atUptime } from '../../support/drivers/passing-time.ts';
import { until } from '../../support/drivers/patience.ts';
import { anySnapshot, answersOf, noBill, workOnAll, workOnOne } from './machine-store.ts';

const CSV = 'custom_id,address\na,12 Main St\nb,13 Main St\n';

interface Client extends AsyncDisposable {
  readonly front: FrontEnd;
  send(
    body: NonNullable<RequestInit['body']> | null,
    headers?: Readonly<Record<string, string>>,
    query?: string,
  ): Promise<Response>;
  ask(path: string, init?: RequestInit, key?: string): Promise<Response>;
  /** Makes a batch. Returns its id. */
  make(rows: number): Promise<string>;
}

async function startClient(rowsPerDay = 10_000, options: FrontEndOptions = {}): Promise<Client> {
  const front = await startFrontEnd(options);
  if (rowsPerDay > 0) await setKey(front.store, front.keyId, { limits: { batchRowsPerDay: rowsPerDay } });
  const send: Client['send'] = (body, headers = {}, query = '') =>
    fetch(`${front.url}/api/batches${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${front.key}`, 'content-type': 'text/csv', ...headers },
      body,
      duplex: 'half',
    });
  return {
    front,
    send,
    ask: (path, init = {}, key = front.key) =>
      fetch(`${front.url}/api/batches${path}`, { headers: { authorization: `Bearer ${key}` }, ...init }),
    make: async (rows) => {
      const response = await send(`address\n${'12 Main St\n'.repeat(rows)}`);
      expect(response.status).to.equal(202);
      return ((await response.json()) as BatchBody).id;
    },
    [Symbol.asyncDispose]: async () => front[Symbol.asyncDispose](),
  };
}

/** Sends the header of an upload of so many bytes, and the first ones. */
async function beginUpload({ url, key }: FrontEnd, bytes: number, first = 'address\n'): Promise<Socket> {
  const socket = await openSocket(url);
  const head = ['POST /api/batches HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, 'Content-Type: text/csv'];
  socket.write([...head, `Content-Length: ${bytes}`, '', first].join('\r\n'));
  return socket;
}

async function refusal(reply: Promise<Response>): Promise<[status: number, code: string, detail: string | undefined]> {
  const response = await reply;
  const { code, detail } = (await response.json()) as { readonly code: string; readonly detail?: string };
  return [response.status, code, detail];
}

async function batchOf(reply: Promise<Response>): Promise<BatchBody> {
  return (await (await reply).json()) as BatchBody;
}

describe('GET /api/batches', () => {
  it('counts against the limit of requests that look nothing up', async () => {
    await using front = await startFrontEnd();
    const list = () => fetch(`${front.url}/api/batches`, { headers: { authorization: `Bearer ${front.key}` } });
    await front.services.quotas.of(messageLimit).spend(front.keyId, FREE_PER_HOUR, FREE_PER_HOUR - 1);
    expect((await list()).status).to.equal(200);
    const refused = await list();
    expect(refused.status).to.equal(429);
    expect(((await refused.json()) as { reason: string }).reason).to.equal('PER_HOUR');
  });
});

describe('POST /api/batches', () => {
  it('accepts a file, and says where the batch is', async () => {
    await using client = await startClient();
    const response = await client.send(CSV, {}, '?detail=full&callback_url=https://example.com/hook');
    expect(response.status).to.equal(202);
    const body = (await response.json()) as BatchBody;
    expect(response.headers.get('location')).to.equal(`/api/batches/${body.id}`);
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(response.headers.has('ratelimit'), 'no part of the hourly limit').to.equal(false);
    expect(body).to.deep.equal({
      ...{ id: body.id, state: 'queued' },
      rows: { total: 2, done: 0, found: 0, notFound: 0, outside: 0, invalid: 0, failed: 0 },
      ...{ ratePerS: null, endsAt: null, snapshot: 's', detail: 'full', createdAt: body.createdAt },
      ...{ expiresAt: null, error: null, ignoredColumns: [], layers: [] },
    });
    const job = (await client.front.batches().find(body.id))!;
    expect(job).to.include({
      keyId: client.front.keyId,
      callbackUrl: 'https://example.com/hook',
      inputBytes: CSV.length,
    });
    const line = client.front.lines.find(({ batchId }) => batchId === body.id);
    expect(line).to.include({ message: 'request', route: '/api/batches', status: 202 });
    expect(JSON.stringify(client.front.lines)).not.to.contain('Main St');
    const chunk = (await client.front.batches().take(anySnapshot))!;
    expect(await client.front.batches().rowsOf(chunk)).to.deep.equal([
      { customId: 'a', place: { ok: true, value: { kind: 'address', address: '12 Main St' } } },
      { customId: 'b', place: { ok: true, value: { kind: 'address', address: '13 Main St' } } },
    ]);
  });

  it('takes a name that is nearly right, and names the columns that it does not use', async () => {
    await using client = await startClient();
    const file = 'Address,Custom ID,Owner,address 2\n12 Main St,a,Ann,rear\n';
    const { id, ignoredColumns } = await batchOf(client.send(file));
    expect(ignoredColumns).to.deep.equal(['Owner', 'address 2']);
    expect((await batchOf(client.ask(`/${id}`))).ignoredColumns).to.deep.equal(ignoredColumns);
    const chunk = (await client.front.batches().take(anySnapshot))!;
    expect(await client.front.batches().rowsOf(chunk)).to.deep.equal([
      { customId: 'a', place: { ok: true, value: { kind: 'address', address: '12 Main St' } } },
    ]);
    const rows = ['{"Address":"12 Main St","customId":"a"}', '{"lat":44,"lon":-79,"note":1,"Owner":null}'].join('\n');
    const ndjson = { 'content-type': 'application/x-ndjson' };
    expect((await batchOf(client.send(rows, ndjson))).ignoredColumns).to.deep.equal(['note', 'Owner']);
    const many = Array.from({ length: 50 }, (_, i) => `column ${i} ${'x'.repeat(200)}`);
    const first = (await batchOf(client.send(`address,${many.join()}\n1 Main St${','.repeat(50)}\n`))).ignoredColumns;
    expect(first).to.have.length(20);
    expect(Math.max(...first.map(({ length }) => length))).to.equal(100);
  });

  it('takes NDJSON, and gzip of either', async () => {
    await using client = await startClient();
    const ndjson = '{"lat":44.1,"lon":-79.3}\n{"address":"12 Main St"}\n';
    const types = [
      'application/x-ndjson',
      'application/ndjson',
      'application/jsonl',
      'Application/X-NDJSON; charset=UTF-8',
    ];
    for (const type of types) expect((await client.send(ndjson, { 'content-type': type })).status, type).to.equal(202);
    const zipped = await client.send(gzipSync(CSV), {
      'content-encoding': 'gzip',
      'content-type': 'text/csv;charset="utf-8"',
    });
    expect((await batchOf(Promise.resolve(zipped))).rows.total).to.equal(2);
  });

  it('needs a key that may be used from here and has batches', async () => {
    await using client = await startClient(0);
    expect(await refusal(client.send(CSV))).to.deep.equal([
      403,
      'FORBIDDEN',
      'this key has no batches: the operator can give it rows per day for them',
    ]);
    expect((await client.send(CSV, { authorization: 'Bearer x' })).status).to.equal(401);
    await using elsewhere = await startClient();
    await setKey(elsewhere.front.store, elsewhere.front.keyId, { limits: { networks: ['203.0.113.0/24'] } });
    const [status, , detail] = await refusal(elsewhere.send(CSV));
    expect([status, detail]).to.deep.equal([403, 'this key may not be used from 127.0.0.1: its networks are limited']);
    await using unpaid = await startClient();
    await setKey(unpaid.front.store, unpaid.front.keyId, { customer: 'cus_1' });
    await suspendCustomer(unpaid.front.store, 'cus_1', 'a test');
    expect((await unpaid.send(CSV)).status).to.equal(402);
  });

  it('says what is wrong with a request, and leaves nothing behind', async () => {
    await using client = await startClient();
    const ndjson = { 'content-type': 'application/x-ndjson' };
    const wrong: readonly (readonly [() => Promise<Response>, RegExp])[] = [
      [() => client.send(CSV, {}, '?detail=all'), /"detail" takes one value: plain or full$/],
      [() => client.send(CSV, {}, '?detail=full&detail=full'), /"detail" takes/],
      [() => client.send(CSV, {}, '?format=csv'), /no query parameter "format" here/],
      [
        () => client.send(CSV, {}, '?callback_url=http://example.com'),
        /callback_url cannot be used: it must begin with https/,
      ],
      [() => client.send(CSV, {}, `?callback_url=https://x.com/${'x'.repeat(2050)}`), /callback_url/],
      [
        () => client.send(CSV, { 'content-type': 'application/json' }),
        /Content-Type: text\/csv or application\/x-ndjson/,
      ],
      [() => client.send(CSV, { 'content-type': 'text/csv; charset=latin1' }), /must be UTF-8, not latin1/],
      [() => client.send(CSV, { 'content-encoding': 'br' }), /Content-Encoding must be gzip/],
      [() => client.send(CSV, { 'content-encoding': 'gzip' }), /no complete gzip/],
      [() => client.send(CSV, { 'idempotency-key': 'ü' }), /Idempotency-Key/],
      [() => client.send(''), /empty|no rows/],
      [() => client.send(null), /empty|no rows|Content-Type/],
      [() => client.send('', ndjson), /no rows/],
      [() => client.send('a,b\n1,2\n'), /the file needs a column "address".*its header has "a", "b"/],
      [() => client.send('[1]\n', ndjson), /the file is a JSON array: send one object a line/],
      [
        () => client.send(Buffer.from('address\n1 Montr\xe9al\n', 'latin1')),
        /row 1 \(line 2\), column 8: the byte 0xe9/,
      ],
    ];
    for (const [send, detail] of wrong) {
      const [status, code, text] = await refusal(send());
      expect([status, code], detail.source).to.deep.equal([400, 'BAD_REQUEST']);
      expect(text).to.match(detail);
    }
    expect(await client.front.batches().list(client.front.keyId, { limit: 9, after: null })).to.deep.equal([]);
  });

  it('refuses what is too large before it is sent', async () => {
    await using client = await startClient();
    const socket = await openSocket(client.front.url);
    const head = ['POST /api/batches HTTP/1.1', 'Host: x', `Authorization: Bearer ${client.front.key}`];
    socket.write([...head, 'Content-Type: text/csv', 'Content-Length: 256000001', '', ''].join('\r\n'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(String(answer)).to.match(/^HTTP\/1.1 413 [^]*TOO_LARGE/);
    socket.destroy();
  });

  it('refuses more rows than the key has left today', async () => {
    await using client = await startClient(3);
    await client.make(2);
    const response = await client.send(CSV);
    expect(Number(response.headers.get('retry-after'))).to.be.within(1, 86_400);
    expect(await refusal(Promise.resolve(response))).to.deep.equal([
      429,
      'RATE_LIMITED',
      'this key may send 3 rows per day (UTC) in batches, 1 are left today, and this batch has 2',
    ]);
    await client.make(1);
  });

  it('refuses when there is no room, and says to the client only that', async () => {
    await using client = await startClient(10, { ofFeatures: new Map([[batchSettings, { ...roomy, diskBytes: 10 }]]) });
    const response = await client.send(CSV);
    expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '3600']);
    expect(JSON.stringify(client.front.lines)).to.contain('BATCH_DISK_MB');
  });

  it('makes one batch of a request that is repeated', async () => {
    await using client = await startClient();
    const headers = { 'idempotency-key': 'once' };
    const first = await client.send(CSV, headers);
    const { id } = await batchOf(Promise.resolve(first));
    expect(first.headers.has('idempotent-replayed')).to.equal(false);
    const second = await client.send(gzipSync(CSV), { ...headers, 'content-encoding': 'gzip' });
    expect([second.status, second.headers.get('idempotent-replayed')]).to.deep.equal([202, 'true']);
    expect((await batchOf(Promise.resolve(second))).id).to.equal(id);
    for (const other of [client.send(`${CSV}c,14 Main St\n`, headers), client.send(CSV, headers, '?detail=full')]) {
      expect(await refusal(other)).to.deep.equal([
        400,
        'BAD_REQUEST',
        'this Idempotency-Key was used for another request',
      ]);
    }
  });

  it('takes four files of a customer at once, whichever of its keys sends them', async () => {
    await using client = await startClient();
    const { front } = client;
    const limits = { batchRowsPerDay: 10_000 };
    await setKey(front.store, front.keyId, { customer: 'cus_1' });
    const others = await Promise.all(
      [1, 2, 3].map((n) => issueKey(front.store, { name: `key ${n}`, customer: 'cus_1', limits })),
    );
    const keys = [front.key, ...others.map(({ key }) => key)];
    const sockets = await Promise.all(keys.map((key) => beginUpload({ ...front, key }, 1000)));
    await sleep(300);
    for (const key of keys) {
      const refused = client.send(CSV, { authorization: `Bearer ${key}` });
      expect(await refusal(refused)).to.deep.equal([429, 'RATE_LIMITED', 'this client sends 4 batches already']);
    }
    const stranger = await issueKey(front.store, { name: 'stranger', limits });
    expect((await client.send(CSV, { authorization: `Bearer ${stranger.key}` })).status).to.equal(202);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await client.send(CSV)).status === 202);
    expect((await client.send(CSV)).status).to.equal(202);
    expect(await front.batches().list(front.keyId, { limit: 9, after: null })).to.have.length(2);
  });

  it('ends an upload that stands still, and one that only trickles', async () => {
    const limits = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 };
    await using client = await startClient(10, { limits });
    for (const dripMs of [100_000, 20]) {
      const socket = await beginUpload(client.front, 100_000);
      const drip = setInterval(() => socket.write('x'), dripMs);
      expect(await readToEnd(socket)).to.match(/^HTTP\/1.1 400 [^]*did not arrive in time/);
      clearInterval(drip);
    }
    // The limits hold for this client too, which may be slow with its machine.
    await until(async () => (await client.send(CSV).catch(() => null))?.status === 202);
  });

  it('gives the refusal also to a client that reads it only when it has sent everything', async () => {
    await using client = await startClient();
    const body = Buffer.concat([Buffer.from('a,b\n'), Buffer.alloc(20e6, 'x,y\n')]);
    const socket = await beginUpload(client.front, body.length, '');
    socket.pause();
    await new Promise((resolve) => socket.write(body, resolve));
    const [answer] = (await once(socket.resume(), 'data')) as [Buffer];
    expect(String(answer)).to.match(/^HTTP\/1.1 400 [^]*the file needs a column/);
    socket.destroy();
  });

  it('gives an upload more time than other requests, as long as it comes', async () => {
    const limits = { requestTimeout: 1000, connectionsCheckingInterval: 50 };
    const part = Buffer.from('12 Main St\n'.repeat(12_000));
    let nowMs = 0;
    const atClock = <T>(work: () => Promise<T>): Promise<T> => atUptime(() => nowMs, work);
    await using client = await atClock(() => startClient(1e6, { limits }));
    const arriving = arrivingOn(client.front);
    const parts = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('address\n');
      const { socket } = await arriving;
      for (let i = 0; i < 12; i++) {
        nowMs += 900;
        await sleep(2 * limits.connectionsCheckingInterval);
        const before = socket.bytesRead;
        yield part;
        await until(() => socket.bytesRead >= before + part.length || socket.destroyed);
      }
    };
    const response = await client.send(parts() as never);
    expect(response.status).to.equal(202);
    expect((await batchOf(Promise.resolve(response))).rows.total).to.equal(144_000);
  });
});

/** Returns the next request that a service takes, as it has it. */
function arrivingOn({ url }: FrontEnd): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    const take = (message: unknown): void => {
      const { request } = message as { readonly request: IncomingMessage };
      if (request.headers.host !== new URL(url).host) return;
      unsubscribe('http.server.request.start', take);
      resolve(request);
    };
    subscribe('http.server.request.start', take);
  });
}

describe('The routes of a batch', () => {
  it('show its progress', async () => {
    await using client = await startClient();
    const id = await client.make(2500);
    const batches = client.front.batches();
    expect(await batchOf(client.ask(`/${id}`))).to.deep.include({ state: 'queued', ratePerS: null, endsAt: null });
    await workOnOne(batches, { notFound: 10, outside: 5, invalid: 3, failed: 2 });
    const running = await batchOf(client.ask(`/${id}`));
    expect(running).to.include({ state: 'running', expiresAt: null });
    expect(running.rows).to.deep.equal({
      ...{ total: 2500, done: 1000, found: 980, notFound: 10, outside: 5, invalid: 3, failed: 2 },
    });
    expect(running.ratePerS).to.be.above(0);
    expect(Date.parse(running.endsAt!)).to.be.above(Date.now() - 900_000);
    await workOnAll(batches);
    const ended = await batchOf(client.ask(`/${id}`));
    expect(ended).to.include({ state: 'completed' });
    expect(Date.parse(ended.expiresAt!) - Date.parse(ended.endsAt!)).to.equal(7 * DAY_MS);
    expect(
      (await client.ask(`/${id}`, { method: 'HEAD', headers: { authorization: `Bearer ${client.front.key}` } })).status,
    ).to.equal(200);
  });

  it('list the batches of the key, page by page', async () => {
    await using client = await startClient();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.unshift(await client.make(1));
      await sleep(2);
    }
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 9; pages++) {
      const reply = await client.ask(`?limit=2${cursor}`);
      const { batches, nextCursor } = (await reply.json()) as { batches: BatchBody[]; nextCursor: string | null };
      seen.push(...batches.map(({ id }) => id));
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(seen).to.deep.equal(ids);
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?cursor=x', '?state=running', '?limit=1&limit=2']) {
      expect((await refusal(client.ask(query)))[1], query).to.equal('BAD_REQUEST');
    }
  });

  it('give results while it runs, and from a row on', async () => {
    await using client = await startClient();
    const id = await client.make(2500);
    const batches = client.front.batches();
    expect(await (await client.ask(`/${id}/results`)).text()).to.equal('');
    await workOnOne(batches);
    const running = await client.ask(`/${id}/results`);
    expect(running.headers.get('content-type')).to.equal('application/x-ndjson');
    expect(running.headers.get('batch-state')).to.equal('running');
    expect((await running.text()).trimEnd().split('\n')).to.have.length(1000);
    await workOnAll(batches);
    const rest = await client.ask(`/${id}/results?format=ndjson&after=1250`);
    expect(rest.headers.get('batch-state')).to.equal('completed');
    // Without a charset, clients read a text as Latin-1.
    const table = await client.ask(`/${id}/results?format=csv&after=2499`);
    expect(table.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    const lines = (await rest.text()).trimEnd().split('\n');
    expect(lines).to.have.length(1250);
    expect(JSON.parse(lines[0]!)).to.include({ row: 1251 });
    for (const query of ['?after=-1', '?after=1.5', '?after=', '?format=xml', '?detail=full', '?after=1000001']) {
      expect((await refusal(client.ask(`/${id}/results${query}`)))[1], query).to.equal('BAD_REQUEST');
    }
  });

  it('give results compressed to a client that takes gzip, the same bytes inside', async () => {
    await using client = await startClient();
    const id = await client.make(2500);
    await workOnAll(client.front.batches());
    const asked = (accept: string, method = 'GET') =>
      client.ask(`/${id}/results?after=10`, {
        method,
        headers: { authorization: `Bearer ${client.front.key}`, 'accept-encoding': accept },
      });
    const whole = await asked('identity');
    const text = await whole.text();
    expect(whole.headers.get('content-encoding')).to.equal(null);
    expect(text.trimEnd().split('\n')).to.have.length(2490);
    const zipped = await asked('br, gzip');
    expect(zipped.headers.get('content-encoding')).to.equal('gzip');
    expect(zipped.headers.get('vary')).to.match(/Accept-Encoding/);
    expect((await zipped.text()) === text).to.equal(true);
    expect((await asked('gzip;q=0')).headers.get('content-encoding')).to.equal(null);
    expect((await asked('gzip', 'HEAD')).status).to.equal(200);
  });

  it('refuse formats that need its end, until it has ended', async () => {
    await using client = await startClient();
    const id = await client.make(1);
    const headers = { authorization: `Bearer ${client.front.key}`, accept: 'application/geo+json' };
    expect((await refusal(client.ask(`/${id}/results?format=geojson`))).slice(0, 2)).to.deep.equal([409, 'CONFLICT']);
    expect((await refusal(client.ask(`/${id}/results`, { headers })))[0]).to.equal(409);
    expect((await refusal(client.ask(`/${id}/results?format=parquet`)))[0]).to.equal(409);
  });

  it('cancel it, and not when it has ended', async () => {
    await using client = await startClient();
    const id = await client.make(2000);
    const batches = client.front.batches();
    const chunk = (await batches.take(anySnapshot))!;
    expect(await batchOf(client.ask(`/${id}/cancel`, post(client)))).to.include({ state: 'running', endsAt: null });
    await batches.finish(chunk, answersOf(chunk), noBill);
    const cancelled = await batchOf(client.ask(`/${id}`));
    expect(cancelled.state).to.equal('cancelled');
    expect(cancelled.rows.done).to.equal(1000);
    expect(await refusal(client.ask(`/${id}/cancel`, post(client)))).to.deep.equal([
      409,
      'CONFLICT',
      'this batch is cancelled: it cannot be cancelled',
    ]);
    expect((await (await client.ask(`/${id}/results`)).text()).split('\n')).to.have.length(1001);
  });

  it('delete it at once', async () => {
    await using client = await startClient();
    const id = await client.make(2000);
    const deletion = { ...post(client), method: 'DELETE' };
    const reply = await client.ask(`/${id}`, deletion);
    expect([reply.status, await reply.text()]).to.deep.equal([204, '']);
    for (const path of [`/${id}`, `/${id}/results`]) {
      expect(await refusal(client.ask(path))).to.deep.equal([404, 'NOT_FOUND', 'this key has no such batch']);
    }
    expect((await refusal(client.ask(`/${id}`, deletion)))[0]).to.equal(404);
    expect((await refusal(client.ask(`/${id}/cancel`, post(client))))[0]).to.equal(404);
  });

  it('say that the results of an expired one were deleted', async () => {
    await using client = await startClient();
    const id = await client.make(1);
    await workOnAll(client.front.batches());
    await client.front.batches().expire(Date.now() + 8 * DAY_MS);
    expect(await batchOf(client.ask(`/${id}`))).to.include({ state: 'expired', endsAt: null, ratePerS: null });
    expect((await refusal(client.ask(`/${id}/results`))).slice(0, 2)).to.deep.equal([410, 'GONE']);
    expect((await refusal(client.ask(`/${id}/cancel`, post(client))))[0]).to.equal(409);
    expect((await client.ask(`/${id}`, { ...post(client), method: 'DELETE' })).status).to.equal(204);
  });

  it('are those of the key only', async () => {
    await using client = await startClient();
    const id = await client.make(1);
    const { key } = await issueKey(client.front.store, { name: 'other', limits: { batchRowsPerDay: 5 } });
    const headers = { authorization: `Bearer ${key}` };
    for (const [path, method] of [
      [`/${id}`, 'GET'],
      [`/${id}`, 'DELETE'],
      [`/${id}/results`, 'GET'],
      [`/${id}/cancel`, 'POST'],
    ] as const) {
      expect((await refusal(client.ask(path, { method, headers })))[1], path).to.equal('NOT_FOUND');
    }
    expect(await (await client.ask('', { headers })).json()).to.deep.equal({ batches: [], nextCursor: null });
    expect((await client.ask(`/${id}`, { headers: {} })).status).to.equal(401);
    expect((await client.ask(`/${id}`)).status).to.equal(200);
  });

  it('take their methods only', async () => {
    await using client = await startClient();
    const allowed: Readonly<Record<string, string>> = {
      '': 'GET, HEAD, POST',
      '/x': 'GET, HEAD, DELETE',
      '/x/results': 'GET, HEAD',
      '/x/cancel': 'POST',
    };
    for (const [path, methods] of Object.entries(allowed)) {
      const reply = await client.ask(path, { ...post(client), method: 'PUT' });
      expect([reply.status, reply.headers.get('allow')], path).to.deep.equal([405, methods]);
    }
    expect((await client.ask('/x/other')).status).to.equal(404);
  });
});

function post({ front }: Client): RequestInit {
  return { method: 'POST', headers: { authorization: `Bearer ${front.key}` } };
}
