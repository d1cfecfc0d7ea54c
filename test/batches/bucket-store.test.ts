import { describeBatchStore } from '../support/oracles/batch-store-contract.ts';
import { BucketMachines, shortTimes } from '../support/drivers/bucket-machines.ts';

describeBatchStore('in Redis and a bucket', async () => {
  const machines = await BucketMachines.start();
  let opened = 1;
  return {
    store: await machines.open('machine-0'),
    leaseMs: shortTimes.lockMs,
    another: () => machines.open(`machine-${opened++}`),
    [Symbol.asyncDispose]: () => machines[Symbol.asyncDispose](),
  };
});
