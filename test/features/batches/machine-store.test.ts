import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { BatchStore } from '../../../src/features/batches/batch-store.ts';
import { createBatchId, type BatchJob } from '../../../src/features/batches/job.ts';
import { noRows } from '../../../src/features/batches/rows/row.ts';
import { AppError } from '../../../src/messages/problems.ts';
import { DAY_MS } from '../../../src/messages/time.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { addBatch, answersOf, anySnapshot, noBill, openStore, rowsOf, workOnAll, workOnOne } from './machine-store.ts';
import { joinedBytes } from './stored-results.ts';

/** The code and the text of a refusal. */
async function refusalOf(work: Promise<unknown>): Promise<AppError> {
  const cause = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (cause instanceof AppError) return cause;
  throw new Error(`no refusal: ${String(cause)}`);
}

async function resultOf(store: BatchStore, job: BatchJob): Promise<string> {
  const texts: string[] = [];
  for (let index = 0; index < (await store.readyChunks(job)); index++) texts.push(await store.readResult(job, index));
  return texts.join('');
}

describe('The store of batches', () => {
  it('gives the rows of a batch as they came, and its answers in their order', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const job = await addBatch(store, 2500);
    expect(job).to.include({ state: 'queued', rows: 2500, startedAt: null, endedAt: null, expiresAt: null });
    const chunks = [];
    for (let chunk = await store.take(anySnapshot); chunk; chunk = await store.take(anySnapshot)) chunks.push(chunk);
    expect(chunks.map(({ index }) => index)).to.deep.equal([0, 1, 2]);
    expect(await store.rowsOf(chunks[2]!)).to.deep.equal(rowsOf(500, 2001));
    expect(await store.find(job.id)).to.include({ state: 'running' });
    expect(await store.readyChunks(job)).to.equal(0);
    await store.finish(chunks[1]!, answersOf(chunks[1]!), noBill);
    expect(await store.readyChunks(job), 'behind a gap').to.equal(0);
    await store.finish(chunks[0]!, answersOf(chunks[0]!, { notFound: 7, invalid: 3 }), noBill);
    expect(await store.readyChunks(job)).to.equal(2);
    await store.finish(chunks[2]!, answersOf(chunks[2]!), noBill);
    const ended = (await store.find(job.id))!;
    expect(ended).to.include({ state: 'completed', error: null });
    expect(ended.counts).to.deep.equal({ found: 2490, notFound: 7, outside: 0, invalid: 3, failed: 0 });
    expect(Date.parse(ended.expiresAt!) - Date.parse(ended.endedAt!)).to.equal(7 * DAY_MS);
    const rows = (await resultOf(store, job)).trimEnd().split('\n');
    expect(rows.map((line) => (JSON.parse(line) as { row: number }).row)).to.deep.equal(
      Array.from({ length: 2500 }, (_, i) => i + 1),
    );
    expect(ended.resultBytes).to.equal(rows.join('\n').length + 1);
  });

  it('opens a queue that has no counts of lost threads', async () => {
    using folder = temporaryFolder();
    {
      await using first = openStore(folder.path);
      await addBatch(first, 5);
    }
    const db = new Database(join(folder.path, 'queue.sqlite'));
    db.exec('ALTER TABLE chunk DROP COLUMN losses');
    db.close();
    await using store = openStore(folder.path);
    expect(await store.countLoss((await store.take(anySnapshot))!)).to.equal(1);
  });

  it('has a batch that another process opens', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const job = await addBatch(store, 5);
    await using other = openStore(folder.path);
    expect(await other.find(job.id)).to.deep.equal(job);
    const chunk = (await other.take(anySnapshot))!;
    expect(await store.take(anySnapshot), 'leased').to.equal(null);
    expect(await other.finish(chunk, answersOf(chunk), noBill)).to.equal(true);
    expect(await store.find(job.id)).to.include({ state: 'completed' });
  });

  it('fails a batch whose rows are gone', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const job = await addBatch(store, 5);
    const chunk = (await store.take(anySnapshot))!;
    rmSync(join(folder.path, job.id, 'input-00000.ndjson'));
    expect(await refusalOf(store.rowsOf(chunk))).to.include({ code: 'DB_ERROR' });
    expect(await store.find(job.id)).to.include({ state: 'failed', error: 'its input is not stored any more' });
  });

  it('leaves nothing of answers that it could not keep', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const job = await addBatch(store, 5);
    const chunk = (await store.take(anySnapshot))!;
    const result = join(folder.path, job.id, 'result-00000.ndjson');
    // A file takes no place of a folder.
    mkdirSync(result);
    expect(await store.finish(chunk, answersOf(chunk), noBill).catch(String)).to.contain('EISDIR');
    expect(readdirSync(join(folder.path, job.id)).filter((name) => name.endsWith('.part'))).to.be.empty;
    rmdirSync(result);
    expect(await store.finish(chunk, answersOf(chunk), noBill)).to.equal(true);
  });

  it('refuses a queue of a later version', async () => {
    using folder = temporaryFolder();
    const { default: Database } = await import('better-sqlite3');
    mkdirSync(folder.path, { recursive: true });
    const db = new Database(join(folder.path, 'queue.sqlite'));
    db.pragma('user_version = 99');
    db.close();
    expect(() => openStore(folder.path)).to.throw('later version');
  });

  it('lets keys take turns, and takes the batches of a key in their order', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const [a1, a2, b1] = [
      await addBatch(store, 3000, { keyId: 'key_a' }),
      await addBatch(store, 1000, { keyId: 'key_a' }),
      await addBatch(store, 2000, { keyId: 'key_b' }),
    ];
    const name = new Map([
      [a1.id, 'a1'],
      [a2.id, 'a2'],
      [b1.id, 'b1'],
    ]);
    const order: string[] = [];
    const take = async (): Promise<void> => {
      const chunk = await workOnOne(store);
      order.push(chunk ? `${name.get(chunk.job.id)!}.${chunk.index}` : 'none');
    };
    for (let i = 0; i < 3; i++) await take();
    name.set((await addBatch(store, 1000, { keyId: 'key_c' })).id, 'c1');
    for (let i = 0; i < 5; i++) await take();
    expect(order).to.deep.equal(['a1.0', 'b1.0', 'a1.1', 'c1.0', 'b1.1', 'a1.2', 'a2.0', 'none']);
  });

  it('gives only chunks whose snapshot the process has', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    await addBatch(store, 1, { snapshot: 'old' });
    const job = await addBatch(store, 1, { snapshot: 'new' });
    expect(await store.neededSnapshots()).to.deep.equal(new Set(['old', 'new']));
    expect((await store.take((snapshot) => snapshot === 'new'))?.job.id).to.equal(job.id);
    expect(await store.take((snapshot) => snapshot === 'new')).to.equal(null);
    await workOnAll(store);
    expect(await store.neededSnapshots()).to.deep.equal(new Set(['new']));
  });

  it('gives a chunk to another when its lease ends, and then stores nothing of the first', async () => {
    using folder = temporaryFolder();
    let nowMs = Date.now();
    const options = { leaseMs: 60_000, nowMs: () => nowMs };
    await using store = openStore(folder.path, options);
    await using other = openStore(folder.path, options);
    const job = await addBatch(store, 10);
    const first = (await store.take(anySnapshot))!;
    nowMs += 50_000;
    expect(await store.renew(first)).to.equal(true);
    nowMs += 50_000;
    expect(await other.take(anySnapshot)).to.equal(null);
    nowMs += 10_001;
    const second = (await other.take(anySnapshot))!;
    expect(second.index).to.equal(0);
    expect(await store.renew(first)).to.equal(false);
    let billed = 0;
    const bill = (): Promise<void> => {
      billed++;
      return Promise.resolve();
    };
    expect(await store.finish(first, { ...answersOf(first), text: 'late\n' }, bill)).to.equal(false);
    await store.giveBack(first);
    expect(await other.finish(second, answersOf(second), bill)).to.equal(true);
    expect(billed).to.equal(1);
    expect(await resultOf(store, job)).not.to.contain('late');
    expect(readdirSync(join(folder.path, job.id)).filter((name) => name.endsWith('.part'))).to.deep.equal([]);
  });

  it('gives a chunk back to the others', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    await addBatch(store, 10);
    const chunk = (await store.take(anySnapshot))!;
    await store.giveBack(chunk);
    expect(await store.renew(chunk)).to.equal(false);
    expect((await store.take(anySnapshot))?.index).to.equal(0);
  });

  it('shows nothing of a chunk that could not be billed', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const job = await addBatch(store, 10);
    const chunk = (await store.take(anySnapshot))!;
    const failure = await store
      .finish(chunk, answersOf(chunk), () => Promise.reject(new Error('no journal')))
      .catch((cause: unknown) => String(cause));
    expect(failure).to.equal('Error: no journal');
    expect(await store.readyChunks(job)).to.equal(0);
    expect(await store.readResult(job, 0)).to.equal('');
    await store.giveBack(chunk);
    await workOnAll(store);
    expect(await store.find(job.id)).to.include({ state: 'completed' });
  });

  it('has the answers on the disk when it bills, and shows them after', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const job = await addBatch(store, 10);
    const chunk = (await store.take(anySnapshot))!;
    const seen: unknown[] = [];
    await store.finish(chunk, answersOf(chunk), async () => {
      seen.push(readFileSync(join(folder.path, job.id, 'result-00000.ndjson'), 'utf8') === answersOf(chunk).text);
      seen.push(await store.readyChunks(job));
    });
    expect(seen).to.deep.equal([true, 0]);
    expect(await store.readyChunks(job)).to.equal(1);
  });

  describe('when a batch is cancelled', () => {
    it('ends it at once when nothing is under way, and answers none of its rows', async () => {
      using folder = temporaryFolder();
      await using store = openStore(folder.path);
      const job = await addBatch(store, 2000);
      expect(await store.cancel(job.id)).to.include({ state: 'cancelled', isCancelled: true });
      expect(await store.take(anySnapshot)).to.equal(null);
      expect(await store.cancel(createBatchId(0, 'a0a0a0a0'))).to.equal(null);
    });

    it('finishes the chunks that were taken, also those that were given back, and no others', async () => {
      using folder = temporaryFolder();
      await using store = openStore(folder.path);
      const job = await addBatch(store, 4000);
      const [first, second] = [(await store.take(anySnapshot))!, (await store.take(anySnapshot))!];
      expect(await store.cancel(job.id)).to.include({ state: 'running', isCancelled: true });
      await store.finish(second, answersOf(second), noBill);
      await store.giveBack(first);
      expect(await store.find(job.id)).to.include({ state: 'running' });
      const again = (await workOnOne(store))!;
      expect(again.index).to.equal(0);
      expect(await store.find(job.id)).to.include({ state: 'cancelled' });
      expect(await store.take(anySnapshot)).to.equal(null);
      expect((await resultOf(store, job)).trimEnd().split('\n')).to.have.length(2000);
    });
  });

  it('ends a batch with an error, and can still read all that was answered', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const job = await addBatch(store, 3000);
    const chunks = [await store.take(anySnapshot), await store.take(anySnapshot), await store.take(anySnapshot)];
    await store.finish(chunks[1]!, answersOf(chunks[1]!), noBill);
    await store.fail(job.id, 'the snapshot is gone');
    expect(await store.find(job.id)).to.include({ state: 'failed', error: 'the snapshot is gone' });
    expect(await store.take(anySnapshot)).to.equal(null);
    expect((await resultOf(store, job)).split('\n')[0]).to.contain('"row":1001');
    const never = (): Promise<void> => Promise.reject(new Error('billed'));
    expect(await store.finish(chunks[2]!, answersOf(chunks[2]!), never)).to.equal(false);
    expect((await store.find(job.id))!.counts.found).to.equal(1000);
    expect((await resultOf(store, job)).trimEnd().split('\n')).to.have.length(1000);
  });

  it('ends a batch with an error only when a chunk that another process bills is billed, and shows that', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    await using other = openStore(folder.path);
    const job = await addBatch(store, 3000);
    const [chunk] = [(await other.take(anySnapshot))!, await other.take(anySnapshot)];
    const { text } = answersOf(chunk);
    let goOn = (): void => undefined;
    let finishing: Promise<boolean>;
    await new Promise<void>((billed) => {
      finishing = other.finish(chunk, { text, counts: { ...noRows, notFound: 1000 } }, () => {
        billed();
        return new Promise((resolve) => (goOn = resolve));
      });
    });
    await store.fail(job.id, 'the customer is suspended');
    await store.fail(job.id, 'its key was revoked');
    expect(await store.find(job.id)).to.include({ state: 'running', error: 'the customer is suspended' });
    expect([await resultOf(store, job), await store.take(anySnapshot)]).to.deep.equal(['', null]);
    goOn();
    expect(await finishing!).to.equal(true);
    const { state, error, counts, resultBytes } = (await store.find(job.id))!;
    expect([state, error]).to.deep.equal(['failed', 'the customer is suspended']);
    expect([counts, resultBytes]).to.deep.equal([{ ...noRows, notFound: 1000 }, text.length]);
    expect(await resultOf(store, job)).to.equal(text);
    expect(await store.rowsOn(job.keyId, job.createdAt.slice(0, 10))).to.equal(1000);
  });

  it('deletes a batch at once, and stores nothing of what is under way', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const job = await addBatch(store, 10);
    const chunk = (await store.take(anySnapshot))!;
    await store.remove(job.id);
    expect(await store.find(job.id)).to.equal(null);
    expect(existsSync(join(folder.path, job.id))).to.equal(false);
    expect(await store.renew(chunk)).to.equal(false);
    const never = (): Promise<void> => Promise.reject(new Error('billed'));
    expect(await store.finish(chunk, answersOf(chunk), never)).to.equal(false);
    expect((await refusalOf(store.readResult(job, 0))).code).to.equal('GONE');
    await store.remove(job.id);
  });

  it('lists the batches of a key, the newest first', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await addBatch(store, 1)).id);
    await addBatch(store, 1, { keyId: 'key_b' });
    const page = async (after: string | null): Promise<string[]> =>
      (await store.list('key_a', { limit: 2, after })).map(({ id }) => id);
    expect(await page(null)).to.deep.equal([ids[4], ids[3]]);
    expect(await page(ids[3]!)).to.deep.equal([ids[2], ids[1]]);
    expect(await page(ids[1]!)).to.deep.equal([ids[0]]);
  });

  it('makes one batch of a request that is repeated with its Idempotency-Key', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const idempotency = { key: 'k', requestHash: 'h' };
    const job = await addBatch(store, 3, { idempotency });
    expect((await addBatch(store, 3, { idempotency })).id).to.equal(job.id);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('bat_'))).to.deep.equal([job.id]);
    const other = await refusalOf(addBatch(store, 3, { idempotency: { ...idempotency, requestHash: 'other' } }));
    expect([other.code, other.message]).to.deep.equal([
      'BAD_REQUEST',
      'this Idempotency-Key was used for another request',
    ]);
    expect((await addBatch(store, 3, { idempotency, keyId: 'key_b' })).id).not.to.equal(job.id);
    const later = new Date(Date.now() + DAY_MS + 1).toISOString();
    expect((await addBatch(store, 3, { idempotency, createdAt: later })).id).not.to.equal(job.id);
  });

  it('tells what has ended since a time, oldest first, and again when it expires', async () => {
    using folder = temporaryFolder();
    let nowMs = Date.now();
    await using store = openStore(folder.path, { nowMs: () => (nowMs += 5) });
    const [first, second] = [await addBatch(store, 1), await addBatch(store, 1)];
    await store.cancel(second.id);
    await workOnAll(store);
    const ended = await store.ended('');
    expect(ended.map(({ id, state }) => [id, state])).to.deep.equal([
      [second.id, 'cancelled'],
      [first.id, 'completed'],
    ]);
    expect((await store.ended(ended[0]!.endedAt!)).map(({ id }) => id)).to.deep.equal([first.id]);
    await store.expire(nowMs + 8 * DAY_MS);
    expect((await store.ended(ended[1]!.endedAt!)).map(({ state }) => state)).to.deep.equal(['expired', 'expired']);
  });

  it('deletes what has expired, and keeps a record of it for a while', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const job = await addBatch(store, 10);
    await workOnAll(store);
    await store.expire(Date.now() + 6 * DAY_MS);
    expect(await store.find(job.id)).to.include({ state: 'completed' });
    const expiryMs = Date.now() + 7 * DAY_MS + 1000;
    await store.expire(expiryMs);
    const expired = (await store.find(job.id))!;
    expect(expired).to.include({ state: 'expired' });
    expect(expired.counts.found).to.equal(10);
    expect(existsSync(join(folder.path, job.id))).to.equal(false);
    expect(await store.readyChunks(job)).to.equal(0);
    expect((await refusalOf(store.readResult(job, 0))).code).to.equal('GONE');
    await store.expire(expiryMs + 31 * DAY_MS);
    expect(await store.find(job.id)).to.equal(null);
  });
});

