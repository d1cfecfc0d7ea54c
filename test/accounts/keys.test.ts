import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { Authenticator } from '../../src/core/keys/authenticator.ts';
import { createKey, hashKey } from '../../src/core/keys/key-format.ts';
import type { KeyStore } from '../../src/core/keys/key-store.ts';
import { expireKey, importKey, issueKey, revokeKey, rotateKey, setKey } from '../../src/core/keys/keys.ts';
import { AppError } from '../../src/messages/problems.ts';
import { HOUR_MS } from '../../src/messages/time.ts';
import { keyPlaces, type KeyPlace } from '../support/drivers/key-stores.ts';
import { after } from '../support/drivers/passing-time.ts';

const plain = { name: 'test' };
/** Of the store's answers, in the cache of the library, which reads its clock once in a millisecond. */
const CLOCK_STEP_MS = 20;

async function isRefused(authenticator: Authenticator, key: string): Promise<boolean> {
  const result: unknown = await authenticator.authenticate(`Bearer ${key}`).catch((cause: unknown) => cause);
  if (!(result instanceof AppError)) return false;
  expect(result.code).to.equal('UNAUTHORIZED');
  return true;
}

/** Asks with an empty cache. */
function isRefusedBy(store: KeyStore, key: string): Promise<boolean> {
  return isRefused(new Authenticator(store), key);
}

/** Stands where `it` is for a case that is tested elsewhere. */
const ignored = (): undefined => undefined;

