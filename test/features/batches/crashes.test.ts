/** Processes that are killed while they work with a store of batches. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { addBatch, openStore, workOnAll } from './machine-store.ts';

/** Nobody who lives loses a chunk. */
const LEASE_MS = 600_000;

/** The clock of those who come when the leases of the dead are over. */
const later = (): number => Date.now() + LEASE_MS;

/** @param aheadMs of its clock. */
function start(dir: string, step: string, aheadMs = 0): ChildProcess {
  const script = join(import.meta.dirname, `crash-process${import.meta.filename.endsWith('.ts') ? '.ts' : '.js'}`);
  return fork(script, [dir, step, String(LEASE_MS), String(aheadMs)]);
}

/** Signal that ended a process; null when it came to its end. */
async function endOf(child: ChildProcess): Promise<string | null> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== null && code !== 0) throw new Error(`the process failed with ${code}`);
  return signal;
}

const batchFolders = (dir: string): string[] => readdirSync(dir).filter((name) => name.startsWith('bat_'));

describe('A process that is killed', function () {
  this.timeout(240_000);

  it('while it receives a batch leaves nothing', async () => {
    using folder = temporaryFolder();
    expect(await endOf(start(folder.path, 'receiving'))).to.equal('SIGKILL');
    expect(batchFolders(folder.path)).to.have.length(1);
    await using store = openStore(folder.path, { leaseMs: LEASE_MS, nowMs: later });
    await store.expire(later());
    expect(batchFolders(folder.path)).to.deep.equal([]);
    expect(await store.list('key_a', { limit: 9, after: null })).to.deep.equal([]);
  });

  it('after it accepted a batch leaves it whole', async () => {
    using folder = temporaryFolder();
    expect(await endOf(start(folder.path, 'accepted'))).to.equal('SIGKILL');
    const id = readFileSync(join(folder.path, 'accepted'), 'utf8');
    await using store = openStore(folder.path);
    await workOnAll(store);
    expect(await store.find(id)).to.deep.include({ state: 'completed', rows: 1500 });
  });

  for (const step of ['taken', 'before the bill', 'after the bill', 'done']) {
    it(`when it is at a chunk (${step}) loses and doubles nothing`, async () => {
      using folder = temporaryFolder();
      await using store = openStore(folder.path, { leaseMs: LEASE_MS });
      const job = await addBatch(store, 3500);
      expect(await endOf(start(folder.path, step))).to.equal('SIGKILL');
      const shown = await store.readyChunks(job);
      expect(shown).to.equal(step === 'done' ? 2 : 1);
      expect(await endOf(start(folder.path, 'never', LEASE_MS))).to.equal(null);
      const ended = (await store.find(job.id))!;
      expect(ended.state).to.equal('completed');
      expect(ended.counts.found).to.equal(3500);
      const texts = await Promise.all([0, 1, 2, 3].map((index) => store.readResult(job, index)));
      const rows = texts.join('').trimEnd().split('\n');
      expect(rows.map((line) => (JSON.parse(line) as { row: number }).row)).to.deep.equal(
        Array.from({ length: 3500 }, (_, i) => i + 1),
      );
      expect(ended.resultBytes).to.equal(texts.join('').length);
      // Each chunk was billed; the one under way perhaps twice, under the same ids.
      const billed = readFileSync(join(folder.path, 'billed'), 'utf8').trimEnd().split('\n');
      expect(new Set(billed).size).to.equal(4);
      expect(billed.length).to.equal(step === 'after the bill' ? 5 : 4);
    });
  }

  it('lets the others go on, whenever it is killed', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path, { leaseMs: LEASE_MS });
    const jobs = [await addBatch(store, 12_000), await addBatch(store, 9000, { keyId: 'key_b' })];
    for (let i = 0; i < 6; i++) {
      const victim = start(folder.path, 'never');
      await Promise.race([once(victim, 'message'), once(victim, 'exit')]);
      await sleep(7 * i);
      victim.kill('SIGKILL');
      if (victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit');
    }
    await Promise.all([endOf(start(folder.path, 'never', LEASE_MS)), endOf(start(folder.path, 'never', LEASE_MS))]);
    for (const { id, rows } of jobs) {
      const ended = (await store.find(id))!;
      expect([ended.state, ended.counts.found]).to.deep.equal(['completed', rows]);
      let text = '';
      for (let index = 0; index < rows / 1000; index++) text += await store.readResult(ended, index);
      expect(text.trimEnd().split('\n').length).to.equal(rows);
      expect(ended.resultBytes).to.equal(text.length);
    }
    const billed = new Set(readFileSync(join(folder.path, 'billed'), 'utf8').trimEnd().split('\n'));
    expect(billed.size).to.equal(21);
    expect(existsSync(join(folder.path, jobs[0]!.id))).to.equal(true);
  });
});

describe('Two processes', function () {
  this.timeout(240_000);

  it('share a batch: each chunk is answered and billed once', async () => {
    using folder = temporaryFolder();
    await using store = openStore(folder.path, { leaseMs: LEASE_MS });
    const job = await addBatch(store, 40_000);
    const [first, second] = [start(folder.path, 'never'), start(folder.path, 'never')];
    const shares = [0, 0];
    first.on('message', () => shares[0]!++);
    second.on('message', () => shares[1]!++);
    await Promise.all([endOf(first), endOf(second)]);
    expect(await store.find(job.id)).to.include({ state: 'completed' });
    const billed = readFileSync(join(folder.path, 'billed'), 'utf8').trimEnd().split('\n');
    expect(billed).to.have.length(40);
    expect(new Set(billed).size).to.equal(40);
    expect(shares[0]! + shares[1]!).to.equal(40);
  });
});