describe('Uploads of batches', () => {
  it('leave nothing behind when they are discarded', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const id = createBatchId(Date.now(), 'a0a0a0a0');
    const input = await store.receive(id);
    await input.add(rowsOf(1000));
    expect(existsSync(join(folder.path, id))).to.equal(true);
    await input.discard();
    await input.discard();
    expect(existsSync(join(folder.path, id))).to.equal(false);
  });

  it('of a dead process are deleted, and those of a living one are not', async () => {
    using folder = temporaryFolder();
    let nowMs = Date.now();
    await using store = openStore(folder.path, { nowMs: () => nowMs });
    const [dead, alive] = [createBatchId(1, 'a0a0a0a0'), createBatchId(2, 'a0a0a0a0')];
    await (await store.receive(dead)).add(rowsOf(1));
    nowMs += 50_000;
    const input = await store.receive(alive);
    nowMs += 20_000;
    mkdirSync(join(folder.path, createBatchId(3, 'a0a0a0a0')));
    await store.expire(nowMs);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('bat_'))).to.deep.equal([alive]);
    await input.discard();
  });

  it('that were given up make no batch', async () => {
    using folder = temporaryFolder();
    let nowMs = Date.now();
    await using store = openStore(folder.path, { nowMs: () => nowMs });
    const id = createBatchId(1, 'a0a0a0a0');
    const input = await store.receive(id);
    await input.add(rowsOf(1));
    nowMs += 61_000;
    await store.expire(nowMs);
    expect((await refusalOf(input.add(rowsOf(1)))).code).to.equal('DB_ERROR');
    await input.discard();
  });
});

