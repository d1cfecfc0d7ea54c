import { describeBatchStore, PATIENT_LEASE_MS } from '../support/oracles/batch-store-contract.ts';
import { BucketMachines } from '../support/drivers/bucket-machines.ts';

describeBatchStore('in Redis and a bucket', async () => {
  const machines = await BucketMachines.start();
  let opened = 1;
  return {
    store: await machines.open('machine-0', { lockMs: PATIENT_LEASE_MS }),
    another: (lockMs = PATIENT_LEASE_MS) => machines.open(`machine-${opened++}`, { lockMs }),
    [Symbol.asyncDispose]: () => machines[Symbol.asyncDispose](),
  };
});
