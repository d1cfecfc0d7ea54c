/** Batches from their acceptance to their end, on the bundled sample. */
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { expireKey, revokeKey } from '../../../src/core/keys/keys.ts';
import { createBatchId, type BatchJob } from '../../../src/features/batches/job.ts';
import { MissingKeys } from '../../../src/features/batches/chunk-work.ts';
import { rowLookupId } from '../../../src/features/batches/results.ts';
import type { BatchRunner } from '../../../src/features/batches/runner.ts';
import { HungThread } from '../../../src/core/pool/hung-threads.ts';
import { LostThread } from '../../../src/core/pool/lookup-messages.ts';
import type { SnapshotService } from '../../../src/core/pool/snapshot-service.ts';
import { noRows, type AskedRow } from '../../../src/features/batches/rows/row.ts';
import { AppError, unavailable } from '../../../src/messages/problems.ts';
import { addressRow, badRow, BatchMachine } from '../../support/drivers/batches.ts';
import { sharedSample } from '../../support/drivers/snapshots.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../../support/material/served-sample.ts';

const FOUND = addressRow(SAMPLE_ADDRESS.address, 'found');
const NOT_THERE = addressRow('1 Nowhere St, Sampleton, ON');
const OUTSIDE = addressRow('1 Main St, Montreal, QC');
const POINT: AskedRow = { customId: 'point', place: { ok: true, value: { kind: 'point', lat: 44.1, lon: -78.6 } } };
const ID = /^lkp_[0-9a-f]{32}$/;

function repeated(row: AskedRow, count: number): AskedRow[] {
  return Array.from({ length: count }, (_, i) => ({ ...row, customId: String(i) }));
}

