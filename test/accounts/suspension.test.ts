/** A customer whose lookups the payment processor rejects gets no more of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Suspension } from '../../src/core/billing/suspension.ts';
import { resumeCustomer, suspendCustomer } from '../../src/core/keys/customers.ts';
import { issueKey } from '../../src/core/keys/keys.ts';
import { hashKey } from '../../src/core/keys/key-format.ts';
import type { KeyStore } from '../../src/core/keys/key-store.ts';
import type { Journal } from '../../src/core/usage/journal.ts';
import type { ProblemDocument } from '../../src/messages/wire/problem.ts';
import { record } from '../support/drivers/billing.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { capturingLogger, startFrontEnd } from '../support/drivers/front-end.ts';
import { openJournalHere } from '../support/drivers/journal-here.ts';
import { keyPlaces } from '../support/drivers/key-stores.ts';
import { SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { suspendUnknown } from './suspensions.ts';

const reason = "400: No such customer: 'cus_a'";

async function rejectedBy(cause: Promise<unknown>): Promise<string> {
  return cause.then(
    () => 'nothing',
    (error: unknown) => (error as Error).message,
  );
}

for (const [name, open] of Object.entries(keyPlaces)) {
  describe(`Customers in ${name}`, function () {
    this.timeout(240_000);

    it('are suspended and resumed once, for all their keys and every process, and it is noted', async () => {
      await using place = await open();
      await using store = await place.open();
      await using other = await place.open();
      const own = await Promise.all([1, 2].map(() => issueKey(store, { name: 'n', customer: 'cus_a' })));
      const foreign = [await issueKey(store, { name: 'n', customer: 'cus_b' }), await issueKey(store, { name: 'n' })];
      const states = (): Promise<(boolean | undefined)[]> =>
        Promise.all([...own, ...foreign].map(async ({ key }) => (await other.find(hashKey(key)))?.isSuspended));
      expect(await states()).to.deep.equal([false, false, false, false]);
      await suspendCustomer(store, 'cus_a', reason);
      expect(await states()).to.deep.equal([true, true, false, false]);
      expect(await rejectedBy(suspendCustomer(other, 'cus_a', reason))).to.equal('cus_a is already suspended');
      expect(await other.customers()).to.have.length(1);
      expect((await other.customers())[0]).to.include({ customer: 'cus_a', reason, resumedAt: null });
      await resumeCustomer(other, 'cus_a');
      expect(await states()).to.deep.equal([false, false, false, false]);
      expect(await rejectedBy(resumeCustomer(store, 'cus_a'))).to.equal('cus_a is not suspended');
      expect(await rejectedBy(resumeCustomer(store, 'cus_x'))).to.equal('cus_x is not suspended');
      const noted = (await store.audit()).filter(({ keyId }) => keyId === 'cus_a').map(({ action }) => action);
      expect(noted).to.deep.equal(['suspend', 'resume']);
    });
  });
}

describe('Suspension', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let journal: Journal;
  let store: KeyStore;
  let place: Awaited<ReturnType<(typeof keyPlaces)[string]>>;
  const { lines, logger } = capturingLogger();
  beforeEach(async () => {
    folder = temporaryFolder();
    journal = await openJournalHere(folder.path);
    place = await keyPlaces['SQLite']!();
    store = await place.open();
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
    await journal[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  async function reject(count: number, isCustomerFault = true): Promise<void> {
    await settle(await record(journal, count), isCustomerFault);
  }

  async function settle(lookups: readonly { readonly id: string }[], isCustomerFault = true): Promise<void> {
    await journal.do(
      'settle',
      lookups.map(({ id }) => ({ id, resends: 0, outcome: 'rejected' as const, reason, isCustomerFault })),
    );
  }

  function start(afterRejections = 3): Suspension {
    return new Suspension({ journal, store, afterRejections, logger });
  }

  it('comes with the given number of rejections, once, and anew only for as many after the end of the last', async () => {
    const suspension = start();
    await reject(2);
    await suspension.check();
    expect(await store.customers()).to.deep.equal([]);
    await reject(1);
    await suspension.check();
    expect(await store.customers(), 'nobody said that there is something to count').to.deep.equal([]);
    suspension.note();
    await suspension.check();
    expect((await store.customers())[0]).to.include({ customer: 'cus_a', reason: `3 lookups rejected: ${reason}` });
    expect(lines.map(({ message }) => message)).to.include('customer suspended: its lookups get 402');
    await start().check();
    await resumeCustomer(store, 'cus_a');
    await sleep(2);
    await reject(2);
    await start().check();
    expect((await store.customers())[0]).to.include({ suspendedAt: null });
    await reject(1);
    await start().check();
    expect((await store.customers())[0]!.suspendedAt).to.be.a('string');
  });

  it('comes not again for lookups made before its end, whenever their rejection arrives', async () => {
    const late = await record(journal, 5);
    await reject(3);
    await start().check();
    await resumeCustomer(store, 'cus_a');
    await settle(late);
    await start().check();
    expect((await store.customers())[0]).to.include({ suspendedAt: null });
  });

  it('comes not from a process that counted before the operator resumed the customer', async () => {
    await reject(3);
    const slow = new Suspension({
      ...{ journal, logger, afterRejections: 3 },
      store: {
        customers: async () => {
          const known = await store.customers();
          if (known.length > 0) return known;
          await start().check();
          await resumeCustomer(store, 'cus_a');
          return known;
        },
        updateCustomer: (customer, change) => store.updateCustomer(customer, change),
      },
    });
    for (let i = 0; i < 2; i++) await slow.check();
    expect((await store.customers())[0]).to.include({ suspendedAt: null });
  });

  it('comes not for rejections that are not the fault of the customer', async () => {
    await reject(10, false);
    await start().check();
    expect(await store.customers()).to.deep.equal([]);
  });

  it('is tried again when the store does not answer', async () => {
    await reject(3);
    let isAway = true;
    const suspension = new Suspension({
      ...{ journal, logger, afterRejections: 3 },
      store: {
        customers: () => (isAway ? Promise.reject(new Error('away')) : store.customers()),
        updateCustomer: (customer, change) => store.updateCustomer(customer, change),
      },
    });
    await suspension.check();
    isAway = false;
    await suspension.check();
    expect(await store.customers()).to.have.length(1);
  });

  it('answers 402 before anything else, and takes no unit', async () => {
    await using front = await startFrontEnd();
    const answered = await front.post(SAMPLE_ADDRESS);
    expect(answered.headers.get('ratelimit')).to.contain('r=999');
    await front.store.update(front.keyId, (before) => ({
      record: { ...before, customer: 'cus_a' },
      audit: { at: '', actor: '', action: 'set', keyId: before.id, detail: '' },
    }));
    const beforeMs = Date.now();
    await suspendCustomer(front.store, 'cus_a', reason);
    await sleep(5100);
    for (const body of [SAMPLE_ADDRESS, {}]) {
      const refused = await front.post(body);
      expect(refused.status).to.equal(402);
      const { code, since } = (await refused.json()) as ProblemDocument;
      expect(code).to.equal('PAYMENT_REQUIRED');
      expect(Date.parse(since!)).to.be.within(beforeMs, Date.now());
      expect(refused.headers.get('ratelimit')).to.contain('r=999');
    }
  });
});

describe('A customer whom the payment processor does not know', function () {
  for (const withRedis of [false, true]) {
    it(`gets 402 from ${withRedis ? 'every machine' : 'a process alone'}, until the operator resumes it`, async () => {
      await suspendUnknown(withRedis);
    });
  }
});