for (const [name, openPlace] of Object.entries(keyPlaces)) {
  describe(`Keys in ${name}`, () => {
    let place: KeyPlace;
    let store: KeyStore;
    /** For what is above the store, and the same on any. */
    const onFileOnly = name === 'SQLite' ? it : ignored;
    beforeEach(async () => {
      place = await openPlace();
      store = await place.open();
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    });

    it('are stored as hashes only', async () => {
      const { key, record } = await issueKey(store, { ...plain, limitPerHour: 5, customer: 'cus_1' });
      const { key: second } = await rotateKey(store, record.id, 1000);
      const stored = await place.dump();
      expect(stored).to.contain(record.id);
      for (const secret of [key, second]) {
        expect(stored).to.contain(hashKey(secret)).and.not.contain(secret).and.not.contain(secret.slice(4, 36));
      }
    });

    it('come back as they were made, oldest first', async () => {
      const records = [];
      for (let i = 0; i < 5; i++) {
        records.push((await issueKey(store, { name: `k${i}`, limitPerHour: i + 1, customer: 'cus_1' })).record);
        await sleep(2);
      }
      expect(await store.list()).to.deep.equal(records);
      expect(await store.find(records[3]!.secrets[0]!.hash)).to.deep.equal({ ...records[3], isSuspended: false });
      expect(await store.find(hashKey('nothing'))).to.equal(null);
      expect(await store.findById(records[3]!.id)).to.deep.equal({ ...records[3], isSuspended: false });
      expect(await store.findById('key_0000')).to.equal(null);
    });

    it('keep their limits, and when they were used last', async () => {
      const limits = {
        budgetPerMonth: 50,
        ownBudgetPerMonth: 30,
        burstPerS: 2,
        inFlight: 3,
        networks: ['203.0.113.0/24', '2001:db8::/32'],
        batchRowsPerDay: 500,
      };
      const { record } = await issueKey(store, { ...plain, limits: { budgetPerMonth: 40 } });
      expect(record.limits).to.deep.equal({
        budgetPerMonth: 40,
        ownBudgetPerMonth: null,
        burstPerS: null,
        inFlight: null,
        networks: [],
        batchRowsPerDay: 0,
      });
      await setKey(store, record.id, { limits: { ...limits, budgetPerMonth: null } });
      expect(await setKey(store, record.id, { limits: { budgetPerMonth: 50 } })).to.deep.include({ limits });
      expect((await store.find(record.secrets[0]!.hash))?.limits).to.deep.equal(limits);
      expect(await store.lastUsed()).to.have.property('size', 0);
      const [earlier, later] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
      for (const at of [later, earlier]) await store.noteUse(new Map([[record.id, at]]));
      expect([...(await store.lastUsed())]).to.deep.equal([[record.id, later]]);
      expect([...(await store.lastUsed([record.id, 'key_none']))]).to.deep.equal([[record.id, later]]);
      expect([...(await store.lastUsed(['key_none']))]).to.deep.equal([]);
      expect([...(await store.lastUsed([]))]).to.deep.equal([]);
    });

    it('are listed by their customer, oldest first, whatever their state', async () => {
      const first = await issueKey(store, { ...plain, customer: 'cus_listed' });
      await sleep(2);
      const second = await issueKey(store, { ...plain, customer: 'cus_listed' });
      await issueKey(store, { ...plain, name: 'cus_listed', customer: 'cus_listed2' });
      await revokeKey(store, first.record.id);
      const listed = await store.listOf('cus_listed');
      expect(listed.map(({ id }) => id)).to.deep.equal([first.record.id, second.record.id]);
      expect(listed[0]!.revokedAt).to.be.a('string');
      expect(listed[1]).to.deep.equal(second.record);
      expect(await store.listOf('cus_')).to.deep.equal([]);
      const odd = await issueKey(store, { ...plain, customer: 'cus_"odd"' });
      expect(await store.listOf('cus_"odd"')).to.deep.equal([odd.record]);
    });

    onFileOnly('let in while they are in force, and not once expired or revoked', async () => {
      const authenticator = new Authenticator(store);
      const { key } = await issueKey(store, { ...plain, expiresAt: new Date(Date.now() + HOUR_MS).toISOString() });
      const other = await issueKey(store, plain);
      expect(await isRefused(authenticator, key)).to.equal(false);
      expect((await authenticator.authenticate(`bearer  ${other.key} `)).id).to.equal(other.record.id);
      expect(await after(HOUR_MS, () => isRefused(authenticator, key))).to.equal(true);
      await revokeKey(store, other.record.id);
      expect(await isRefusedBy(store, other.key)).to.equal(true);
      expect(await isRefusedBy(store, createKey()), 'unknown').to.equal(true);
    });

    onFileOnly('rotate with an overlap: both secrets work, then only the new one', async () => {
      const { key: first, record } = await issueKey(store, { ...plain, limitPerHour: 7 });
      const { key: second, record: rotated } = await rotateKey(store, record.id, HOUR_MS);
      expect({ ...rotated, secrets: [] }).to.deep.equal({ ...record, secrets: [] });
      for (const key of [first, second]) expect(await isRefusedBy(store, key)).to.equal(false);
      expect(await after(HOUR_MS, () => isRefusedBy(store, first))).to.equal(true);
      expect(await after(HOUR_MS, () => isRefusedBy(store, second))).to.equal(false);
      const { key: third, record: last } = await rotateKey(store, record.id, 0);
      expect(await isRefusedBy(store, second), 'no overlap').to.equal(true);
      expect(await isRefusedBy(store, third)).to.equal(false);
      expect(last.secrets, 'ended secrets are forgotten').to.have.length(1);
    });

    onFileOnly('are not rotated or revoked once revoked, nor found when there are none', async () => {
      const { record } = await issueKey(store, plain);
      await revokeKey(store, record.id);
      for (const work of [revokeKey(store, record.id), rotateKey(store, record.id, 1), revokeKey(store, 'key_none')]) {
        expect(await work.catch((cause: unknown) => cause)).to.be.instanceOf(Error);
      }
    });

    it('are found by a secret until it is rotated or the key is revoked, whichever process does it', async () => {
      await using command = await place.open();
      const { key: first, record } = await issueKey(command, plain);
      expect(await isRefusedBy(store, first)).to.equal(false);
      const { key: second } = await rotateKey(command, record.id, 60_000);
      for (const key of [first, second]) expect(await isRefusedBy(store, key)).to.equal(false);
      const { key: third } = await rotateKey(command, record.id, 0);
      expect(await Promise.all([first, second].map((key) => store.find(hashKey(key))))).to.deep.equal([null, null]);
      expect(await isRefusedBy(store, third)).to.equal(false);
      await revokeKey(command, record.id);
      expect(await isRefusedBy(store, third)).to.equal(true);
    });

    it('change limit, customer and end, and note who changed what', async () => {
      const { record } = await issueKey(store, plain);
      await setKey(store, record.id, { limitPerHour: 9, customer: 'cus_9' });
      await expireKey(store, record.id, '2099-01-01T00:00:00.000Z');
      await rotateKey(store, record.id, 0);
      await revokeKey(store, record.id);
      expect((await store.list())[0]).to.include({
        limitPerHour: 9,
        customer: 'cus_9',
        expiresAt: '2099-01-01T00:00:00.000Z',
      });
      const entries = await store.audit();
      expect(entries.map(({ action }) => action)).to.deep.equal(['create', 'set', 'expire', 'rotate', 'revoke']);
      expect(entries[1]).to.include({ keyId: record.id, detail: 'limitPerHour=9 customer=cus_9' });
      for (const { actor, at } of entries) {
        expect(actor).to.match(/^.+@.+$/);
        expect(Date.parse(at)).to.be.closeTo(Date.now(), 900_000);
      }
    });

    it('lose no change of two that come at once', async () => {
      const { record } = await issueKey(store, plain);
      await using other = await place.open();
      await Promise.all([
        ...Array.from({ length: 5 }, (_, i) => setKey(store, record.id, { limitPerHour: i + 1 })),
        ...Array.from({ length: 5 }, (_, i) => setKey(other, record.id, { customer: `cus_${i}` })),
      ]);
      const [changed] = await store.list();
      expect(changed!.limitPerHour).to.not.equal(null);
      expect(changed!.customer).to.match(/^cus_\d$/);
      expect(await store.audit()).to.have.length(11);
    });

    it('are refused when the id or a secret is taken', async () => {
      const { record } = await issueKey(store, plain);
      expect(await importKey(store, record).catch((cause: unknown) => cause)).to.be.instanceOf(Error);
      const thief = { ...record, id: 'key_0000000000000000' };
      expect(await importKey(store, thief).catch((cause: unknown) => cause)).to.be.instanceOf(Error);
      expect(await store.list()).to.deep.equal([record]);
      expect(await store.audit()).to.have.length(1);
    });

    onFileOnly('are refused within 10 s of their revocation by a process that remembers them', async function () {
      this.timeout(240_000);
      await using command = await place.open();
      const authenticator = new Authenticator(store);
      const { key, record } = await issueKey(command, plain);
      expect(await isRefused(authenticator, key)).to.equal(false);
      await revokeKey(command, record.id);
      await sleep(CLOCK_STEP_MS);
      expect(await after(10_000, () => isRefused(authenticator, key))).to.equal(true);
    });
  });
}