describe('The allowance of a key', () => {
  const day = '2026-03-01';

  async function left(store: ReturnType<typeof openStore>, rows = 1_000_000): Promise<number> {
    const { message } = await refusalOf(addBatch(store, rows, { rowsPerDay: 100, createdAt: `${day}T23:00:00.000Z` }));
    return Number(/, (\d+) are left/.exec(message)?.[1]);
  }

  it('is used by rows that are accepted, and is whole again on the next day', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const options = { rowsPerDay: 100, createdAt: `${day}T10:00:00.000Z` };
    await addBatch(store, 60, options);
    const refusal = await refusalOf(addBatch(store, 41, options));
    expect([refusal.code, refusal.message, refusal.headers]).to.deep.equal([
      'RATE_LIMITED',
      'this key may send 100 rows per day (UTC) in batches, 40 are left today, and this batch has 41',
      { 'Retry-After': String(14 * 3600) },
    ]);
    await addBatch(store, 40, options);
    await addBatch(store, 100, { ...options, keyId: 'key_b' });
    await addBatch(store, 100, { ...options, createdAt: '2026-03-02T00:00:00.000Z' });
    expect(await left(store, 200)).to.equal(0);
  });

  it('gets back rows that the service failed to answer', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    await addBatch(store, 60, { rowsPerDay: 100, createdAt: `${day}T10:00:00.000Z` });
    await workOnOne(store, { failed: 15, notFound: 5, invalid: 5 });
    expect(await left(store, 200)).to.equal(55);
  });

  it('gets back the rows that are never answered', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    const options = { rowsPerDay: 100, createdAt: `${day}T10:00:00.000Z` };
    const removed = await addBatch(store, 10, options);
    const cancelled = await addBatch(store, 20, options);
    const failed = await addBatch(store, 30, options);
    expect(await left(store, 200)).to.equal(40);
    await store.remove(removed.id);
    expect(await left(store, 200)).to.equal(50);
    await store.cancel(cancelled.id);
    expect(await left(store, 200)).to.equal(70);
    const chunk = (await store.take(anySnapshot))!;
    await store.fail(failed.id, 'x');
    expect(await left(store, 200)).to.equal(100);
    // It was under way, and is not billed any more.
    expect(await store.finish(chunk, answersOf(chunk, { failed: 1 }), noBill)).to.equal(false);
    expect(await left(store, 200)).to.equal(100);
    await store.remove(failed.id);
    expect(await left(store, 200)).to.equal(100);
  });

  it('holds for batches that are sent at once', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path);
    await using other = openStore(folder.path);
    const options = { rowsPerDay: 100 };
    const made = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => addBatch(i % 2 === 0 ? store : other, 30, options)),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).to.have.length(3);
  });
});

