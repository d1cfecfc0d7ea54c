import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { BatchStore } from '../../src/batches/batch-store.ts';
import { AppError } from '../../src/shared/problems.ts';
import { answersTo, newBatch, rowsOf } from '../support/material/batch-material.ts';
import { addBatch, Bills, eventually, resultsOf, undisturbed } from '../support/oracles/batch-store-contract.ts';
import { BucketMachines, claimAndDie, shortTimes, work } from '../support/drivers/bucket-machines.ts';
import type { StoreFault } from '../support/doubles/object-store.ts';

const ANY = (): boolean => true;
const noBill = (): Promise<void> => Promise.resolve();

describe('Faults of Redis and the object store', () => {
  let machines: BucketMachines;
  let store: BatchStore;
  before(async () => {
    machines = await BucketMachines.start();
    store = await machines.open('one');
  });
  after(() => machines[Symbol.asyncDispose]());
  afterEach(async () => {
    machines.objects.fault = () => null;
    await machines.endAllBut(store);
    for (const { id } of await store.list('key_a', { limit: 100, after: null })) await store.remove(id);
    expect(await store.take(ANY)).to.be.null;
  });

  // The answer to a write has no body that could be cut.
  const ofWrites: readonly StoreFault[] = ['slow down', 'internal', 'silent', 'cut request', 'cut after'];
  for (const fault of [...ofWrites, 'cut answer', 'stalled answer'] as const) {
    it(`does not show a fault that passes: ${fault}`, async () => {
      let asked = 0;
      machines.objects.fault = () => (asked++ % 3 === 0 ? fault : null);
      const job = await addBatch(store, { rows: 1500 });
      for (let i = 0; i < 2; i++) await work(store);
      machines.objects.fault = () => null;
      const ended = await eventually(async () => {
        await store.take(ANY);
        const now = await store.find(job.id);
        return now?.state === 'completed' ? now : null;
      });
      expect(await resultsOf(store, ended)).to.equal(undisturbed(ended));
    });
  }

  for (const fault of [...ofWrites, 'full', 'quota'] as const) {
    it(`gives the chunk back while the store does not take its answers, bills nothing, and goes on later: ${fault}`, async () => {
      const job = await addBatch(store, { rows: 10 });
      machines.objects.fault = ({ method }) => (method === 'PUT' ? fault : null);
      const bills = new Bills();
      expect(await work(store, bills.bill).catch(codeOf)).to.equal('DB_ERROR');
      expect([bills.count, await store.readyChunks(job)]).to.deep.equal([0, 0]);
      machines.objects.fault = () => null;
      await work(store, bills.bill);
      expect([bills.count, (await store.find(job.id))!.state]).to.deep.equal([1, 'completed']);
    });

    it(`accepts no batch whose rows it cannot store: ${fault}`, async () => {
      machines.objects.fault = ({ method }) => (method === 'PUT' ? fault : null);
      expect(await addBatch(store, { rows: 2500 }).catch(codeOf)).to.equal('DB_ERROR');
      expect(await store.take(ANY)).to.be.null;
    });
  }

  it('ends a batch when the store is back, also from another machine', async () => {
    const job = await addBatch(store, { rows: 10 });
    machines.objects.fault = ({ path }) => (path.includes('end.json') ? 'slow down' : null);
    await work(store);
    expect((await store.find(job.id))!.state).to.equal('finalizing');
    expect(await store.readResult(job, 0)).to.equal(undisturbed(job));
    machines.objects.fault = () => null;
    const other = await machines.open('two');
    await other.take(ANY);
    expect((await store.find(job.id))!.state).to.equal('completed');
  });

  it('lets the machine that was about to bill a chunk finish it when it is back, and nobody else before', async () => {
    const job = await addBatch(store, { rows: 10 });
    const patient = { takeOverMs: 600_000 };
    await claimAndDie(await machines.open('dead', patient));
    const other = await machines.open('other', patient);
    const early = performance.now() + shortTimes.lockMs * 3;
    while (performance.now() < early) {
      expect(await other.take(ANY)).to.be.null;
      await sleep(50);
    }
    const bills = new Bills();
    const again = await machines.open('dead', patient);
    const chunk = await eventually(() => again.take(ANY));
    expect(await again.finish(chunk, answersTo(chunk, rowsOf(10, 0)), bills.bill)).to.be.true;
    expect([bills.count, (await store.find(job.id))!.state]).to.deep.equal([1, 'completed']);
    // Its entry leaves the queue too.
    await eventually(async () => {
      await other.take(ANY);
      return (await entriesOf()) === 0 ? true : null;
    });
  });

  it('bills a chunk for a machine that does not come back, after the time for that', async () => {
    const job = await addBatch(store, { rows: 10 });
    const dead = await machines.open('gone for ever');
    const startMs = performance.now();
    const lost = await claimAndDie(dead);
    const other = await machines.open('other');
    const chunk = await eventually(() => other.take(ANY));
    expect(performance.now() - startMs).to.be.greaterThan(shortTimes.takeOverMs / 2);
    const bills = new Bills();
    expect(await other.finish(chunk, answersTo(chunk, rowsOf(10, 0)), bills.bill)).to.be.true;
    expect(await dead.finish(lost, answersTo(lost, rowsOf(10, 0)), bills.bill)).to.be.false;
    expect([bills.count, (await store.find(job.id))!.state]).to.deep.equal([1, 'completed']);
  });

  it('says that it cannot store batches while Redis is down, and goes on when Redis is back', async () => {
    const job = await addBatch(store, { rows: 10 });
    const chunk = (await store.take(ANY))!;
    await machines.redis.kill();
    expect(await addBatch(store).catch(codeOf)).to.equal('DB_ERROR');
    expect(await store.find(job.id).catch(codeOf)).to.equal('DB_ERROR');
    expect(await store.finish(chunk, answersTo(chunk, rowsOf(10, 0)), noBill).catch(codeOf)).to.equal('DB_ERROR');
    await store.giveBack(chunk).catch(codeOf);
    await machines.redis.start();
    await eventually(async () => {
      await work(store).catch(() => null);
      return (await store.find(job.id).catch(() => null))?.state === 'completed' ? true : null;
    });
  });

  it('keeps nothing in Redis of batches that are deleted, and little of those that have ended', async () => {
    await using client = machines.redis.client();
    const { redis } = client;
    const job = await addBatch(store, { rows: 20_000 });
    const [chunksName, jobName] = [`{land-lookup:batches}:chunks:${job.id}`, `{land-lookup:batches}:job:${job.id}`];
    for (let i = 0; i < 20; i++) await work(store);
    expect(await redis.exists(chunksName)).to.equal(0);
    expect(await redis.memory('USAGE', jobName)).to.be.below(4000);
    await store.remove(job.id);
    const names = await redis.keys('*');
    expect(names.filter((name) => name.includes(job.id))).to.be.empty;
    expect(await entriesOf()).to.equal(0);
  });

  it('fills the queue again when Redis has lost it', async () => {
    const job = await addBatch(store, { rows: 1500 });
    await work(store);
    await using client = machines.redis.client();
    const lost = [...(await queueNames('chunks-')), ...(await queueNames('ends:'))];
    expect(lost).to.not.be.empty;
    await client.redis.del(...lost);
    expect(await store.take(ANY)).to.be.null;
    await client.redis.zadd('{land-lookup:batches}:enqueue', 0, job.id);
    await work(store);
    const ended = (await store.find(job.id))!;
    expect(ended.state).to.equal('completed');
    expect(await resultsOf(store, ended)).to.equal(undisturbed(ended));
  });

  it('deletes the queue of a snapshot with its last batch, and goes on with one whose deletion was not finished', async () => {
    const job = await addBatch(store, { rows: 10 });
    const beside = await machines.open('beside');
    await using client = machines.redis.client();
    const [meta] = (await queueNames('chunks-')).filter((name) => name.endsWith(':meta'));
    // As a machine leaves it that stops in between.
    await client.redis.hset(meta!, 'paused', 1);
    for (const machine of [store, beside]) expect(await machine.take(ANY)).to.be.null;
    await client.redis.zadd('{land-lookup:batches}:enqueue', 0, job.id);
    await work(store);
    expect(await store.find(job.id)).to.include({ state: 'completed' });
    await eventually(async () => {
      for (const machine of [store, beside]) expect(await machine.take(ANY)).to.be.null;
      return (await queueNames('chunks-')).length === 0 ? true : null;
    });
    // A machine that has the queue open would look for entries of lost machines, and note something of the queue.
    await sleep(shortTimes.lockMs * 2);
    expect(await queueNames('chunks-')).to.be.empty;
    const next = await addBatch(store, { rows: 10 });
    await work(store);
    expect(await store.find(next.id)).to.include({ state: 'completed' });
  });

  it('touches nothing of a later version', async () => {
    const name = '{land-lookup:batches}:format';
    const job = await addBatch(store, { rows: 10 });
    const chunk = await eventually(() => store.take(ANY));
    await using client = machines.redis.client();
    expect(await client.redis.get(name)).to.equal('1');
    await client.redis.set(name, '7');
    const says = /later version of land-lookup \(format 7; this version knows 1\)/;
    const finish = () => store.finish(chunk, answersTo(chunk, rowsOf(10, 0)), noBill);
    expect(await addBatch(store, { rows: 10 }).then(String, String)).to.match(says);
    expect(await finish().then(String, String)).to.match(says);
    await client.redis.set(name, '1');
    expect(await finish()).to.equal(true);
    expect(await store.find(job.id)).to.include({ state: 'completed' });
  });

  it('lets one machine report an end, and another when that one is gone', async () => {
    const start = new Date(Date.now() - 1).toISOString();
    const [one, two] = [await machines.open('reporter'), await machines.open('substitute')];
    const job = await addBatch(store, { rows: 10 });
    await work(one);
    const idsOf = async (machine: BatchStore) => (await machine.ended(start)).map(({ id }) => id);
    expect([await idsOf(one), await idsOf(two)]).to.deep.equal([[job.id], []]);
    await eventually(async () => ((await idsOf(two)).includes(job.id) ? true : null));
    expect(await idsOf(one)).to.be.empty;
  });

  it('keeps batches within the room that they have', async () => {
    const small = await machines.open('small', { diskBytes: 3_000_000, diskBytesPerKey: 1_000_000 });
    expect(await addBatch(small, { rows: 300 }).catch(codeOf)).to.equal('RATE_LIMITED');
    expect(await addBatch(small, { rows: 200 })).to.include({ state: 'queued' });
    expect(await addBatch(small, { rows: 200 }).catch(codeOf)).to.equal('RATE_LIMITED');
    const [kept] = await small.list('key_a', { limit: 1, after: null });
    await small.remove(kept!.id);
    expect(await addBatch(small, { rows: 200 })).to.include({ state: 'queued' });
    const others = ['key_e', 'key_f', 'key_g'].map((keyId) => addBatch(small, { keyId, rows: 200 }).catch(codeOf));
    expect((await Promise.all(others)).filter((code) => code === 'DB_ERROR')).to.have.length(1);
    for (const keyId of ['key_e', 'key_f', 'key_g'])
      for (const { id } of await small.list(keyId, { limit: 9, after: null })) await small.remove(id);
  });

  it('counts the batches that have not ended', async () => {
    const waiting = await addBatch(store, { rows: 10 });
    expect(await store.backlog()).to.deep.equal({ queued: 1, running: 0, oldestQueuedMs: idMs(waiting.id) });
    await store.take(ANY);
    expect(await store.backlog()).to.deep.equal({ queued: 0, running: 1, oldestQueuedMs: null });
  });

  it('forgets the input of an upload whose process died', async () => {
    const { id } = newBatch();
    const input = await store.receive(id);
    await input.add(rowsOf(10, 0));
    await using client = machines.redis.client();
    await client.redis.zadd('{land-lookup:batches}:uploads', 1, id);
    await store.expire(Date.now());
    expect(await client.redis.zscore('{land-lookup:batches}:uploads', id)).to.be.null;
    expect(await store.create(newBatch({ id, rows: 10 }), input).catch(codeOf)).to.equal('DB_ERROR');
  });

  /** Names of what the queue's library keeps. */
  async function queueNames(begin: 'chunks-' | 'ends:'): Promise<readonly string[]> {
    await using client = machines.redis.client();
    return await client.redis.keys(`{land-lookup:batches}:${begin}*`);
  }

  /** Entries of the queue, of chunks and of last steps. */
  async function entriesOf(): Promise<number> {
    await using client = machines.redis.client();
    return (await client.redis.keys('*')).filter((name) => name.includes(':bat_') && !name.includes(':job:')).length;
  }
});

function codeOf(cause: unknown): string {
  return cause instanceof AppError ? cause.code : String(cause);
}

function idMs(id: string): number {
  return Number.parseInt(id.slice(4, 16), 16);
}
