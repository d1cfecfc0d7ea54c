/** Batches keep to the snapshot that they began with. */
import { expect } from 'chai';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { snapshotsFolder } from '../../../src/core/snapshots/folders.ts';
import { readNeeded, writeNeeded } from '../../../src/core/snapshots/needed.ts';
import { pruneSnapshots } from '../../../src/commands/snapshot.ts';
import { addressRow, badRow, BatchMachine } from '../../support/drivers/batches.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { SAMPLE_ADDRESS } from '../../support/material/served-sample.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';
import { serveSample, storeSample } from '../../support/material/snapshot-copies.ts';

/** Of three chunks: one is answered before the other snapshot comes, one meanwhile, one after it. */
const ROWS = 2001;
const CHUNK = 1000;

/** One row in so many asks for something: the others would only take longer. */
const ASKS = 20;

/** @param later the address of the rows behind the first chunk. */
const rows = (count: number, later: string = SAMPLE_ADDRESS.address) =>
  Array.from({ length: count }, (_, i) =>
    i % ASKS === 0 ? addressRow(i < CHUNK ? SAMPLE_ADDRESS.address : later) : badRow,
  );

const LATER = '13 Marsh Rd, Fiddlehead Corners, ON';

describe('The snapshot of a batch', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let machine: BatchMachine;
  let first: string;
  before(() => {
    sampleDataDir();
  });
  beforeEach(async () => {
    folder = temporaryFolder();
    first = serveSample(folder.path, 1);
    machine = await BatchMachine.open(folder.path);
  });
  afterEach(async () => {
    await machine[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const snapshotsOf = async (job: Parameters<BatchMachine['results']>[0]): Promise<ReadonlySet<string>> =>
    new Set(
      (await machine.results(job)).flatMap(({ status, body }) =>
        status === 200 ? (body['snapshot'] as { id: string }).id : [],
      ),
    );

  it('answers all its rows, also when another one comes into service meanwhile', async () => {
    const key = await machine.issueKey();
    const accepted = await machine.accept(key, rows(ROWS, LATER), { detail: 'full' });
    const snapshots = machine.pinnedSnapshot();
    const lookupRows = snapshots.lookupRows.bind(snapshots);
    let openGate = (): void => undefined;
    const gate = new Promise<void>((resolve) => (openGate = resolve));
    const gated = { isBegun: false };
    // Of the second chunk a message is answered before, and the others wait.
    snapshots.lookupRows = async (id, asked) => {
      const isLater = asked.some(({ task }) => task.kind === 'address' && task.address === LATER);
      if (isLater && gated.isBegun) await gate;
      gated.isBegun ||= isLater;
      return lookupRows(id, asked);
    };
    await using runner = machine.run({ snapshots, chunksAtOnce: 1 });
    while ((await machine.store.find(accepted.id))!.counts.found === 0 || !gated.isBegun) await sleep(5);
    const second = serveSample(folder.path, 2);
    await machine.snapshots.reload();
    openGate();
    expect(machine.snapshots.manifest.id).to.equal(second);
    const job = await machine.ended(accepted);
    expect(job.counts).to.include({ found: Math.ceil(ROWS / ASKS), failed: 0 });
    expect(runner.status().failures).to.equal(0);
    expect(await snapshotsOf(job)).to.deep.equal(new Set([first]));
    const later = await machine.ended(await machine.accept(key, rows(3), { detail: 'full' }));
    expect(await snapshotsOf(later)).to.deep.equal(new Set([second]));
  });

  it('answers after a restart, and is kept from pruning until the batch ends', async () => {
    const key = await machine.issueKey();
    for (const n of [2, 3]) storeSample(folder.path, n);
    const accepted = await machine.accept(key, rows(10), { detail: 'full' });
    const second = serveSample(folder.path, 4);
    await machine.snapshots.reload();
    writeNeeded(folder.path, await machine.store.neededSnapshots());
    expect(pruneSnapshots(folder.path, 1)).to.have.length(2);
    expect(existsSync(join(snapshotsFolder(folder.path), first))).to.equal(true);
    await using runner = machine.run();
    runner.wake();
    const job = await machine.ended(accepted);
    expect(await snapshotsOf(job)).to.deep.equal(new Set([first]));
    while (readNeeded(folder.path).size > 0) await sleep(10);
    expect(pruneSnapshots(folder.path, 1)).to.deep.equal([first]);
    expect(machine.snapshots.manifest.id).to.equal(second);
  });

  it('that was deleted ends the batch with an error that says so', async () => {
    const accepted = await machine.accept(await machine.issueKey(), rows(10));
    serveSample(folder.path, 2);
    await machine.snapshots.reload();
    rmSync(join(snapshotsFolder(folder.path), first), { recursive: true });
    await using runner = machine.run();
    runner.wake();
    const job = await machine.ended(accepted);
    expect([job.state, job.error]).to.deep.equal([
      'failed',
      `the snapshot ${first}, which answers its rows, was deleted`,
    ]);
    expect(machine.billed()).to.deep.equal([]);
  });

  it('is one of several: batches of three snapshots all end', async () => {
    const key = await machine.issueKey();
    const others = [2, 3].map((n) => storeSample(folder.path, n));
    const accepted = [];
    for (const snapshot of [...others, first]) {
      accepted.push(await machine.accept(key, rows(1001), { detail: 'full', snapshot }));
    }
    await using runner = machine.run();
    runner.wake();
    for (const batch of accepted) {
      const job = await machine.ended(batch);
      expect(job.state, job.error ?? '').to.equal('completed');
      expect(await snapshotsOf(job)).to.deep.equal(new Set([batch.snapshot]));
    }
  });
});