describe('Room for batches', () => {
  it('is bounded for a key: it can delete some', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path, { diskBytesPerKey: 9e6 });
    const job = await addBatch(store, 2000);
    const refusal = await refusalOf(addBatch(store, 1000));
    expect(refusal.code).to.equal('RATE_LIMITED');
    expect(refusal.message).to.match(
      /^this batch needs \d MB with its results, and .* may keep 9 MB, of which 8 MB are used: delete/,
    );
    await addBatch(store, 1000, { keyId: 'key_b' });
    await workOnAll(store);
    // The answers of this test are shorter than what was reckoned with.
    await addBatch(store, 1000);
    await store.remove(job.id);
    await addBatch(store, 500);
  });

  it('is taken by the files that are kept for downloads, as long as the key has some', async () => {
    using folder = temporaryFolder();
    const { id } = await madeBatch(folder.path);
    const bytes = 1000;
    await using store = openStore(folder.path, { diskBytesPerKey: usedBytes(folder.path) + 2.5 * bytes });
    const job = (await store.find(id))!;
    const make = () => Readable.from([Buffer.alloc(bytes)]) as AsyncIterable<Uint8Array>;
    for (const name of ['1.csv', '2.csv', '2.csv', '3.csv'])
      expect(await joinedBytes(store.keptOrMade(job, name, make))).to.have.length(bytes);
    expect(readdirSync(join(folder.path, id)).filter((name) => name.endsWith('.csv'))).to.deep.equal([
      '1.csv',
      '2.csv',
    ]);
    expect((await refusalOf(addBatch(store, 1))).reason).to.equal('BATCHES_KEPT');
  });

  async function madeBatch(dir: string): Promise<BatchJob> {
    await using store = openStore(dir);
    const job = await addBatch(store, 1000);
    await workOnAll(store);
    return job;
  }

  /** What the batches of a folder take, and 16 KiB for that of each. */
  function usedBytes(dir: string): number {
    const db = new Database(join(dir, 'queue.sqlite'), { readonly: true });
    try {
      return Number(db.prepare('SELECT sum(stored_bytes + result_bytes + 16384) FROM batch').pluck().get());
    } finally {
      db.close();
    }
  }

  it('is bounded for all keys, also while rows arrive', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path, { diskBytes: 9e6 });
    await addBatch(store, 2000);
    const refusal = await refusalOf(addBatch(store, 1000, { keyId: 'key_b' }));
    expect([refusal.code, refusal.message]).to.deep.equal([
      'DB_ERROR',
      'the batches of all keys would take 12 MB, more than BATCH_DISK_MB allows (9 MB)',
    ]);
    const input = await store.receive(createBatchId(9, 'a0a0a0a0'));
    const arriving = async (): Promise<void> => {
      for (;;) await input.add(rowsOf(1000));
    };
    expect((await refusalOf(arriving())).message).to.contain('BATCH_DISK_MB');
    await input.discard();
  });

  it('leaves the disk free that lookups need', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path, { minFreeDiskBytes: 1e17 });
    const refusal = await refusalOf(addBatch(store, 1));
    expect([refusal.code, refusal.status]).to.deep.equal(['DB_ERROR', 503]);
    expect(refusal.message).to.contain('MIN_FREE_DISK_MB');
    expect(readdirSync(folder.path).filter((name) => name.startsWith('bat_'))).to.deep.equal([]);
  });
});