describe('Authenticator', () => {
  it('makes one look-up for many requests, known or not, and none for a mistyped key', async () => {
    let lookups = 0;
    const authenticator = new Authenticator({
      find: () => {
        lookups++;
        return Promise.resolve(null);
      },
    });
    const key = createKey();
    expect(await Promise.all(Array.from({ length: 50 }, () => isRefused(authenticator, key)))).to.not.include(false);
    for (let i = 0; i < 50; i++) expect(await isRefused(authenticator, key)).to.equal(true);
    expect(lookups).to.equal(1);
    expect(await isRefused(authenticator, `${key.slice(0, -1)}!`)).to.equal(true);
    expect(lookups).to.equal(1);
  });

  it('goes on with the keys it knows while the store is away, and answers 503 for others', async function () {
    this.timeout(240_000);
    const place = await keyPlaces['SQLite']!();
    await using store = await place.open();
    const { key, record } = await issueKey(store, plain);
    let isAway = false;
    const authenticator = new Authenticator({
      find: (hash) => (isAway ? Promise.reject(new Error('away')) : store.find(hash)),
    });
    expect(await isRefused(authenticator, key)).to.equal(false);
    isAway = true;
    await sleep(CLOCK_STEP_MS);
    await after(10_000, async () => {
      for (let i = 0; i < 3; i++) expect(await isRefused(authenticator, key)).to.equal(false);
      const other: unknown = await authenticator.authenticate(`Bearer ${createKey()}`).catch((cause: unknown) => cause);
      expect(other).to.be.instanceOf(AppError).with.property('code', 'DB_ERROR');
      await revokeKey(store, record.id);
      isAway = false;
      expect(await isRefused(authenticator, key), 'the store is asked again at once').to.equal(true);
    });
    await place[Symbol.asyncDispose]();
  });
});
