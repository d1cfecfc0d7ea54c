import { describeBatchStore } from '../support/oracles/batch-store-contract.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { openStore } from './machine-store.ts';

const LEASE_MS = 600;

describeBatchStore('on one machine', () => {
  const folder = temporaryFolder();
  const open = () => openStore(folder.path, { leaseMs: LEASE_MS });
  const stores = [open()];
  return Promise.resolve({
    store: stores[0]!,
    leaseMs: LEASE_MS,
    another: () => {
      const store = open();
      stores.push(store);
      return Promise.resolve(store);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
      folder[Symbol.dispose]();
    },
  });
});
