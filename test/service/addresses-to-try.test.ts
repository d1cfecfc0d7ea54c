import { expect } from 'chai';
import { addressesToTry } from '../../src/http/addresses-to-try.ts';
import { openSnapshots } from '../support/batches.ts';
import { sampleDataDir } from '../support/sample-data.ts';

describe('the addresses that the page offers', () => {
  it('are in the register in service: city halls that it has, otherwise what it suggests', async () => {
    await using snapshots = await openSnapshots(sampleDataDir());
    const { manifest } = snapshots;
    expect(addressesToTry(snapshots)()).to.include('4 Wharf Lane, Maple Sample, ON');
    // A register that is not the sample, and has no city hall.
    const register = { ...manifest, gazetteer: { ...manifest.gazetteer!, sample: false } };
    const offered = addressesToTry({ manifest: register, lookup: (task) => snapshots.lookup(task) });
    while (offered().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(offered()).to.have.lengthOf.within(1, 3);
    for (const address of offered()) await snapshots.lookup({ kind: 'address', address, full: false });
    const none = { ...manifest, gazetteer: null };
    expect(addressesToTry({ manifest: none, lookup: (task) => snapshots.lookup(task) })()).to.have.lengthOf(3);
  });
});
