import { describeBatchStore, PATIENT_LEASE_MS } from '../support/oracles/batch-store-contract.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { openStore } from './machine-store.ts';

describeBatchStore('on one machine', () => {
  const folder = temporaryFolder();
  const open = (leaseMs = PATIENT_LEASE_MS) => openStore(folder.path, { leaseMs });
  const stores = [open()];
  return Promise.resolve({
    store: stores[0]!,
    another: (leaseMs?: number) => {
      const store = open(leaseMs);
      stores.push(store);
      return Promise.resolve(store);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
      folder[Symbol.dispose]();
    },
  });
});
