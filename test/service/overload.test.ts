/** What a caller meets when there are more lookups than can be answered. */
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueKey } from '../../src/core/keys/keys.ts';
import { lookupLimit } from '../../src/core/limits/limit-words.ts';
import { Quotas } from '../../src/core/limits/quota.ts';
import { refusablePaths } from '../../src/core/http/routes.ts';
import { earlyRefusal } from '../../src/core/http/early-refusal.ts';
import { listen } from '../../src/core/http/server.ts';
import { kindOf } from '../../src/core/pool/lookup-pool.ts';
import type { LookupTask } from '../../src/messages/lookup.ts';
import { LoadClient } from '../stress/parts/load-client.ts';
import { given } from '../support/drivers/given.ts';
import { openSocket } from '../support/drivers/client-socket.ts';
import { okAnswer, startFrontEnd } from '../support/drivers/front-end.ts';
import { settle } from '../support/drivers/passing-time.ts';

const address = { address: '12 Main St W, Sampleton, ON' };

/** What the key has left, by the field `RateLimit`. */
const remaining = ({ headers }: Response): number => Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]);

/** Lookups that end when the test calls what waits for them. */
function heldLookups() {
  const waiting: (() => void)[] = [];
  const lookup = () =>
    new Promise<typeof okAnswer>((resolve) =>
      waiting.push(() => {
        resolve(okAnswer);
      }),
    );
  return { waiting, lookup };
}

