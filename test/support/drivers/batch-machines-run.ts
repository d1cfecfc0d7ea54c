import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { BatchStore } from '../../../src/batches/batch-store.ts';
import { hasEnded, type BatchJob } from '../../../src/batches/job.ts';
import { lookupIdOf } from '../material/batch-material.ts';
import { addBatch, eventually, resultsOf, undisturbed } from '../oracles/batch-store-contract.ts';
import { BatchMachine } from './batch-machine-process.ts';
import { BucketMachines } from './bucket-machines.ts';

export interface RunOptions {
  readonly machines: number;
  readonly workMs: number;
  readonly lockMs: number;
  readonly takeOverMs: number;
}

/** Several machines with their own data, one Redis, one object store, and a store to watch them with. */
export class BatchMachinesRun implements AsyncDisposable {
  readonly shared: BucketMachines;
  readonly machines: readonly BatchMachine[];
  readonly store: BatchStore;

  private constructor(shared: BucketMachines, machines: readonly BatchMachine[], store: BatchStore) {
    this.shared = shared;
    this.machines = machines;
    this.store = store;
  }

  static async start({ machines: count, ...options }: RunOptions): Promise<BatchMachinesRun> {
    const shared = await BucketMachines.start();
    const { url: redisUrl } = shared.redis;
    const { bucket } = shared.objects;
    const machines = Array.from(
      { length: count },
      (_, i) => new BatchMachine({ machine: `m${i}`, redisUrl, bucket, ...options }),
    );
    return new BatchMachinesRun(shared, machines, await shared.open('watcher', options));
  }

  async startAll(): Promise<void> {
    await Promise.all(this.machines.map((machine) => machine.start()));
  }

  async add(rows: number, keyId = 'key_a'): Promise<BatchJob> {
    return await addBatch(this.store, { rows, keyId });
  }

  async ended(job: BatchJob, ms?: number): Promise<BatchJob> {
    return await eventually(async () => {
      const now = await this.store.find(job.id).catch(() => null);
      return now && hasEnded(now) ? now : null;
    }, ms);
  }

  /** Every row is there, as in a run that nothing disturbs, and every 200 is billed by one machine, once. */
  async check(job: BatchJob): Promise<void> {
    expect(job.state).to.equal('completed');
    expect(await resultsOf(this.store, job)).to.equal(undisturbed(job));
    await sleep(300);
    const billed = this.machines
      .flatMap((machine) => machine.read().billed)
      .filter((id) => id.startsWith(`lkp_${job.id.slice(4, 16)}`));
    const expected = Array.from({ length: job.rows }, (_, i) => i + 1).filter((row) => row % 10 > 0);
    expect(billed.sort()).to.deep.equal(expected.map((row) => lookupIdOf(job.id, row)).sort());
    expect(job.counts).to.include({ found: expected.length, notFound: job.rows - expected.length, failed: 0 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.machines.map((machine) => machine[Symbol.asyncDispose]()));
    await this.shared[Symbol.asyncDispose]();
  }
}

/** Kills machines and Redis at random moments, and starts them again, until told to stop. Returns the number of kills. */
export async function killAtRandom(
  run: BatchMachinesRun,
  most: number,
  random: () => number,
  isOver: () => boolean,
): Promise<number> {
  for (let kills = 0; kills < most; kills++) {
    await sleep(100 + 900 * random());
    if (isOver()) return kills;
    const which = Math.floor(random() * (run.machines.length + 1));
    const machine = run.machines[which];
    await (machine ?? run.shared.redis).kill();
    await sleep(300 * random());
    await (machine ?? run.shared.redis).start();
  }
  return most;
}