describe('A batch', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof ownSampleFolder>;
  let machine: BatchMachine;
  let snapshots: SnapshotService;
  before(async () => {
    snapshots = await sharedSample();
  });
  beforeEach(async () => {
    folder = ownSampleFolder();
    machine = await BatchMachine.open(folder.path, snapshots);
  });
  afterEach(async () => {
    await machine[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('has one answer for each row, in order, with the status that the row would get by itself', async () => {
    await using runner = machine.run();
    const key = await machine.issueKey({ customer: 'cus_a' });
    const rows = [FOUND, badRow, NOT_THERE, OUTSIDE, POINT];
    const accepted = await machine.accept(key, rows);
    runner.wake();
    const job = await machine.ended(accepted);
    expect(job.state, job.error ?? '').to.equal('completed');
    expect(job.counts).to.deep.equal({ ...noRows, found: 2, notFound: 1, outside: 1, invalid: 1 });
    const results = await machine.results(job);
    expect(results.map(({ row, custom_id: id, status, code }) => [row, id, status, code])).to.deep.equal([
      [1, 'found', 200, null],
      [2, 'bad', 400, 'BAD_REQUEST'],
      [3, null, 404, 'ADDRESS_NOT_FOUND'],
      [4, null, 422, 'OUTSIDE_ONTARIO'],
      [5, 'point', 200, null],
    ]);
    const { json } = await machine.snapshots.pool.lookup({ kind: 'address', ...SAMPLE_ADDRESS, full: false });
    expect(results[0]!.body).to.deep.equal(JSON.parse(json));
    expect(results[1]!.body).to.deep.equal({ detail: 'address must not be blank' });
    expect(results[2]!.body).to.include.keys('detail', 'reason', 'suggestions');
    expect(results.map(({ lookupId }) => lookupId)).to.deep.equal([
      ...[rowLookupId(job.id, 1), null, null, null, rowLookupId(job.id, 5)],
    ]);
    expect(results[0]!.lookupId).to.match(ID).and.to.contain(job.id.slice(4, 16));
    expect(machine.billed()).to.deep.equal([rowLookupId(job.id, 1), rowLookupId(job.id, 5)].sort());
  });

  it('of many chunks keeps their order, and each 200 is in the journal once', async () => {
    await using runner = machine.run();
    const key = await machine.issueKey();
    const rows = repeated(badRow, 2300).map((row, i) => (i % 10 === 0 ? { ...FOUND, customId: row.customId } : row));
    const accepted = await machine.accept(key, rows, { detail: 'full' });
    const job = await machine.ended(accepted);
    const results = await machine.results(job);
    expect(results.map(({ row }) => row)).to.deep.equal(Array.from({ length: 2300 }, (_, i) => i + 1));
    expect(results.map(({ custom_id: id }) => id)).to.deep.equal(results.map(({ row }) => String(row - 1)));
    expect(machine.billed()).to.deep.equal(results.flatMap(({ lookupId }) => lookupId ?? []).sort());
    expect((results[0]!.body['snapshot'] as { id: string }).id).to.equal(job.snapshot);
    expect(runner.status()).to.deep.include({ rows: { ...noRows, found: 230, invalid: 2070 }, failures: 0 });
  });

  it('is continued by another runner after a stop, with the same bytes and nothing billed twice', async () => {
    const key = await machine.issueKey();
    const [createdAt, rows] = [new Date().toISOString(), repeated(FOUND, 3500)];
    const accepted = await machine.accept(key, rows, { createdAt });
    {
      await using first = machine.run();
      while ((await machine.store.find(accepted.id))!.counts.found < 1000) await sleep(5);
      first.stop();
      await first[Symbol.asyncDispose]();
    }
    const half = (await machine.store.find(accepted.id))!;
    expect(half.state).to.equal('running');
    expect(half.counts.found).to.be.within(1000, 3499);
    await using second = machine.run();
    const job = await machine.ended(accepted);
    while (second.status().rows.found < 3500 - half.counts.found) await sleep(5);
    expect(second.status().rows.found).to.equal(3500 - half.counts.found);
    const interrupted = await machine.text(job);
    expect(new Set(machine.billed()).size).to.equal(3500);
    expect(machine.billed()).to.have.length(3500);
    // Another batch differs in nothing but its ids.
    const again = await machine.ended(await machine.accept(key, rows));
    const withoutIds = (text: string): string => text.replace(/lkp_[0-9a-f]{32}/g, 'lkp');
    expect(withoutIds(await machine.text(again)) === withoutIds(interrupted)).to.equal(true);
  });

  it('is shared by the processes of a machine, without a row lost or billed twice', async () => {
    await using other = await BatchMachine.open(folder.path, snapshots);
    await using first = machine.run();
    await using second = other.run();
    const job = await machine.ended(await machine.accept(await machine.issueKey(), repeated(FOUND, 4000)));
    while (first.status().rows.found + second.status().rows.found < 4000) await sleep(5);
    expect(first.status().rows.found).to.be.within(1000, 3000);
    expect(second.status().rows.found).to.equal(4000 - first.status().rows.found);
    const ids = (await machine.results(job)).map(({ lookupId }) => lookupId);
    expect(machine.billed()).to.deep.equal(ids.sort());
    expect(new Set(ids).size).to.equal(4000);
  });

  it('keeps what is answered when its key is revoked, and says why it failed', async () => {
    const [revoked, expired] = [await machine.issueKey(), await machine.issueKey()];
    const jobs: BatchJob[] = [];
    for (const key of [revoked, expired]) jobs.push(await machine.accept(key, [FOUND]));
    await revokeKey(machine.keys, revoked.id);
    await expireKey(machine.keys, expired.id, new Date(Date.now() - 1).toISOString());
    await using runner = machine.run();
    const ends = [await machine.ended(jobs[0]!), await machine.ended(jobs[1]!)];
    expect(ends.map(({ state }) => state)).to.deep.equal(['failed', 'failed']);
    expect(ends[0]!.error).to.equal('it was not continued: its key was revoked');
    expect(ends[1]!.error).to.equal('it was not continued: its key has expired');
    expect(machine.billed()).to.deep.equal([]);
    expect(runner.status().failures).to.equal(0);
  });

  it('waits for its key, and ends when the key was missing for long', async () => {
    const job = await machine.accept(await machine.issueKey(), [FOUND]);
    const missingKeys = new MissingKeys({ restingMs: 20, goneAfterMs: 200 });
    const found = { isThere: false };
    const keys = { findById: (id: string) => (found.isThere ? machine.keys.findById(id) : Promise.resolve(null)) };
    {
      await using runner = machine.run({ missingKeys, keys });
      const { error } = await machine.ended(job);
      expect(error).to.equal('it was not continued: its key does not exist any more');
      expect(runner.status().failures).to.equal(0);
    }
    const waiting = machine.log.lines.filter(
      ({ message }) => message === 'a batch waits for a process that has its key',
    );
    expect(waiting).to.have.length(1);
    const other = await machine.accept(await machine.issueKey(), [FOUND]);
    await using runner = machine.run({ missingKeys: new MissingKeys({ restingMs: 20 }), keys });
    runner.wake();
    await sleep(300);
    expect((await machine.store.find(other.id))!.endedAt).to.equal(null);
    found.isThere = true;
    expect(await machine.ended(other)).to.include({ state: 'completed' });
  });

  it('delivers and bills no more than the monthly budget of its key', async () => {
    const key = await machine.issueKey({ limits: { budgetPerMonth: 1200 } });
    await using runner = machine.run();
    runner.wake();
    const job = await machine.ended(await machine.accept(key, repeated(FOUND, 2000)));
    expect(job.counts).to.deep.equal({ ...noRows, found: 1200, failed: 800 });
    const results = await machine.results(job);
    expect(results).to.have.length(2000);
    const refused = results.filter(({ status }) => status === 429);
    expect(refused).to.have.length(800);
    expect(refused[0]).to.deep.include({ code: 'RATE_LIMITED', lookupId: null });
    expect(refused[0]!.body['detail']).to.match(/^this key has used its budget of 1200 lookups/);
    expect(refused[0]!.body).to.have.all.keys('detail', 'reason');
    const delivered = results.filter(({ status }) => status === 200).map(({ lookupId }) => lookupId);
    expect(machine.billed()).to.deep.equal(delivered.sort());
  });

  it('tries a row again that the service fails to answer, and ends it with 503 or 500', async () => {
    const attempts = new Map<string, number>();
    const errors: Readonly<Record<string, () => AppError>> = {
      once: () => unavailable('TOO_LATE', 'a secret path'),
      always: () => unavailable('TOO_LATE', 'a secret path'),
      defect: () => new AppError('INTERNAL', 'a secret stack'),
      lost: () => new LostThread(new Error('the thread ended')),
      hung: () => new HungThread(0),
    };
    await using runner = machine.run({
      lookups: {
        lookup: (task) => {
          const name = task.kind === 'address' ? task.address : '';
          const attempt = (attempts.get(name) ?? 0) + 1;
          attempts.set(name, attempt);
          if (name === 'fine' || (name === 'once' && attempt > 1)) {
            return Promise.resolve({ json: '{}', geocodeMs: 0, layersMs: 0 });
          }
          return Promise.reject(errors[name]!());
        },
      },
    });
    runner.wake();
    const names = ['fine', 'once', 'always', 'defect', 'lost', 'hung'];
    const job = await machine.ended(
      await machine.accept(
        await machine.issueKey(),
        names.map((name) => addressRow(name)),
      ),
    );
    expect(job.state).to.equal('completed');
    const results = await machine.results(job);
    expect(results.map(({ status }) => status)).to.deep.equal([200, 200, 503, 500, 503, 500]);
    expect(results.at(-1)!.code).to.equal('UNANSWERABLE');
    expect(names.map((name) => attempts.get(name))).to.deep.equal([1, 2, 3, 3, 3, 1]);
    expect(JSON.stringify(results)).not.to.contain('secret');
    expect(JSON.stringify(machine.log.lines)).to.contain('a secret path');
  });

  it('gives up the row at which its chunk loses threads, when those are three, also after a restart', async () => {
    const lost: number[] = [];
    const rows = [FOUND, addressRow('poison'), FOUND];
    const job = await machine.accept(await machine.issueKey(), rows);
    const run = (): BatchRunner => {
      const snapshots = machine.pinnedSnapshot();
      const lookupRows = snapshots.lookupRows.bind(snapshots);
      snapshots.lookupRows = (id, asked) => {
        if (!asked.some(({ task }) => task.kind === 'address' && task.address === 'poison'))
          return lookupRows(id, asked);
        lost.push(asked.length);
        return Promise.reject(new Error('the thread ended'));
      };
      // It does not come to the third attempt.
      return machine.run({ snapshots, retry: { attempts: 2, firstMs: 600_000, mostMs: 600_000 } });
    };
    {
      await using runner = run();
      runner.wake();
      while (lost.length < 2) await sleep(5);
    }
    expect(await machine.store.find(job.id)).to.include({ state: 'running' });
    await using runner = run();
    runner.wake();
    const ended = await machine.ended(job);
    expect(ended.counts).to.include({ found: 2, failed: 1 });
    expect(lost).to.deep.equal([3, 1, 3, 1]);
    const results = await machine.results(ended);
    expect(results.map(({ status }) => status)).to.deep.equal([200, 500, 200]);
    expect(results[1]).to.deep.include({ code: 'UNANSWERABLE', lookupId: null, body: {} });
    expect(machine.billed()).to.have.length(2);
  });

  it('is tried again when the journal fails, without a row lost or billed twice', async () => {
    const key = await machine.issueKey();
    let faults = 3;
    const { journal } = machine;
    await using runner = machine.run();
    const original = journal.do.bind(journal);
    journal.do = (name, input) => {
      if (name === 'recordRows' && faults-- > 0) return Promise.reject(unavailable('STORAGE_FULL', 'the disk is full'));
      return original(name, input);
    };
    const job = await machine.ended(await machine.accept(key, repeated(FOUND, 600)));
    expect(job.counts.found).to.equal(600);
    expect(runner.status().failures).to.equal(3);
    expect(machine.billed()).to.deep.equal((await machine.results(job)).map(({ lookupId }) => lookupId).sort());
  });

  it('is reported when it has ended, also by a runner that starts later, and again when the report fails', async () => {
    const key = await machine.issueKey();
    const told: string[] = [];
    let faults = 2;
    const onEnded = (job: BatchJob): void => {
      if (faults-- > 0) throw new Error('the disk is full');
      told.push(`${job.id} ${job.state}`);
    };
    const first = await machine.accept(key, [FOUND]);
    {
      await using runner = machine.run({ onEnded });
      runner.wake();
      await machine.ended(first);
      while (told.length === 0) await sleep(10);
      await sleep(100);
    }
    expect(told).to.deep.equal([`${first.id} completed`]);
    const second = await machine.accept(key, [FOUND], { id: createBatchId(Date.now(), 'a0a0a0a0') });
    await machine.store.cancel(second.id);
    await using runner = machine.run({ onEnded });
    runner.wake();
    while (told.length < 3) await sleep(10);
    expect(told.slice(1)).to.deep.equal([`${first.id} completed`, `${second.id} cancelled`]);
    const ends = machine.log.lines.filter(({ message }) => message === 'batch ended');
    expect(ends).to.have.length(1);
    expect(ends[0]).to.include({ batch: first.id, state: 'completed', rows: 1, found: 1 });
  });

  it('is reported by the stop when it has ended just before', async () => {
    const told: string[] = [];
    const job = await machine.accept(await machine.issueKey(), [FOUND]);
    {
      await using runner = machine.run({ pollMs: 600_000, onEnded: ({ id }) => void told.push(id) });
      runner.wake();
      await machine.ended(job);
    }
    expect(told).to.deep.equal([job.id]);
  });
});