describe('Overload', () => {
  it('answers 503 with Retry-After while the pool is full, and the request costs nothing of the limit', async () => {
    const pool = { pending: 0 };
    const options = { rateLimitPerHour: 2, maxPending: 3, pending: () => pool.pending };
    await using front = await startFrontEnd(options);
    pool.pending = 3;
    for (let n = 0; n < 5; n++) {
      const refused = await front.post(address);
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect(((await refused.json()) as { code: string }).code).to.equal('DB_ERROR');
    }
    pool.pending = 2;
    const answers = [await front.post(address), await front.post(address), await front.post(address)];
    expect(answers.map((answer) => [answer.status, remaining(answer)])).to.deep.equal([
      [200, 1],
      [200, 0],
      [429, 0],
    ]);
  });

  it('counts each refusal, gives it an id, and logs one line for all of a second', async () => {
    const pool = { pending: 0 };
    await using front = await startFrontEnd({ maxPending: 3, pending: () => pool.pending });
    expect((await front.post(address)).status).to.equal(200);
    pool.pending = 3;
    const startMs = performance.now();
    for (let n = 0; n < 20; n++) {
      const refused = await front.post(address, { 'x-request-id': `request-${n}` });
      expect([refused.status, refused.headers.get('x-request-id')]).to.deep.equal([503, `request-${n}`]);
      expect(((await refused.json()) as { instance: string }).instance).to.match(new RegExp(`:request-${n}$`));
    }
    const counted = 'land_lookup_requests_total{route="/api/lookup",status="503",code="DB_ERROR"} 20';
    expect(await front.services.metrics.metrics()).to.include(counted);
    const told = (): number[] =>
      front.lines.filter(({ message }) => message === 'lookups refused for load').map(({ refused }) => Number(refused));
    while (told().reduce((sum, refused) => sum + refused, 0) < 20) await sleep(50);
    expect(told().length).to.be.at.most(Math.ceil((performance.now() - startMs) / 1000));
    expect(front.lines.filter(({ status }) => status === 503)).to.deep.equal([]);
  });

  it('refuses when it has read the body that came with the header, and waits for none that did not', async () => {
    const pool = { pending: 0 };
    await using front = await startFrontEnd({ maxPending: 3, pending: () => pool.pending });
    expect((await front.post(address)).status).to.equal(200);
    pool.pending = 3;
    const refuse = earlyRefusal({ ...front.services, refusable: refusablePaths([]) });
    const isRead: boolean[] = [];
    const server = createServer((req, res) => {
      res.once('finish', () => isRead.push(req.complete));
      refuse(req, res);
    });
    const socket = await openSocket(await listen(server, { host: '127.0.0.1', port: 0 }));
    const request = LoadClient.lookup(front.key, address.address);
    for (const bytes of [request, request, request.subarray(0, -1)]) {
      socket.write(bytes);
      expect(String(await once(socket, 'data'))).to.match(/^HTTP\/1.1 503 /);
    }
    expect(isRead).to.deep.equal([true, true, false]);
    socket.destroy();
    server.close();
  });

  it('refuses at the hand-over when the pool has filled up meanwhile, and gives the unit back', async () => {
    const pool = { pending: 0 };
    const quotas = new Quotas();
    const quota = quotas.of(lookupLimit);
    const spend = quota.spend.bind(quota);
    quota.spend = (...key) => {
      pool.pending = 3;
      return spend(...key);
    };
    await using front = await startFrontEnd({
      overrides: { quotas },
      rateLimitPerHour: 5,
      maxPending: 3,
      pending: () => pool.pending,
    });
    const refused = await front.post(address);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
    expect(remaining(refused)).to.equal(5);
  });

  it('counts lookups until they are answered, and takes new ones at once then', async () => {
    const { waiting, lookup } = heldLookups();
    await using front = await startFrontEnd({ lookup, maxPending: 2, maxInFlightPerKey: 9 });
    const accepted = Array.from({ length: 4 }, () => front.post(address));
    while (front.services.gate.waiting('plain') < 2) await sleep(5);
    expect(waiting).to.have.length(2);
    expect((await front.post(address)).status).to.equal(503);
    const ending = setInterval(() => {
      for (const end of waiting.splice(0)) end();
    }, 5);
    expect((await Promise.all(accepted)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    clearInterval(ending);
    const next = front.post(address);
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    waiting[0]!();
    expect((await next).status).to.equal(200);
  });

  given('maps').it(
    'is one of costly lookups alone while those wait for their thread: plain lookups are answered',
    async () => {
      const { waiting, lookup: held } = heldLookups();
      const lookup = (task: LookupTask) => (kindOf(task) === 'costly' ? held() : Promise.resolve(okAnswer));
      await using front = await startFrontEnd({ lookup, maxPending: 2, maxInFlightPerKey: 20 });
      const near = () => front.post(address, {}, '?detail=full&geometry=near');
      const costly = [near(), near(), near()];
      while (front.services.gate.waiting('costly') < 2) await sleep(5);
      expect((await near()).status).to.equal(503);
      for (let n = 0; n < 5; n++) expect((await front.post(address)).status).to.equal(200);
      const ending = setInterval(() => waiting.shift()?.(), 5);
      expect((await Promise.all(costly)).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      clearInterval(ending);
    },
  );

  it('refuses a key that has too many lookups at once with 429, and no other key', async () => {
    const { waiting, lookup } = heldLookups();
    await using front = await startFrontEnd({ lookup, maxPending: 100, maxInFlightPerKey: 3 });
    const other = (await issueKey(front.store, { name: 'other' })).key;
    const underWay = Array.from({ length: 3 }, () => front.post(address));
    while (waiting.length < 3) await sleep(5);
    const refused = await front.post(address);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '1']);
    expect(await refused.json()).to.deep.include({
      code: 'RATE_LIMITED',
      detail: 'this key has too many lookups under way at once',
    });
    const others = front.post(address, { authorization: `Bearer ${other}` });
    while (waiting.length < 4) await sleep(5);
    for (const end of waiting.splice(0)) end();
    expect((await Promise.all([...underWay, others])).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const next = front.post(address);
    while (waiting.length === 0) await sleep(5);
    waiting[0]!();
    expect(remaining(await next)).to.equal(1000 - 4);
  });

  it('when full, refuses the key that has its share of the service, and takes others', async () => {
    const { waiting, lookup } = heldLookups();
    await using front = await startFrontEnd({ lookup, maxPending: 10, maxInFlightPerKey: 100 });
    const other = (await issueKey(front.store, { name: 'other' })).key;
    const flood = Array.from({ length: 18 }, () => front.post(address));
    // Eight places in the one thread; ten wait.
    while (front.services.gate.waiting('plain') < 10) await sleep(5);
    expect((await front.post(address)).status).to.equal(503);
    const others = Array.from({ length: 3 }, () => front.post(address, { authorization: `Bearer ${other}` }));
    while (front.services.gate.waiting('plain') < 13) await sleep(5);
    const ended: string[] = [];
    void Promise.all(flood.map(async (one) => ended.push(String((await one).status)))).catch(() => undefined);
    const othersEnded = Promise.all(others.map(async (one) => ended.push(`other ${(await one).status}`)));
    const answeredOthers = (): number => ended.filter((one) => one === 'other 200').length;
    // The next one ends when the client has the answer of the one before.
    for (let count = 0; answeredOthers() < 3; count = ended.length) {
      while (waiting.length === 0) await sleep(1);
      waiting.shift()!();
      while (ended.length === count) await sleep(1);
    }
    await othersEnded;
    // They took turns with the ten that waited before them.
    expect(ended.length).to.be.below(8 + 3 + 5);
    const ending = setInterval(() => waiting.shift()?.(), 5);
    await Promise.all(flood);
    clearInterval(ending);
  });

  it('drops what waits for a client that has left, and spends none of its units', async () => {
    let asked = 0;
    let goOn: () => void = () => undefined;
    const hasLeft = new Promise<void>((resolve) => (goOn = resolve));
    const lookup = async () => {
      asked++;
      await hasLeft;
      return okAnswer;
    };
    await using front = await startFrontEnd({ lookup, maxPending: 1, maxInFlightPerKey: 9 });
    const first = front.post(address);
    while (asked < 1) await sleep(5);
    const leaving = new AbortController();
    const init = { method: 'POST', body: JSON.stringify(address), signal: leaving.signal };
    const headers = { authorization: `Bearer ${front.key}`, 'content-type': 'application/json' };
    const second = fetch(`${front.url}/api/lookup`, { ...init, headers }).catch(() => 'left');
    while (front.services.gate.waiting('plain') < 1) await sleep(5);
    leaving.abort();
    expect(await second).to.equal('left');
    // The server hears of it a moment later.
    await sleep(500);
    await settle();
    goOn();
    expect((await first).status).to.equal(200);
    while (front.services.gate.waiting('plain') > 0) await sleep(5);
    expect(remaining(await front.post(address))).to.equal(1000 - 2);
    expect(asked).to.equal(2);
  });

  it('says 401 to a bad key also then', async () => {
    await using front = await startFrontEnd({ maxPending: 1, pending: () => 1 });
    expect((await front.post(address, { authorization: 'Bearer none' })).status).to.equal(401);
  });
});
