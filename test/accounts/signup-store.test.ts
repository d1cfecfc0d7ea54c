/** Sign-ups in both stores of keys, and on their way from one to the other. */
import { join } from 'node:path';
import { expect } from 'chai';
import { suspendCustomer } from '../../src/core/keys/customers.ts';
import { exportKeysTo, importKeys } from '../../src/core/keys/keys-transfer.ts';
import type { SignupRecord } from '../../src/core/keys/key-store.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { keyPlaces } from '../support/drivers/key-stores.ts';

const record: SignupRecord = {
  ...{ id: `sgn_${'a'.repeat(64)}`, state: 'paid', attempt: 1, price: 'price_1', sessionId: 'cs_1', customer: 'cus_1' },
  ...{ createdAt: '2026-11-22T10:00:00.000Z', changedAt: '2026-11-22T10:01:00.000Z', subscription: 'sub_1' },
  ...{ keyId: `key_${'0'.repeat(16)}`, salt: 'salt', reason: '' },
};
const older: SignupRecord = {
  ...record,
  ...{
    id: `sgn_${'b'.repeat(64)}`,
    state: 'shown',
    createdAt: '2026-11-21T10:00:00.000Z',
    salt: null,
    customer: 'cus_2',
  },
};

for (const [name, open] of Object.entries(keyPlaces)) {
  describe(`Sign-ups in ${name}`, function () {
    this.timeout(240_000);

    it('are found, listed by age, changed and removed, and seen by every process', async () => {
      await using place = await open();
      await using store = await place.open();
      await using other = await place.open();
      expect(await store.signups.find(record.id)).to.equal(null);
      expect(await store.signups.update(record.id, () => null)).to.equal(null);
      for (const one of [record, older]) await store.signups.update(one.id, () => one);
      expect(await other.signups.find(record.id)).to.deep.equal(record);
      expect(await other.signups.list('all')).to.deep.equal([older, record]);
      expect(await other.signups.list('unfinished')).to.deep.equal([record]);
      const ended = { ...record, state: 'ended' as const, reason: 'because' };
      expect(await other.signups.update(record.id, () => ended)).to.deep.equal(ended);
      expect(await store.signups.list('unfinished')).to.deep.equal([]);
      expect(await store.signups.update(record.id, () => null)).to.deep.equal(ended);
      expect(await store.signups.update(record.id, () => 'remove')).to.equal(null);
      expect(await other.signups.list('all')).to.deep.equal([older]);
    });

    it('are changed by one of many at once', async () => {
      await using place = await open();
      await using store = await place.open();
      await store.signups.update(record.id, () => record);
      const stores = await Promise.all(Array.from({ length: 8 }, () => place.open()));
      let won = 0;
      await Promise.all(
        stores.map((one) =>
          one.signups.update(record.id, (before) =>
            before?.state === 'paid' ? { ...before, state: 'issued', reason: String(++won) } : null,
          ),
        ),
      );
      const after = await store.signups.find(record.id);
      expect(after!.state).to.equal('issued');
      for (const one of stores) await one[Symbol.asyncDispose]();
    });

    it('go with the keys to another store, and suspensions with them', async () => {
      await using place = await open();
      await using store = await place.open();
      using folder = temporaryFolder();
      for (const one of [record, older]) await store.signups.update(one.id, () => one);
      await suspendCustomer(store, 'cus_1', 'misuse');
      const file = join(folder.path, 'keys.jsonl');
      await exportKeysTo(store, file);
      await using elsewhere = await keyPlaces['SQLite']!();
      await using target = await elsewhere.open();
      for (let i = 0; i < 2; i++) await importKeys(target, file);
      expect(await target.signups.list('all')).to.deep.equal([older, record]);
      expect(await target.customers()).to.deep.equal(await store.customers());
    });
  });
}
