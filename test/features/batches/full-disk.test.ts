/** A disk of 64 MB that fills up under a store of batches. */
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { AppError } from '../../../src/messages/problems.ts';
import { LoopDisk } from '../../service/loop-disk.ts';
import { addBatch, answersOf, anySnapshot, noBill, openStore, workOnAll } from './machine-store.ts';

/** Leaves less than so many bytes. */
function fill(path: string, leftBytes: number): string {
  const file = join(path, 'ballast');
  const { bavail, bsize } = statfsSync(path);
  writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
  return file;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (cause: unknown) => (cause instanceof AppError ? cause.code : String(cause)),
  );
}

describe('A store of batches whose disk is full', function () {
  this.timeout(240_000);

  it('refuses what does not fit, loses nothing that it has, and goes on when there is room', async function () {
    using disk = LoopDisk.mount();
    if (!disk) {
      console.log('skipped: mounting is not permitted here');
      this.skip();
    }
    const dir = join(disk.path, 'batches');
    await using store = openStore(dir);
    const job = await addBatch(store, 3000);
    const chunk = (await store.take(anySnapshot))!;
    await store.finish(chunk, answersOf(chunk), noBill);
    const second = (await store.take(anySnapshot))!;
    const ballast = fill(disk.path, 100_000);
    let billed = 0;
    const bill = (): Promise<void> => {
      billed++;
      return Promise.resolve();
    };
    const large = { ...answersOf(second), text: 'x'.repeat(2e6) };
    expect(await codeOf(store.finish(second, large, bill))).to.equal('DB_ERROR');
    expect(billed).to.equal(0);
    expect(await codeOf(addBatch(store, 5000))).to.equal('DB_ERROR');
    expect((await store.find(job.id))!.counts.found).to.equal(1000);
    expect(await store.readResult(job, 0)).to.equal(answersOf(chunk).text);
    rmSync(ballast);
    expect(existsSync(ballast)).to.equal(false);
    await store.giveBack(second);
    await workOnAll(store);
    expect(await store.find(job.id)).to.deep.include({ state: 'completed', counts: answersAll(3000) });
    expect((await store.list('key_a', { limit: 9, after: null })).map(({ id }) => id)).to.deep.equal([job.id]);
  });

  it('says 503 when nothing more can be written at all', async function () {
    using disk = LoopDisk.mount();
    if (!disk) {
      console.log('skipped: mounting is not permitted here');
      this.skip();
    }
    const dir = join(disk.path, 'batches');
    const store = openStore(dir);
    const job = await addBatch(store, 1000);
    const chunk = (await store.take(anySnapshot))!;
    disk.fail();
    expect(await codeOf(store.finish(chunk, answersOf(chunk), noBill))).to.equal('DB_ERROR');
    expect(await codeOf(addBatch(store, 10))).to.equal('DB_ERROR');
    await store[Symbol.asyncDispose]();
    disk.replace();
    await using again = openStore(dir, { nowMs: () => Date.now() + 120_000 });
    await workOnAll(again);
    expect(await again.find(job.id)).to.include({ state: 'completed' });
  });
});

function answersAll(found: number) {
  return { found, notFound: 0, outside: 0, invalid: 0, failed: 0 };
}
