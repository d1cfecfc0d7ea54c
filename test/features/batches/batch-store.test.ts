/** What the store promises to the processes of a machine, each of which has it open. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { BatchStore } from '../../../src/features/batches/batch-store.ts';
import {
  chunksOf,
  createBatchId,
  hasEnded,
  ROWS_PER_CHUNK,
  type BatchChunk,
  type BatchJob,
  type ChunkResult,
  type NewBatch,
} from '../../../src/features/batches/job.ts';
import { noRows, type AskedRow } from '../../../src/features/batches/rows/row.ts';
import { AppError } from '../../../src/messages/problems.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { openStore } from './machine-store.ts';

/** Lease of a chunk where it does not matter: none runs out on a slow machine. */
const PATIENT_LEASE_MS = 600_000;

const ANY = (): boolean => true;
const noBill = (): Promise<void> => Promise.resolve();

describe('Batches that processes share', () => {
  const folder = temporaryFolder();
  const stores: BatchStore[] = [];
  let store: BatchStore;

  /** Opens them as one more process does. */
  function another(leaseMs = PATIENT_LEASE_MS): BatchStore {
    const opened = openStore(folder.path, { leaseMs });
    stores.push(opened);
    return opened;
  }

  before(() => {
    store = another();
  });
  after(async () => {
    for (const one of stores) await one[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  afterEach(async () => {
    for (const keyId of ['key_a', 'key_b', 'key_c', 'key_d'])
      for (const { id } of await store.list(keyId, { limit: 100, after: null })) await store.remove(id);
  });

  it('gives the rows of each chunk as they came, takes the answers, and ends with the last', async () => {
    const job = await addBatch(store);
    expect(job).to.include({ state: 'queued', rows: 2001, keyId: 'key_a', isCancelled: false });
    for (let index = 0; index < 3; index++) {
      const chunk = await taken(store);
      expect(chunk).to.include({ index });
      expect(chunk.job).to.include({ id: job.id, state: 'running' });
      const rows = await store.rowsOf(chunk);
      expect(rows).to.deep.equal(rowsOf(job.rows, index));
      expect(await store.finish(chunk, answersTo(chunk, rows), noBill)).to.be.true;
      expect(await store.readyChunks(job)).to.equal(index + 1);
    }
    const ended = (await store.find(job.id))!;
    expect(ended).to.include({ state: 'completed', error: null });
    expect(ended.counts).to.include({ found: 1801, notFound: 200, failed: 0 });
    expect(await store.take(ANY)).to.be.null;
    expect(await resultsOf(store, ended)).to.equal(undisturbed(ended));
    expect(ended.resultBytes).to.equal(Buffer.byteLength(undisturbed(ended)));
    expect(Date.parse(ended.expiresAt!)).to.be.greaterThan(Date.parse(ended.endedAt!));
  });

  it('bills before answers are visible, and again the same when billing failed', async () => {
    const job = await addBatch(store, { rows: 10 });
    const chunk = await taken(store);
    const result = answersTo(chunk, await store.rowsOf(chunk));
    const broken = await store.finish(chunk, result, () => Promise.reject(new Error('journal'))).catch(String);
    expect(broken).to.contain('journal');
    expect(await store.readyChunks(job)).to.equal(0);
    const seen: number[] = [];
    const isDone = await store.finish(chunk, result, async () => {
      seen.push(await store.readyChunks(job));
    });
    expect([isDone, seen]).to.deep.equal([true, [0]]);
    expect(await store.readResult(job, 0)).to.equal(result.text);
  });

  it('gives a chunk that was given back to the next', async () => {
    await addBatch(store, { rows: 10 });
    const first = await taken(store);
    expect(await store.take(ANY)).to.be.null;
    await store.giveBack(first);
    const second = await taken(another());
    expect(second.index).to.equal(0);
  });

  it('gives the chunk of a worker that is silent to another, and takes nothing from the first any more', async () => {
    const [silent, other] = [another(600), another(3000)];
    const job = await addBatch(silent, { rows: 10 });
    const slow = await taken(silent);
    const chunk = await eventually(() => other.take(ANY));
    const bills = new Bills();
    expect(await silent.renew(slow)).to.be.false;
    expect(await silent.finish(slow, answersTo(slow, rowsOf(10, 0)), bills.bill)).to.be.false;
    expect(bills.count).to.equal(0);
    expect(await other.finish(chunk, answersTo(chunk, await other.rowsOf(chunk)), bills.bill)).to.be.true;
    expect([bills.count, (await store.find(job.id))!.state]).to.deep.equal([1, 'completed']);
  });

  it('counts the threads that are lost at a chunk, whoever has it', async () => {
    await addBatch(store, { rows: 1001 });
    const [first, other] = [await taken(store), await taken(store)];
    expect([await store.countLoss(first), await store.countLoss(first)]).to.deep.equal([1, 2]);
    expect(await store.countLoss(other)).to.equal(1);
    await store.giveBack(first);
    const heir = another();
    const again = await taken(heir);
    expect(again.index).to.equal(first.index);
    expect(await heir.countLoss(again)).to.equal(3);
    expect(await store.countLoss(first), 'without the lease').to.equal(0);
    expect(await heir.finish(again, answersTo(again, await heir.rowsOf(again)), noBill)).to.be.true;
    await store.remove(again.job.id);
    expect(await store.countLoss(other), 'of a batch that is deleted').to.equal(0);
  });

  it('keeps a chunk for a worker that renews it', async () => {
    const leaseMs = 4000;
    const [own, other] = [another(leaseMs), another(leaseMs)];
    await addBatch(own, { rows: 10 });
    const chunk = await taken(own);
    for (let i = 0; i < 6; i++) {
      await sleep(leaseMs / 4);
      expect(await own.renew(chunk)).to.be.true;
      expect(await other.take(ANY)).to.be.null;
    }
    expect(await own.finish(chunk, answersTo(chunk, rowsOf(10, 0)), noBill)).to.be.true;
  });

  it('lets keys take turns, and keeps the order of the batches of one key', async () => {
    const first = await addBatch(store, { keyId: 'key_a', rows: 4000 });
    await addBatch(store, { keyId: 'key_a', rows: 1000 });
    const begun = await taken(store);
    const small = await addBatch(store, { keyId: 'key_b', rows: 2000 });
    const order: string[] = [];
    for (let i = 0; i < 4; i++) order.push((await taken(store)).job.id);
    expect(begun.job.id).to.equal(first.id);
    expect(order.filter((id) => id === small.id)).to.have.length(2);
    expect(order.filter((id) => id === first.id)).to.have.length(2);
    expect((await taken(store)).job.id).to.equal(first.id);
  });

  it('gives only chunks of snapshots that the process has', async () => {
    const old = await addBatch(store, { rows: 10, snapshot: '20250101T000000Z-aaaaaaaaaaaa' });
    const recent = await addBatch(store, { rows: 10 });
    expect(await store.neededSnapshots()).to.deep.equal(new Set([old.snapshot, recent.snapshot]));
    expect((await taken(store, (snapshot) => snapshot === recent.snapshot)).job.id).to.equal(recent.id);
    expect(await store.take((snapshot) => snapshot === recent.snapshot)).to.be.null;
    expect((await taken(store)).job.id).to.equal(old.id);
  });

  it('fails a batch whose snapshot nobody has, and no other', async () => {
    const snapshot = '20250101T000000Z-aaaaaaaaaaaa';
    const [lost, other] = [await addBatch(store, { rows: 10, snapshot }), await addBatch(store, { rows: 10 })];
    const chunk = await taken(store, (id) => id === snapshot);
    await store.giveBack(chunk);
    const faults = new Map([
      [snapshot, `the snapshot ${snapshot} was deleted`],
      [other.snapshot, null],
    ]);
    const failed = await eventually(async () => {
      await store.reportSnapshots(faults);
      const now = (await store.find(lost.id))!;
      return hasEnded(now) ? now : null;
    });
    expect(failed.state).to.equal('failed');
    expect(failed.error).to.contain(snapshot);
    expect((await store.find(other.id))!.state).to.equal('queued');
    expect(await store.neededSnapshots()).to.deep.equal(new Set([other.snapshot]));
  });

  it('ends a cancelled batch with what was under way, and gives the other rows back', async () => {
    const small = { keyId: 'key_c', rowsPerDay: 3000 };
    const job = await addBatch(store, { ...small, rows: 3000 });
    const chunk = await taken(store);
    expect(await store.cancel(job.id)).to.include({ isCancelled: true, state: 'running' });
    expect(await store.take(ANY)).to.be.null;
    expect(await store.finish(chunk, answersTo(chunk, rowsOf(3000, 0)), noBill)).to.be.true;
    const ended = (await store.find(job.id))!;
    expect(ended.state).to.equal('cancelled');
    expect(await store.readyChunks(ended)).to.equal(1);
    await addBatch(store, { ...small, rows: 2000 });
    expect(await refusal(addBatch(store, { ...small, rows: 1 }))).to.equal('RATE_LIMITED');
  });

  it('ends a batch that nobody works on at once when it is cancelled or fails', async () => {
    const [one, two] = [await addBatch(store, { rows: 10 }), await addBatch(store, { rows: 10 })];
    expect(await store.cancel(one.id)).to.include({ state: 'cancelled' });
    await store.fail(two.id, 'its snapshot is gone');
    expect(await store.find(two.id)).to.include({ state: 'failed', error: 'its snapshot is gone' });
    expect(await store.take(ANY)).to.be.null;
    expect(await store.neededSnapshots()).to.be.empty;
  });

  it('shows a chunk that is billed while the batch fails, and bills no other', async () => {
    const other = another();
    const job = await addBatch(store, { rows: 2500 });
    const [chunk, unbilled] = [await taken(store), await taken(other)];
    const answers = answersTo(chunk, await store.rowsOf(chunk));
    const bills = new Bills();
    const isShown = await store.finish(chunk, answers, async () => {
      await other.fail(job.id, 'the customer is suspended');
      expect([await other.readyChunks(job), await other.readResult(job, 0)]).to.deep.equal([0, '']);
      expect(await other.find(job.id)).to.include({ state: 'running', error: 'the customer is suspended' });
      expect(await other.renew(unbilled)).to.be.false;
      expect(await other.finish(unbilled, answersTo(unbilled, rowsOf(2500, 1)), bills.bill)).to.be.false;
      await bills.bill();
    });
    expect([isShown, bills.count]).to.deep.equal([true, 1]);
    const failed = await eventually(async () => {
      const now = (await store.find(job.id))!;
      return hasEnded(now) ? now : null;
    });
    expect(failed).to.include({ state: 'failed', error: 'the customer is suspended' });
    expect(await resultsOf(store, failed)).to.equal(answers.text);
  });

  it('deletes a batch at once; a chunk under way stores nothing', async () => {
    const job = await addBatch(store, { rows: 10 });
    const chunk = await taken(store);
    await store.remove(job.id);
    const bills = new Bills();
    const isDone = await store.finish(chunk, answersTo(chunk, rowsOf(10, 0)), bills.bill);
    expect([isDone, bills.count, await store.find(job.id)]).to.deep.equal([false, 0, null]);
    expect(await refusal(store.readResult(job, 0))).to.equal('GONE');
    expect(await refusal(store.rowsOf(chunk))).to.equal('DB_ERROR');
    await store.fail(job.id, 'too late');
    expect(await store.find(job.id)).to.be.null;
  });

  it('takes no more rows of an input whose batch is made, and keeps the batch', async () => {
    const batch = newBatch({ rows: 10 });
    const input = await store.receive(batch.id);
    await input.add(rowsOf(10, 0));
    await store.create(batch, input);
    // Twice: what was refused must not bring the upload back, which would be deleted with all that its batch has.
    for (let i = 0; i < 2; i++) expect(await refusal(input.add(rowsOf(10, 0)))).to.equal('DB_ERROR');
    expect(await store.find(batch.id)).to.include({ state: 'queued' });
  });

  it('keeps no batch whose input is discarded because the answer to `create` was lost', async () => {
    const batch = newBatch({ rows: 10 });
    const input = await store.receive(batch.id);
    await input.add(rowsOf(10, 0));
    await store.create(batch, input);
    await input.discard();
    expect(await store.find(batch.id)).to.be.null;
    expect(await store.take(ANY)).to.be.null;
  });

  it('accepts no more rows than the key has left for the day, whoever asks at once', async () => {
    const other = another();
    const sent = Array.from({ length: 6 }, (_, i) =>
      refusal(addBatch(i % 2 ? store : other, { keyId: 'key_d', rows: 400, rowsPerDay: 1000 })),
    );
    const refused = (await Promise.all(sent)).filter((code) => code === 'RATE_LIMITED');
    expect(refused).to.have.length(4);
  });

  it('makes one batch of requests with the same Idempotency-Key', async () => {
    const idempotency = { key: `again-${Math.random()}`, requestHash: 'one' };
    const jobs = await Promise.all([1, 2, 3].map(() => addBatch(store, { rows: 10, idempotency })));
    expect(new Set(jobs.map(({ id }) => id)).size).to.equal(1);
    expect(await refusal(addBatch(store, { rows: 10, idempotency: { ...idempotency, requestHash: 'two' } }))).to.equal(
      'BAD_REQUEST',
    );
  });

  it('lists newest first, in pages', async () => {
    const jobs = [];
    for (let i = 0; i < 5; i++) jobs.unshift(await addBatch(store, { rows: 1 }));
    const first = await store.list('key_a', { limit: 3, after: null });
    const rest = await store.list('key_a', { limit: 3, after: first.at(-1)!.id });
    expect([...first, ...rest].map(({ id }) => id)).to.deep.equal(jobs.map(({ id }) => id));
    expect(await store.list('key_b', { limit: 3, after: null })).to.be.empty;
  });

  it('tells ends in their order, and expires results', async () => {
    const start = new Date(Date.now() - 1).toISOString();
    const jobs = [await addBatch(store, { rows: 1 }), await addBatch(store, { rows: 1 })];
    for (const { id } of jobs) {
      await store.cancel(id);
      await sleep(3);
    }
    const ended = await store.ended(start);
    expect(ended.map(({ id }) => id).filter((id) => jobs.some((job) => job.id === id))).to.deep.equal(
      jobs.map(({ id }) => id),
    );
    await store.expire(Date.parse(ended.at(-1)!.expiresAt!) + 1);
    const expired = (await store.find(jobs[0]!.id))!;
    expect(expired.state).to.equal('expired');
    expect(await store.readyChunks(expired)).to.equal(0);
    expect(await refusal(store.readResult(expired, 0))).to.equal('GONE');
  });

  it('forgets an input that is discarded', async () => {
    const input = await store.receive(newBatch().id);
    await input.add(rowsOf(10, 0));
    await input.discard();
    expect(await store.take(ANY)).to.be.null;
  });
});

/** Counts how often it was told to bill. */
class Bills {
  count = 0;
  readonly bill = (): Promise<void> => {
    this.count++;
    return Promise.resolve();
  };
}

/** Sends a batch with as many rows as it says. */
async function addBatch(store: BatchStore, change: Partial<NewBatch> = {}): Promise<BatchJob> {
  const batch = newBatch(change);
  const input = await store.receive(batch.id);
  for (let index = 0; index < chunksOf(batch); index++) await input.add(rowsOf(batch.rows, index));
  return await store.create(batch, input);
}

async function resultsOf(store: BatchStore, job: BatchJob): Promise<string> {
  let text = '';
  for (let index = 0, ready = await store.readyChunks(job); index < ready; index++)
    text += await store.readResult(job, index);
  return text;
}

/** The results of a run that nothing disturbs. */
function undisturbed(job: BatchJob): string {
  return Array.from(
    { length: chunksOf(job) },
    (_, index) => answersTo({ job, index }, rowsOf(job.rows, index)).text,
  ).join('');
}

/** Looks until there is something. */
async function eventually<T>(look: () => T | null | Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await sleep(20);
  }
}

async function taken(store: BatchStore, canAnswer: (snapshot: string) => boolean = ANY): Promise<BatchChunk> {
  const chunk = await store.take(canAnswer);
  if (!chunk) throw new Error('there is no chunk to take');
  return chunk;
}

async function refusal(asked: Promise<unknown>): Promise<string | null> {
  return await asked.then(
    () => null,
    (cause: unknown) => (cause instanceof AppError ? cause.code : String(cause)),
  );
}

/** Ids of tests are in the order in which they are made. */
let made = Date.UTC(2026, 10, 22);

function newBatch(change: Partial<NewBatch> = {}): NewBatch {
  return {
    ...{
      id: createBatchId(made++, 'a0a0a0a0'),
      keyId: 'key_a',
      customer: null,
      detail: 'plain',
      further: [],
      members: {},
      callbackUrl: null,
      snapshot: '20261122T000000Z-0123456789ab',
    },
    ...{
      rows: 2 * ROWS_PER_CHUNK + 1,
      createdAt: new Date().toISOString(),
      inputBytes: 1,
      ignoredColumns: ['owner'],
      idempotency: null,
      rowsPerDay: 1_000_000,
    },
    ...change,
  };
}

/** The rows of a chunk of a batch of so many rows. */
function rowsOf(rows: number, index: number): AskedRow[] {
  const first = index * ROWS_PER_CHUNK;
  return Array.from({ length: Math.min(ROWS_PER_CHUNK, rows - first) }, (_, i) => ({
    customId: `n${first + i}`,
    place: { ok: true, value: { kind: 'address', address: `${first + i} Café St, Sampleton` } },
  }));
}

/** What an answer to a chunk may look like: every tenth row is not found. The same rows always get the same. */
function answersTo({ job, index }: BatchChunk, rows: readonly AskedRow[]): ChunkResult {
  let [text, found] = ['', 0];
  for (const [i, { customId }] of rows.entries()) {
    const row = index * ROWS_PER_CHUNK + i + 1;
    const isFound = row % 10 > 0;
    if (isFound) found++;
    text += `${JSON.stringify({ row, custom_id: customId, status: isFound ? 200 : 404, batch: job.id })}\n`;
  }
  return { text, counts: { ...noRows, found, notFound: rows.length - found } };
}
